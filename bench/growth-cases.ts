import type { GrowthBoard } from './growth-dataset';
import { GAP } from './growth-dataset';
import type { Request } from './load';

/** As much of an answer as a later request is made of. */
export interface Made {
  id: number;
  /** The address of the next page. */
  next?: string | undefined;
}

/** Asks the service, and gives what it answered. */
export type Ask = (request: Request) => Promise<Made>;

/** An operation whose latency must not grow with the board. */
export interface GrowthCase {
  title: string;
  /** Makes what the operation is about; its time does not count. */
  before?: (ask: Ask, board: GrowthBoard, i: number) => Promise<Made>;
  request: (board: GrowthBoard, i: number, made: Made) => Request;
  /** Why it may grow nevertheless. */
  apart?: string;
}

const read = (title: string, path: (board: GrowthBoard, i: number) => string): GrowthCase => ({
  title,
  request: (board, i) => ({ method: 'GET', path: path(board, i) }),
});

const STORY = { title: 'Users can invite a colleague', points: 3, labels: ['api'] };

const send = (method: Request['method'], path: string, body?: object): Request => ({
  method,
  path,
  ...(body && { body }),
});

/** Changes the board, so that nothing that was kept of it stands. */
const touch = (ask: Ask, board: GrowthBoard, i: number): Promise<Made> =>
  ask(send('PUT', `/api/stories/${board.waiting(0)}`, { title: `Draft ${i}` }));

const makeStory = (ask: Ask, board: GrowthBoard): Promise<Made> =>
  ask(send('POST', `${board.path}/backlog`, STORY));

const makeSprint = async (ask: Ask, board: GrowthBoard): Promise<Made> => {
  const sprint = await ask(send('POST', `${board.path}/sprints`, { start_date: '2020-01-06' }));
  for (let i = 0; i < 5; i += 1) {
    await ask(send('POST', `/api/sprints/${sprint.id}/stories`, STORY));
  }
  return sprint;
};

const move = (title: string, position: (board: GrowthBoard, i: number) => unknown): GrowthCase => ({
  title,
  request: (board, i) =>
    send('POST', `/api/stories/${board.waiting(3 * i)}/move`, { position: position(board, i) }),
});

const moveTwenty = (board: GrowthBoard, story: (k: number) => number): Request =>
  send('POST', `${board.path}/stories/move`, {
    story_ids: [...Array(20).keys()].map(story),
    position: 'first',
  });

/** The address of a page in the middle of the backlog, made from that of the second one. */
async function middle(ask: Ask, board: GrowthBoard, i: number): Promise<Made> {
  const { id, next = '' } = await ask(send('GET', `${board.path}/backlog?limit=50`));
  const [path, parameters] = next.split('?') as [string, string];
  const query = new URLSearchParams(parameters);
  const cursor = Buffer.from(query.get('cursor') ?? '', 'base64url').toString();
  const [bound] = JSON.parse(cursor) as unknown[];
  const seq = Math.floor((board.size.stories - board.planned) * (0.3 + (i % 10) / 20)) * GAP;
  query.set('cursor', Buffer.from(JSON.stringify([bound, seq, 1])).toString('base64url'));
  return { id, next: `${path}?${query.toString()}` };
}

