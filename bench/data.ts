import type { StoryView } from '../src/stories/story.dto';
import type { Database, Value } from './database';

/** The content of a board. Its sprints are two weeks each; all but the last three are completed. */
export interface BoardPlan {
  name: string;
  sprints?: number;
  /** Stories of each sprint, and tasks of each of these stories. */
  sprintStories?: number;
  tasks?: number;
  /** Stories of the backlog. */
  backlog?: number;
  /** The description of every story, instead of one of the usual length. */
  description?: string;
}

/** The difference between the `seq` of two neighbours in a backlog, so that moves find a gap. */
const GAP = 1000;
const DAYS = 14;

/** A board with test data. The ids of its stories are consecutive: those of the sprints, then the backlog. */
export class Board {
  readonly path: string;

  constructor(
    readonly id: number,
    readonly plan: Required<BoardPlan>,
    private readonly firstSprint: number,
    readonly firstStory: number,
    readonly firstTask: number,
  ) {
    this.path = `/api/boards/${encodeURIComponent(plan.name)}`;
  }

  /** The number of stories in all sprints. */
  get planned(): number {
    return this.plan.sprints * this.plan.sprintStories;
  }

  get sprints(): number[] {
    return Array.from({ length: this.plan.sprints }, (_, i) => this.firstSprint + i);
  }

  /** The id of the current sprint. */
  get current(): number {
    return this.firstSprint + Math.max(0, this.plan.sprints - 3);
  }

  /** The id of a story of the current sprint. */
  sprintStory(i: number): number {
    const before = (this.current - this.firstSprint) * this.plan.sprintStories;
    return this.firstStory + before + (i % this.plan.sprintStories);
  }

  /** The id of a story of the backlog: `i` jumps through the whole backlog, `k` counts neighbours. */
  backlogStory(i: number, k = 0): number {
    return this.firstStory + this.planned + ((i * 7919) % (this.plan.backlog - 20)) + k;
  }

  /** The id of a task of a story of any sprint. */
  task(i: number): number {
    return this.firstTask + ((i * 7919) % (this.planned * this.plan.tasks));
  }
}

const day = (offset: number): string =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** The time at which everything was created. */
const AT = `${day(-300)} 09:12:34.567`;
const INSTANT = AT.replace(' ', 'T').concat('Z');

const PEOPLE = ['ada', 'grace', 'linus', null, 'margaret'];
const STATUSES = ['todo', 'in_progress', 'done'];
const LABELS = [[], ['api'], ['api', 'needs design'], ['billing']];
const POINTS = [null, 0.5, 1, 2, 3, 5, 8];

const EVENT = [
  ...['board_id', 'revision', 'type', 'at', 'actor', 'entity', 'entity_id', 'entity_version'],
  ...['sprint_id', '`before`', '`after`'],
];

/** Writes boards to a migrated, empty database. */
export async function fill(database: Database, plans: BoardPlan[]): Promise<Board[]> {
  const defaults = { sprints: 0, sprintStories: 50, tasks: 4, backlog: 0, description: '' };
  const boards: Board[] = [];
  let [sprint, story, task] = [1, 1, 1];
  for (const [i, plan] of plans.entries()) {
    const board = new Board(i + 1, { ...defaults, ...plan }, sprint, story, task);
    boards.push(board);
    sprint += board.plan.sprints;
    story += board.planned + board.plan.backlog;
    task += board.planned * board.plan.tasks;
  }
  const all = function* (rows: (board: Board) => Iterable<Value[]>): Generator<Value[]> {
    for (const board of boards) yield* rows(board);
  };
  // Servers limit the bytes of a statement.
  const chunk = boards.some(({ plan }) => plan.description !== '') ? 20 : undefined;
  const times = ['created_at', 'updated_at', 'version'];
  await database.insert(
    'boards',
    ['id', 'name', 'time_zone', 'revision', ...times],
    all((board) => [[board.id, board.plan.name, 'UTC', revisionOf(board), AT, AT, 1]]),
  );
  await database.insert(
    'sprints',
    ['id', 'board_id', 'name', 'goal', 'start_date', 'end_date', 'completed_at', ...times],
    all(sprints),
  );
  const columns = Object.keys(rowOf(boards[0] as Board, 0));
  await database.insert('stories', columns, all(stories), chunk);
  await database.insert(
    'tasks',
    ['id', 'story_id', 'title', 'seq', 'status', 'assignee', ...times, 'done_at'],
    all(tasks),
  );
  await database.insert('events', EVENT, all(events), chunk);
  return boards;
}

function* sprints(board: Board): Generator<Value[]> {
  for (const id of board.sprints) {
    const [start, end] = datesOf(board, id);
    const completed = id < board.current ? `${end} 16:00:00.000` : null;
    const version = completed === null ? 1 : 2;
    yield [
      id,
      board.id,
      `Sprint ${id}`,
      'Users can reset their password',
      start,
      end,
      completed,
      AT,
      AT,
      version,
    ];
  }
}

