import type { Board } from './dataset';
import { BACKLOG_BOARDS } from './dataset';
import type { Request } from './load';

/** Something that clients do, and how much of a bare server's speed it is to have. */
export interface Case {
  name: string;
  title: string;
  /** What ours / bare is to be on MariaDB. */
  goal: number;
  /** The requests of a round; `round` makes those that write differ. */
  requests: (boards: Board[], round: number) => Request[];
  /** The boards change all the time, so that nothing that was kept of them stands. */
  changing?: boolean;
  /** Our server is asked with the tag that it gave before. */
  conditional?: boolean;
}

const current = ({ name }: Board): Request => ({
  method: 'GET',
  path: `/api/boards/${encodeURIComponent(name)}/sprints/current`,
});

/** So many that no two rounds of writes come to their end; see `update`. */
const WRITES = 20_000;

export const CASES: Case[] = [
  {
    name: 'show',
    title: 'show a story',
    goal: 0.75,
    requests: (boards) =>
      boards.flatMap(({ stories }): Request[] =>
        stories.slice(0, 5).map((id) => ({ method: 'GET', path: `/api/stories/${id}` })),
      ),
  },
  {
    name: 'list',
    title: 'list 50 stories of a sprint',
    goal: 0.75,
    requests: (boards) =>
      boards
        .slice(0, 300)
        .map(({ sprint }) => ({ method: 'GET', path: `/api/sprints/${sprint}/stories` })),
  },
  {
    name: 'backlog',
    title: 'first page (50) of a backlog',
    goal: 0.75,
    requests: (boards) =>
      boards.slice(0, BACKLOG_BOARDS).map(({ name }) => ({
        method: 'GET',
        path: `/api/boards/${encodeURIComponent(name)}/backlog?limit=50`,
      })),
  },
  {
    name: 'sprint-changed',
    title: 'sprint in full, right after a change',
    goal: 0.75,
    // Not those that `create` fills up.
    requests: (boards) => boards.slice(0, 300).map(current),
    changing: true,
  },
  {
    name: 'sprint-unchanged',
    title: 'sprint in full, unchanged',
    goal: 5,
    requests: (boards) => boards.slice(0, 16).map(current),
  },
  {
    name: 'sprint-not-modified',
    title: 'sprint in full, unchanged, If-None-Match',
    goal: 10,
    requests: (boards) => boards.slice(0, 16).map(current),
    conditional: true,
  },
  {
    name: 'create',
    title: 'create a story',
    goal: 0.75,
    requests: (boards, round) =>
      Array.from({ length: WRITES }, (_, i) => ({
        method: 'POST',
        // Boards of their own, so that the sprints of the other cases stay as they are.
        path: `/api/sprints/${boards[300 + (i % 100)]?.sprint}/stories`,
        body: {
          title: `Users can invite colleague ${i} of round ${round}`,
          description: 'The invitation is good for a week and for one person.',
          priority: i % 5,
          points: 3,
          labels: ['api'],
        },
      })),
  },
  {
    name: 'update',
    title: 'update a story',
    goal: 0.75,
    requests: (boards, round) => {
      const stories = boards.slice(100, 200).map(({ stories: [first] }) => first);
      // The same story gets another title every time, in this round and in the next.
      return Array.from({ length: WRITES }, (_, i) => ({
        method: 'PUT',
        path: `/api/stories/${stories[i % stories.length]}`,
        body: { title: `Users can change their mail address, draft ${round}.${i}` },
      }));
    },
  },
];
