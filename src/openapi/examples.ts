import type { TokenView } from '../auth/token.dto';
import type { BoardView } from '../boards/board.dto';
import type { EventView } from '../events/event.dto';
import type { PathParameter } from '../http/input/path';
import type { BurndownDayView } from '../reports/report.dto';
import type { SprintView } from '../sprints/sprint.dto';
import type { StoryView } from '../stories/story.dto';
import type { TaskView } from '../tasks/task.dto';

// One team's first sprint: the requests succeed one after the other on an empty database, and the
// responses are what they return. A test runs the requests and compares the responses with the schemas.

const CREATED = '2026-11-13T10:00:00.000Z';
const STARTED = '2026-11-16T09:00:00.000Z';
const CHANGED = '2026-11-18T14:30:00.000Z';
const COMPLETED = '2026-11-27T15:00:00.000Z';

const board: BoardView = {
  id: 1,
  name: 'Rocket',
  time_zone: 'Europe/Berlin',
  working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  revision: 7,
  created_at: CREATED,
  updated_at: CREATED,
  version: 1,
};

const sprint: SprintView = {
  id: 1,
  board_name: 'Rocket',
  name: 'Sprint 1',
  goal: 'Customers can pay by card',
  start_date: '2026-11-16',
  end_date: '2026-11-27',
  state: 'active',
  started_at: STARTED,
  completed_at: null,
  external_id: null,
  created_at: CREATED,
  updated_at: STARTED,
  version: 2,
};

const story: StoryView = {
  id: 1,
  board_name: 'Rocket',
  sprint_id: 1,
  title: 'Pay by card',
  description: 'Visa and Mastercard, with 3-D Secure.',
  seq: 1,
  priority: 1,
  status: 'in_progress',
  points: 5,
  assignee: 'Ada',
  labels: ['checkout'],
  external_id: null,
  created_at: CREATED,
  updated_at: CHANGED,
  done_at: null,
  version: 2,
};

const task: TaskView = {
  id: 1,
  story_id: 1,
  title: 'Show the errors of the bank',
  seq: 1,
  status: 'done',
  assignee: 'Ada',
  external_id: null,
  created_at: CREATED,
  updated_at: CHANGED,
  done_at: CHANGED,
  version: 2,
};

const event: EventView = {
  board_name: 'Rocket',
  revision: 7,
  type: 'story.updated',
  at: CHANGED,
  actor: 'anonymous',
  entity: 'story',
  id: 1,
  before: { status: 'todo', updated_at: CREATED, version: 1 },
  after: { status: 'in_progress', updated_at: CHANGED, version: 2 },
};

const completed = { ...sprint, state: 'completed', completed_at: COMPLETED, version: 3 };
const paid = { id: 1, title: 'Pay by card', points: 5 };
const invoiced = { id: 2, title: 'Pay by invoice', points: 3 };

const token: TokenView = {
  id: 1,
  name: 'Ada',
  scope: 'admin',
  boards: null,
  expires_at: null,
  created_at: CREATED,
  last_used_at: null,
};

const day: BurndownDayView = {
  date: '2026-11-16',
  working: true,
  scope_points: 8,
  completed_points: 0,
  remaining_points: 8,
  ideal_points: 7.2,
  scope_count: 2,
  completed_count: 0,
  remaining_count: 2,
};

/** Path parameters. */
export const PARAMETERS: Record<string, unknown> = {
  board_name: 'Rocket',
  sprint_id: 1,
  story_id: 1,
  task_id: 1,
  token_id: 1,
} satisfies Record<PathParameter, string | number>;

const SECRET = 'spl_0123456789abcdef_0123456789abcdefghijklmnopqrstuvwxyz_ABCDEF';

