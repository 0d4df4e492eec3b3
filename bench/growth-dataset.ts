import {
  analyze,
  AT,
  EVENT_COLUMNS,
  SPRINT,
  STORY_COLUMNS,
  storyRow,
  TASK_COLUMNS,
  TIMES,
} from './dataset';
import type { Store, Value } from './store';

/** Stories of every sprint and tasks of each of them: a sprint is as large on a large board. */
const SPRINT_STORIES = 50;
const TASKS = 4;
/** Between two stories of a backlog there is room for others. */
export const GAP = 1000;
/** Sprints after the present one; those before it are completed. */
const AHEAD = 2;
const DAYS = 14;

/** How much is on a board. What its sprints do not take is in the backlog. */
export interface Size {
  stories: number;
  sprints: number;
}

/** A board with what is on it; ids follow one another, those of the sprints' stories first. */
export class GrowthBoard {
  readonly path: string;

  constructor(
    readonly id: number,
    readonly name: string,
    readonly size: Size,
    private readonly firstSprint: number,
    readonly firstStory: number,
    readonly firstTask: number,
  ) {
    this.path = `/api/boards/${encodeURIComponent(name)}`;
  }

  get planned(): number {
    return this.size.sprints * SPRINT_STORIES;
  }

  get sprintIds(): number[] {
    return Array.from({ length: this.size.sprints }, (_, i) => this.firstSprint + i);
  }

  /** The sprint of today. */
  get current(): number {
    return this.firstSprint + this.size.sprints - 1 - AHEAD;
  }

  /** A story of the backlog, from all over it. */
  waiting(i: number): number {
    const count = this.size.stories - this.planned;
    return this.firstStory + this.planned + scattered(i, count);
  }

  /** Stories of the backlog that were made, and stand, one after the other; from all over it. */
  neighbour(i: number, k: number): number {
    const count = this.size.stories - this.planned - 20;
    return this.firstStory + this.planned + scattered(i, count) + k;
  }

  /** A story of today's sprint. */
  present(i: number): number {
    const first = (this.current - this.firstSprint) * SPRINT_STORIES;
    return this.firstStory + first + (i % SPRINT_STORIES);
  }

  /** A task of a story of any sprint. */
  task(i: number): number {
    return this.firstTask + ((i * 7919) % (this.planned * TASKS));
  }
}

const isChanged = (i: number): boolean => i % 2 === 1;

/** Goes through all numbers below `count`, from all over them. */
const scattered = (i: number, count: number): number => (i * 7919 + 13) % count;

const day = (offset: number): string =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** Fills boards of these sizes into a migrated, empty database. */
export async function fillBoards(
  store: Store,
  sizes: readonly (Size & { name: string })[],
): Promise<GrowthBoard[]> {
  const boards: GrowthBoard[] = [];
  let [sprint, story, task] = [1, 1, 1];
  for (const [i, { name, ...size }] of sizes.entries()) {
    const board = new GrowthBoard(i + 1, name, size, sprint, story, task);
    boards.push(board);
    await store.insert(
      'boards',
      ['id', 'name', 'time_zone', 'revision', ...TIMES],
      [[board.id, name, 'UTC', 2 * size.sprints + 1.5 * size.stories - AHEAD - 1, AT, AT, 1]],
    );
    await store.insert('sprints', ['id', ...SPRINT, ...TIMES], sprintsOf(board));
    await store.insert('stories', ['id', ...STORY_COLUMNS], storiesOf(board));
    await store.insert('tasks', ['id', ...TASK_COLUMNS], tasksOf(board));
    await store.insert('events', EVENT_COLUMNS, eventsOf(board));
    sprint += size.sprints;
    story += size.stories;
    task += board.planned * TASKS;
  }
  await analyze(store);
  return boards;
}

/** First and last day of a sprint, and whether it is completed. */
function timeOf(board: GrowthBoard, id: number): { start: string; end: string; over: boolean } {
  const weeks = (id - board.current) * DAYS - 3;
  return { start: day(weeks), end: day(weeks + DAYS - 1), over: id < board.current };
}