function datesOf(board: Board, sprint: number): [start: string, end: string] {
  const start = (sprint - board.current) * DAYS - 3;
  return [day(start), day(start + DAYS - 1)];
}

/** A story of the usual size. */
function storyOf(board: Board, i: number): StoryView {
  const { sprintStories, description: given, name } = board.plan;
  const planned = i < board.planned;
  // The content does not depend on the position.
  const n = i + 3 * Math.floor(i / sprintStories);
  const common =
    `As a user who forgot the password I want a mail with a link that lets me set another one, case ${i}. ` +
    'The link works once and for an hour; who asks for a second gets a new one.';
  const status = STATUSES[n % 3] as StoryView['status'];
  return {
    id: board.firstStory + i,
    board_name: name,
    sprint_id: planned ? (board.sprints[Math.floor(i / sprintStories)] as number) : null,
    title: `Users can reset the password of account ${i}`,
    description: given || (n % 3 === 0 ? null : common),
    seq: planned ? (i % sprintStories) + 1 : (i - board.planned + 1) * GAP,
    priority: n % 7 === 0 ? null : n % 5,
    status,
    points: POINTS[n % 7] as number | null,
    assignee: PEOPLE[n % 5] as string | null,
    labels: LABELS[n % 4] as string[],
    external_id: `EXT-${i}`,
    created_at: INSTANT,
    updated_at: INSTANT,
    done_at: status === 'done' ? INSTANT : null,
    version: 1,
  };
}

/** The columns of a story. */
function rowOf(board: Board, i: number): Record<string, Value> {
  const { board_name: _, labels, ...story } = storyOf(board, i);
  const { title, description, done_at } = story;
  const search = (description === null ? title : `${title}\n${description}`).toUpperCase();
  const times = { created_at: AT, updated_at: AT, done_at: done_at && AT };
  return { board_id: board.id, search, ...story, labels: storedLabels(labels), ...times };
}

function* stories(board: Board): Generator<Value[]> {
  for (let i = 0; i < board.planned + board.plan.backlog; i += 1)
    yield Object.values(rowOf(board, i));
}

const storedLabels = (labels: string[]): string =>
  labels.length === 0
    ? '[]'
    : `[\n${labels.map((label) => JSON.stringify(label)).join('\n,\n')}\n]`;

function* tasks(board: Board): Generator<Value[]> {
  for (let i = 0; i < board.planned * board.plan.tasks; i += 1) {
    const story = board.firstStory + Math.floor(i / board.plan.tasks);
    const seq = (i % board.plan.tasks) + 1;
    const status = STATUSES[(story + seq) % 3] as string;
    const done = status === 'done' ? AT : null;
    const title = `Step ${seq}: agree on the wording`;
    const assignee = PEOPLE[(story + seq) % 5] as string | null;
    yield [board.firstTask + i, story, title, seq, status, assignee, AT, AT, 1, done];
  }
}

const revisionOf = (board: Board): number =>
  board.plan.sprints + board.planned + board.plan.backlog + Math.max(0, board.plan.sprints - 3);

/** The log of a board: all sprints and stories are created, then the past sprints are completed. */
function* events(board: Board): Generator<Value[]> {
  let revision = 0;
  const event = (type: string, at: string, id: number, version: number): Value[] => {
    revision += 1;
    return [board.id, revision, type, at, 'ada', type.split('.')[0] as string, id, version];
  };
  const common = {
    board_name: board.plan.name,
    created_at: INSTANT,
    updated_at: INSTANT,
    version: 1,
  };
  for (const id of board.sprints) {
    const [start_date, end_date] = datesOf(board, id);
    const sprint = {
      id,
      name: `Sprint ${id}`,
      goal: 'Users can reset their password',
      start_date,
      end_date,
      state: 'planned',
      started_at: null,
      completed_at: null,
      external_id: null,
      ...common,
    };
    yield [...event('sprint.created', AT, id, 1), null, null, JSON.stringify(sprint)];
  }
  for (let i = 0; i < board.planned + board.plan.backlog; i += 1) {
    const story = storyOf(board, i);
    const created = event('story.created', AT, story.id, 1);
    yield [...created, story.sprint_id, null, JSON.stringify(story)];
  }
  for (const id of board.sprints.filter((one) => one < board.current)) {
    const at = `${datesOf(board, id)[1]} 16:00:00.000`;
    const after = { completed_at: at.replace(' ', 'T').concat('Z'), version: 2 };
    const before = { completed_at: null, version: 1 };
    const completed = event('sprint.completed', at, id, 2);
    yield [...completed, null, JSON.stringify(before), JSON.stringify(after)];
  }
}
