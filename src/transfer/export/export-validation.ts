import type { BoardView } from '../../boards/board.dto';
import { CreateBoard } from '../../boards/board.dto';
import { EVENT_ENTITIES, EVENT_TYPES } from '../../events/event';
import type { EventView } from '../../events/event.dto';
import { excessOf, MAX_VALUES } from '../../http/input/body-limits';
import { isObject } from '../../http/validation/collections';
import { ID, MAX_INT32, MIN_INT32 } from '../../http/validation/numbers';
import type { SprintView } from '../../sprints/sprint.dto';
import { CreateSprint } from '../../sprints/sprint.dto';
import type { StoryView } from '../../stories/story.dto';
import { CreateStory } from '../../stories/story.dto';
import type { TaskView } from '../../tasks/task.dto';
import { CreateTask } from '../../tasks/task.dto';
import { isTimeZone } from '../../time/clock';
import { invalidLine } from '../files/invalid-file';
import type { Predicate } from './field-predicates';
import {
  instant,
  instantOfReports,
  integer,
  oneOf,
  orNull,
  predicatesOf,
  text,
} from './field-predicates';

type Predicates = Record<string, Predicate>;
type Fields = Record<string, unknown>;

const id = integer(...ID);
const int32 = integer(MIN_INT32, MAX_INT32);
const version = integer(1, MAX_INT32);

const TIMES = { created_at: instant, updated_at: instant, version };

const BOARD: Record<keyof BoardView, Predicate> = {
  ...predicatesOf(CreateBoard),
  id,
  time_zone: (value) => typeof value === 'string' && isTimeZone(value),
  revision: integer(0, MAX_INT32),
  ...TIMES,
};

const SPRINT: Record<keyof SprintView, Predicate> = {
  ...predicatesOf(CreateSprint),
  id,
  board_name: BOARD.name,
  // Derived from the dates, so its value is not read.
  state: (value) => typeof value === 'string',
  started_at: orNull(instantOfReports),
  completed_at: orNull(instantOfReports),
  ...TIMES,
};

const STORY: Record<keyof StoryView, Predicate> = {
  ...predicatesOf(CreateStory),
  id,
  board_name: BOARD.name,
  sprint_id: orNull(id),
  // In a request, null means the default.
  seq: int32,
  done_at: orNull(instant),
  ...TIMES,
};

const TASK: Record<keyof TaskView, Predicate> = {
  ...predicatesOf(CreateTask),
  id,
  story_id: id,
  seq: int32,
  done_at: orNull(instant),
  ...TIMES,
};

const EVENT: Record<keyof EventView, Predicate> = {
  board_name: BOARD.name,
  revision: version,
  type: oneOf(EVENT_TYPES),
  at: instantOfReports,
  actor: text(255),
  entity: oneOf(EVENT_ENTITIES),
  id,
  before: orNull(isObject),
  after: orNull(isObject),
};

const PREDICATES = { board: BOARD, sprint: SPRINT, story: STORY, task: TASK, event: EVENT };
export type Kind = keyof typeof PREDICATES;

/** The nullable fields of each kind, as null. An export of an earlier version may lack some of them. */
export const OPTIONAL = Object.fromEntries(
  Object.entries(PREDICATES).map(([kind, predicates]: [string, Predicates]) => [
    kind,
    Object.fromEntries(
      Object.entries(predicates).flatMap(([name, predicate]) =>
        predicate(null) ? [[name, null]] : [],
      ),
    ),
  ]),
) as Record<Kind, Fields>;

/** A row with null for the nullable fields that it lacks. Not by two spreads; see docs/performance.md. */
export const withOptional = (kind: Kind, row: Fields): Fields =>
  Object.assign({}, OPTIONAL[kind], row);

/**
 * Checks that a row has the fields of its kind and no others, and that they are valid. Nullable fields are optional.
 * @throws InvalidFile
 */
export function requireRow(line: number, kind: Kind, value: unknown): void {
  if (!isObject(value)) throw invalidLine(line, 'invalid_type', `${kind} must be an object`);
  const predicates: Predicates = PREDICATES[kind];
  let count = 0;
  for (const name in value) {
    const predicate = Object.hasOwn(predicates, name) ? predicates[name] : undefined;
    if (!predicate) {
      throw invalidLine(line, 'unknown_field', `${kind} has an unknown field, ${name}`);
    }
    if (!predicate(value[name])) throw invalid(line, kind, name);
    count += 1;
  }
  if (count === Object.keys(predicates).length) return;
  const missing = Object.keys(predicates).find(
    (name) => !(name in value || name in OPTIONAL[kind]),
  );
  if (missing) throw invalidLine(line, 'required', `${kind} has no ${missing}`);
}

/** Checks the fields that are there; unknown ones are ignored. @throws InvalidFile */
export function requireFields(line: number, kind: Kind, value: Fields): void {
  const predicates: Predicates = PREDICATES[kind];
  for (const name in value) {
    const predicate = Object.hasOwn(predicates, name) ? predicates[name] : undefined;
    if (predicate && !predicate(value[name])) throw invalid(line, kind, name);
  }
}

const invalid = (line: number, kind: Kind, name: string): Error =>
  invalidLine(line, 'invalid_value', `${name} of the ${kind} has no valid value`);

/** Parses the JSON object of a line. @throws InvalidFile */
export function parseLine(line: number, text: string): Fields {
  const excess = excessOf(text);
  if (excess === 'too_deep') throw invalidLine(line, excess, 'it is nested too deep');
  if (excess) throw invalidLine(line, excess, `it has more than ${MAX_VALUES} values`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidLine(line, 'malformed', 'it is not JSON');
  }
  if (!isObject(value)) throw invalidLine(line, 'malformed', 'it is not a JSON object');
  return value;
}

/** Parses a line that `requireRow` has checked; nullable fields that are missing become null. An event is no row. */
export function parseRow(
  line: number,
  text: string,
): { sprint?: SprintView; story?: StoryView; task?: TaskView } {
  const row = parseLine(line, text);
  for (const kind of ['sprint', 'story', 'task'] as const) {
    if (kind in row) row[kind] = withOptional(kind, row[kind] as Fields);
  }
  return row;
}