function* sprintsOf(board: GrowthBoard): Generator<Value[]> {
  for (const id of board.sprintIds) {
    const { start, end, over } = timeOf(board, id);
    const completed = over ? `${end} 16:00:00.000` : null;
    yield [id, board.id, `Sprint ${id}`, 'Nobody is locked out', start, end, completed, AT, AT, 1];
  }
}

/** A story's sprint and its place there or, with none, in the backlog. */
function placeOf(board: GrowthBoard, i: number): { sprint: number | null; seq: number } {
  if (i >= board.planned) return { sprint: null, seq: (i - board.planned + 1) * GAP };
  const sprint = board.sprintIds[Math.floor(i / SPRINT_STORIES)] as number;
  return { sprint, seq: (i % SPRINT_STORIES) + 1 };
}

function* storiesOf(board: GrowthBoard): Generator<Value[]> {
  for (let i = 0; i < board.size.stories; i += 1) {
    const { sprint, seq } = placeOf(board, i);
    // What a story is like has nothing to do with its place.
    const row = storyRow(board.id, sprint, seq, i + 3 * Math.floor(i / SPRINT_STORIES));
    row[STORY_COLUMNS.indexOf('external_id')] = `EXT-${i}`;
    row[STORY_COLUMNS.indexOf('version')] = isChanged(i) ? 2 : 1;
    yield [board.firstStory + i, ...row];
  }
}

function* tasksOf(board: GrowthBoard): Generator<Value[]> {
  for (let i = 0; i < board.planned * TASKS; i += 1) {
    const story = board.firstStory + Math.floor(i / TASKS);
    const title = `Step ${i % TASKS}: agree on the wording`;
    yield [board.firstTask + i, story, title, (i % TASKS) + 1, 'todo', null, AT, AT, null, 1];
  }
}

/**
 * Every sprint and every story was made; half of the stories were changed, in no order, so that the pages of an
 * index are as full as in a log that has grown; and then the sprints of the past were completed.
 */
function* eventsOf(board: GrowthBoard): Generator<Value[]> {
  let revision = 0;
  const event = (type: string, at: string, id: number, version: number): Value[] => {
    revision += 1;
    return [board.id, revision, type, at, 'ada', type.split('.')[0] as string, id, version];
  };
  for (const id of board.sprintIds) {
    const { start, end } = timeOf(board, id);
    const after = JSON.stringify({ id, start_date: start, end_date: end });
    yield [...event('sprint.created', `${start} 08:00:00.000`, id, 1), null, null, null, after];
  }
  for (let i = 0; i < board.size.stories; i += 1) {
    const id = board.firstStory + i;
    const { sprint, seq } = placeOf(board, i);
    const title = `Users can reset the password of account ${i}`;
    const made = { id, board_name: board.name, sprint_id: sprint, title, seq, points: i % 8 };
    const after = JSON.stringify({ ...made, status: i % 3 === 0 ? 'done' : 'todo', labels: [] });
    const at = sprint === null ? AT : `${timeOf(board, sprint).start} 09:00:00.000`;
    yield [...event('story.created', at, id, 1), sprint, null, null, after];
  }
  for (let n = 0; n < board.size.stories; n += 1) {
    const i = scattered(n, board.size.stories);
    if (!isChanged(i)) continue;
    const { sprint } = placeOf(board, i);
    const at = sprint === null ? AT : `${timeOf(board, sprint).start} 10:00:00.000`;
    const made = event('story.updated', at, board.firstStory + i, 2);
    yield [...made, sprint, sprint, '{"title":"A draft"}', `{"title":"Account ${i}"}`];
  }
  for (const id of board.sprintIds) {
    const { end, over } = timeOf(board, id);
    if (!over) continue;
    const at = `${end} 16:00:00.000`;
    yield [...event('sprint.completed', at, id, 2), null, null, '{"completed_at":null}', '{}'];
  }
}