export const GROWTH_CASES: GrowthCase[] = [
  read('show a board', ({ path }) => path),
  read('boards, a page', () => '/api/boards?limit=10'),
  read('show a story', (board, i) => `/api/stories/${board.waiting(i)}`),
  read('history of a story', (board, i) => `/api/stories/${board.waiting(i)}/history`),
  read('tasks of a story', (board, i) => `/api/stories/${board.present(i)}/tasks`),
  read('show a task', (board, i) => `/api/tasks/${board.task(i)}`),
  read('show a sprint', ({ current }) => `/api/sprints/${current}`),
  read('sprints, a page', ({ path }) => `${path}/sprints?limit=5`),
  read('planned sprints', ({ path }) => `${path}/sprints?state=planned`),
  read('active sprints', ({ path }) => `${path}/sprints?state=active`),
  read('current sprint in full, unchanged', ({ path }) => `${path}/sprints/current`),
  {
    ...read('current sprint in full, changed', ({ path }) => `${path}/sprints/current`),
    before: touch,
  },
  { ...read('next sprint in full, changed', ({ path }) => `${path}/sprints/next`), before: touch },
  {
    ...read('previous sprint in full, changed', ({ path }) => `${path}/sprints/previous`),
    before: touch,
  },
  read('stories of a sprint', ({ current }) => `/api/sprints/${current}/stories`),
  read('stories of the current sprint', ({ path }) => `${path}/sprints/current/stories`),
  read('backlog, first page', ({ path }) => `${path}/backlog?limit=50`),
  {
    title: 'backlog, a page of its middle',
    before: middle,
    request: (_board, _, { next = '' }) => send('GET', next),
  },
  read('stories of the board, first page', ({ path }) => `${path}/stories?limit=50`),
  read('… that are done', ({ path }) => `${path}/stories?limit=50&status=done`),
  read('… of somebody', ({ path }) => `${path}/stories?limit=50&assignee=ada`),
  read('… of nobody', ({ path }) => `${path}/stories?limit=50&assignee=`),
  read('… with a label', ({ path }) => `${path}/stories?limit=50&label=api`),
  read('… of a priority', ({ path }) => `${path}/stories?limit=50&priority=2`),
  read('… of a sprint', ({ path, current }) => `${path}/stories?limit=50&sprint_id=${current}`),
  read(
    '… of two sprints',
    ({ path, current }) => `${path}/stories?limit=50&sprint_id=${current}&sprint_id=${current - 1}`,
  ),
  read('… with an external id', ({ path }, i) => `${path}/stories?limit=50&external_id=EXT-${i}`),
  read(
    '… changed in this minute',
    ({ path }) =>
      `${path}/stories?limit=50&updated_since=${new Date(Date.now() - 2000).toISOString()}`,
  ),
  read(
    '… changed in these years',
    ({ path }) => `${path}/stories?limit=50&updated_since=2000-01-01`,
  ),
  {
    ...read('… of somebody who has none', ({ path }) => `${path}/stories?limit=50&assignee=zoe`),
    apart: 'it looks through the whole board',
  },
  read('events, the last', (board) => `${board.path}/events?limit=50&after=${board.size.stories}`),
  read('report of a sprint', ({ current }) => `/api/sprints/${current}/report`),
  read('burndown of a sprint', ({ current }) => `/api/sprints/${current}/burndown`),
  read('velocity', ({ path }) => `${path}/velocity?last=5`),
  read('forecast of named work', ({ path }) => `${path}/forecast?stories=100&trials=100`),
  {
    title: 'create a story in a sprint',
    request: (board) => send('POST', `/api/sprints/${board.current + 1}/stories`, STORY),
  },
  {
    title: 'create a story in the backlog',
    request: ({ path }) => send('POST', `${path}/backlog`, STORY),
  },
  {
    title: 'update a story',
    request: (board, i) =>
      send('PUT', `/api/stories/${board.waiting(i)}`, { title: `Draft ${i} of it` }),
  },
  {
    title: 'update a story to another sprint',
    before: makeStory,
    request: (board, _, { id }) =>
      send('PUT', `/api/stories/${id}`, { sprint_id: board.current + 1 }),
  },
  {
    title: 'delete a story',
    before: makeStory,
    request: (_board, _, { id }) => send('DELETE', `/api/stories/${id}`),
  },
  move('move a story to the top', () => 'first'),
  move('move a story to the end', () => 'last'),
  move('move a story after another', (board, i) => ({ after: board.waiting(3 * i + 1) })),
  {
    title: 'move 20 neighbours to the top',
    request: (board, i) => moveTwenty(board, (k) => board.neighbour(i, k)),
  },
  {
    title: 'move 20 stories from all over to the top',
    request: (board, i) => moveTwenty(board, (k) => board.waiting(20 * i + k)),
    apart: 'on a large board each lies in pages of its own',
  },
  {
    title: 'create a task',
    request: (board, i) =>
      send('POST', `/api/stories/${board.present(i)}/tasks`, { title: 'One more step' }),
  },
  {
    title: 'update a task',
    request: (board, i) => send('PUT', `/api/tasks/${board.task(i)}`, { title: `Draft ${i}` }),
  },
  {
    title: 'delete a task',
    before: (ask, board, i) =>
      ask(send('POST', `/api/stories/${board.present(i)}/tasks`, { title: 'One more step' })),
    request: (_board, _, { id }) => send('DELETE', `/api/tasks/${id}`),
  },
  {
    title: 'create a sprint',
    request: ({ path }) => send('POST', `${path}/sprints`, { start_date: '2020-01-06' }),
  },
  {
    title: 'update a sprint',
    request: ({ current }, i) => send('PUT', `/api/sprints/${current}`, { goal: `Goal ${i}` }),
  },
  {
    title: 'delete a sprint with 5 stories',
    before: makeSprint,
    request: (_board, _, { id }) => send('DELETE', `/api/sprints/${id}`),
  },
  {
    title: 'complete a sprint with 5 stories',
    before: makeSprint,
    request: (_board, _, { id }) => send('POST', `/api/sprints/${id}/complete`, {}),
  },
  {
    title: 'reopen a sprint',
    before: async (ask, board) => {
      const sprint = await makeSprint(ask, board);
      await ask(send('POST', `/api/sprints/${sprint.id}/complete`, {}));
      return sprint;
    },
    request: (_board, _, { id }) => send('POST', `/api/sprints/${id}/reopen`, {}),
  },
  {
    title: 'update a board',
    request: ({ path }, i) =>
      send('PUT', path, { time_zone: i % 2 ? 'Europe/Vienna' : 'Europe/Paris' }),
  },
];
