import type { Store, Value } from './store';

/** How much is in the database that the ratios are measured on. */
export const BOARDS = 400;
export const SPRINT_STORIES = 50;
export const TASKS_PER_STORY = 4;
export const BACKLOG_BOARDS = 16;
export const BACKLOG_STORIES = 200;

/** A board of the benchmark with the sprint that is active today. */
export interface Board {
  id: number;
  name: string;
  sprint: number;
  /** The stories of the sprint. */
  stories: number[];
}

export const AT = '2026-01-05 09:12:34.567';
export const SPRINT = ['board_id', 'name', 'goal', 'start_date', 'end_date', 'completed_at'];
export const TIMES = ['created_at', 'updated_at', 'version'];
export const STORY_COLUMNS = [
  ...['board_id', 'sprint_id', 'title', 'description', 'seq', 'priority', 'status', 'points'],
  ...['assignee', 'labels', 'external_id', 'search', 'created_at', 'updated_at', 'done_at'],
  'version',
];
export const TASK_COLUMNS = [
  ...['story_id', 'title', 'seq', 'status', 'assignee', 'created_at', 'updated_at', 'done_at'],
  'version',
];

export const EVENT_COLUMNS = [
  ...['board_id', 'revision', 'type', 'at', 'actor', 'entity', 'entity_id', 'entity_version'],
  ...['sprint_id', 'from_sprint_id', '`before`', '`after`'],
];

const PEOPLE = ['ada', 'grace', 'linus', null, 'margaret'];
const STATUSES = ['todo', 'in_progress', 'done'];
const LABELS = ['[]', '[\n"api"\n]', '[\n"api"\n,\n"needs design"\n]', '[\n"billing"\n]'];
const POINTS = [null, 0.5, 1, 2, 3, 5, 8];

/** A story of common size: what teams write, not the most that a story can hold. */
export function storyRow(board: number, sprint: number | null, seq: number, i: number): Value[] {
  const title = `Users can reset the password of account ${i}`;
  const description =
    i % 3 === 0
      ? null
      : `As a user who forgot the password I want a mail with a link that lets me set another one, case ${i}. ` +
        'The link works once and for an hour; who asks for a second gets a new one.';
  const status = STATUSES[i % 3] as string;
  return [
    ...[board, sprint, title, description, seq, i % 7 === 0 ? null : i % 5, status],
    ...([POINTS[i % 7], PEOPLE[i % 5], LABELS[i % 4], null] as Value[]),
    (description === null ? title : `${title}\n${description}`).toUpperCase(),
    ...[AT, AT, status === 'done' ? AT : null, 1],
  ];
}

/** Fills a migrated, empty database with the boards that the ratios are measured on. */
export async function fill(store: Store): Promise<Board[]> {
  const board = (i: number): string => `Team ${i}`;
  const indices = (count: number): number[] => [...Array(count).keys()];
  await store.insert(
    'boards',
    ['name', 'time_zone', 'revision', ...TIMES],
    indices(BOARDS).map((i) => [board(i), 'UTC', 1, AT, AT, 1]),
  );
  const rows = await store.query<{ id: number; name: string }>('SELECT id, name FROM boards');
  const boards = new Map<number, Board>(
    rows.map(({ id, name }) => [id, { id, name, sprint: 0, stories: [] }]),
  );
  await store.insert(
    'sprints',
    [...SPRINT, ...TIMES],
    [...boards.keys()].map((id, i) => [
      ...[id, `Sprint ${i}`, 'Nobody is locked out', '2026-01-05', null, null],
      ...[AT, AT, 1],
    ]),
  );
  for (const { id, board_id } of await store.query<{ id: number; board_id: number }>(
    'SELECT id, board_id FROM sprints',
  )) {
    (boards.get(board_id) as Board).sprint = id;
  }
  await store.insert(
    'stories',
    STORY_COLUMNS,
    [...boards.values()].flatMap(({ id, sprint }, b) => [
      ...indices(SPRINT_STORIES).map((i) => storyRow(id, sprint, i + 1, b * 1000 + i)),
      ...indices(b < BACKLOG_BOARDS ? BACKLOG_STORIES : 0).map((i) =>
        storyRow(id, null, i + 1, b * 1000 + 500 + i),
      ),
    ]),
  );
  for (const { id, board_id } of await store.query<{ id: number; board_id: number }>(
    'SELECT id, board_id FROM stories WHERE sprint_id IS NOT NULL ORDER BY board_id, seq',
  )) {
    (boards.get(board_id) as Board).stories.push(id);
  }
  await store.insert(
    'tasks',
    TASK_COLUMNS,
    [...boards.values()].flatMap(({ stories }) =>
      stories.flatMap((story) =>
        indices(TASKS_PER_STORY).map((i) => {
          const status = STATUSES[(story + i) % 3] as string;
          return [
            ...([story, `Step ${i + 1}: agree on the wording`, i + 1, status] as Value[]),
            ...([PEOPLE[(story + i) % 5], AT, AT, status === 'done' ? AT : null, 1] as Value[]),
          ];
        }),
      ),
    ),
  );
  await analyze(store);
  return [...boards.values()];
}

/** Lets the database know its data, as it does by itself in the course of time. */
export async function analyze(store: Store): Promise<void> {
  if (store.engine === 'sqlite') await store.run('PRAGMA wal_checkpoint(TRUNCATE)');
  else await store.query('ANALYZE TABLE boards, sprints, stories, tasks, events');
}