/** Bodies of requests and of responses, by the names of their schemas. */
export const EXAMPLES: Record<string, object> = {
  CreateBoard: { name: 'Rocket', time_zone: 'Europe/Berlin' },
  UpdateBoard: { time_zone: 'Europe/Lisbon' },
  CreateSprint: {
    name: 'Sprint 1',
    goal: 'Customers can pay by card',
    start_date: '2026-11-16',
    end_date: '2026-11-27',
  },
  UpdateSprint: { goal: 'Customers can pay by card and by invoice' },
  CompleteSprint: { unfinished: 'backlog', position: 'first' },
  CreateStory: {
    title: 'Pay by card',
    description: 'Visa and Mastercard, with 3-D Secure.',
    points: 5,
    priority: 1,
    assignee: 'Ada',
    labels: ['checkout'],
  },
  UpdateStory: { status: 'in_progress' },
  MoveStory: { sprint_id: 1, position: 'first' },
  MoveStories: { story_ids: [2, 1], sprint_id: 1, position: 'first' },
  CreateTask: { title: 'Show the errors of the bank', assignee: 'Ada' },
  UpdateTask: { status: 'done' },
  Batch: {
    operations: [
      {
        op: 'create',
        type: 'sprint',
        as: 'next',
        set: { name: 'Sprint 2', start_date: '2026-11-30', end_date: '2026-12-11' },
      },
      {
        op: 'create',
        type: 'story',
        as: 'refund',
        set: { title: 'Refund', points: 3, sprint_id: '$next' },
      },
      { op: 'create', type: 'task', set: { title: 'Ask the bank', story_id: '$refund' } },
      { op: 'update', type: 'story', id: '$refund', set: { assignee: 'Ada' } },
    ],
  },
  CreateToken: { name: 'Ada', scope: 'admin' },
  CreateSession: { token: SECRET },

  Board: board,
  Sprint: sprint,
  SprintInFull: { ...sprint, stories: [{ ...story, tasks: [task] }] },
  Story: story,
  Task: task,
  Event: event,
  Token: token,
  NewToken: { ...token, token: SECRET },
  Session: { actor: 'Ada', scope: 'admin', boards: null, token_required: true },
  Deleted: { deleted: true, id: 1 },
  BatchResult: {
    results: [{ op: 'update', type: 'story', ...story }],
    refs: {},
    revision: { from: 8, to: 8 },
  },
  SprintDeleted: { deleted: true, id: 1, stories_moved_to_backlog: 2 },
  StoryDeleted: { deleted: true, id: 1, tasks_deleted: 1 },
  Import: {
    format: 'csv',
    mapping: { columns: { external_id: 'external_id', title: 'title', points: 'Estimate' } },
    created: { sprints: 0, stories: 2, tasks: 0 },
    updated: { sprints: 0, stories: 1, tasks: 0 },
    unchanged: { sprints: 0, stories: 0, tasks: 0 },
    skipped: [],
    warnings: [{ code: 'unknown_column', count: 1, examples: ['Reporter'] }],
    unmapped: { statuses: [] },
  },
  Report: {
    sprint: completed,
    as_of: COMPLETED,
    committed_at: STARTED,
    commitment_rule: 'started',
    committed: { count: 1, points: 5, stories: [paid] },
    added: { count: 1, points: 3, stories: [invoiced] },
    removed: { count: 0, points: 0, stories: [] },
    re_estimated: { count: 0, points: 0, stories: [] },
    completed: { count: 1, points: 5, stories: [paid] },
    unfinished: { count: 1, points: 3, stories: [{ ...invoiced, carried_to: null }] },
  },
  Burndown: {
    sprint,
    committed_points: 8,
    committed_count: 2,
    days: [
      day,
      {
        ...day,
        date: '2026-11-17',
        completed_points: 3,
        remaining_points: 5,
        ideal_points: 6.4,
        completed_count: 1,
        remaining_count: 1,
      },
    ],
  },
  Velocity: {
    sprints: [
      {
        id: 1,
        name: 'Sprint 1',
        start_date: '2026-11-16',
        end_date: '2026-11-27',
        completed_at: COMPLETED,
        committed_points: 5,
        completed_points: 5,
        unfinished_points: 3,
        committed_count: 1,
        completed_count: 1,
        unfinished_count: 1,
      },
    ],
    average_points: 5,
    median_points: 5,
    average_count: 1,
    median_count: 1,
  },
  Forecast: {
    seed: 1,
    trials: 10_000,
    history: { sprints: 6 },
    backlog: { count: 24, points: 71 },
    asked: { stories: null, points: null, sprint_days: 14, from: '2026-11-30' },
    when: [
      { percent: 50, sprints: 3, date: '2027-01-11' },
      { percent: 85, sprints: 4, date: '2027-01-25' },
      { percent: 95, sprints: 5, date: '2027-02-08' },
    ],
    next_sprint: [
      { percent: 50, points: 24, count: 8 },
      { percent: 85, points: 18, count: 6 },
      { percent: 95, points: 15, count: 5 },
    ],
  },
  Health: {
    status: 'ok',
    info: { database: { status: 'up' } },
    error: {},
    details: { database: { status: 'up' } },
  },
};
