import type { EventView } from '../../events/event.dto';
import type { TaskView } from '../../tasks/task.dto';
import type { StoryView } from '../../stories/story.dto';
import type { SprintView } from '../../sprints/sprint.dto';
import type { BoardView } from '../../boards/board.dto';
import { WEEKDAYS } from '../../boards/working-days';
import { EVENT_ENTITIES, EVENT_TYPES } from '../../events/event';
import { isLonger, parseDate } from '../../http/validation';
import { MAX_SEQ, MIN_SEQ, STATUSES } from '../../stories/story.entity';
import { isTimeZone } from '../../time/clock';
import { invalidLine } from './export-lines';

// The rules for the values of an export. The validation of requests takes 100 µs for a story, these rules
// take 2 µs: a file may have a million lines.

type Rule = (value: unknown) => boolean;
type Rules = Record<string, Rule>;
type Fields = Record<string, unknown>;

const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null || rule(value);

const text =
  (max: number): Rule =>
  (value) =>
    typeof value === 'string' &&
    value !== '' &&
    value.isWellFormed() &&
    !value.includes('\0') &&
    !isLonger(value, max);

const title: Rule = (value) => text(255)(value) && (value as string).trim() !== '';

const integer =
  (min: number, max: number): Rule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

const oneOf =
  (words: readonly string[]): Rule =>
  (value) =>
    (words as readonly unknown[]).includes(value);

const id = integer(1, Number.MAX_SAFE_INTEGER);
const int32 = integer(MIN_SEQ, MAX_SEQ);
const version = integer(1, MAX_SEQ);

const date: Rule = (value) =>
  typeof value === 'string' && value.length === 10 && 'value' in parseDate(value);

const INSTANT =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

// Every event has instants. Parsing them with `Date` took a third of the processor time of a restore.
const instant: Rule = (value) =>
  typeof value === 'string' &&
  INSTANT.test(value) &&
  (value.slice(8, 10) <= '28' || date(value.slice(0, 10)));

const points: Rule = (value) =>
  typeof value === 'number' &&
  value >= 0 &&
  value <= 1000 &&
  Math.round(value * 100) / 100 === value;

const listOf =
  (rule: Rule, min: number, max: number): Rule =>
  (value) =>
    Array.isArray(value) &&
    value.length >= min &&
    value.length <= max &&
    value.every(rule) &&
    new Set(value).size === value.length;

const label: Rule = (value) => text(50)(value) && (value as string).trim() !== '';

const TIMES = { created_at: instant, updated_at: instant, version };

const BOARD: Record<keyof BoardView, Rule> = {
  id,
  name: text(100),
  time_zone: (value) => typeof value === 'string' && isTimeZone(value),
  working_days: listOf(oneOf(WEEKDAYS), 1, WEEKDAYS.length),
  revision: integer(0, MAX_SEQ),
  ...TIMES,
};

const SPRINT: Record<keyof SprintView, Rule> = {
  id,
  board_name: text(100),
  name: orNull(text(100)),
  goal: orNull(text(2000)),
  start_date: date,
  end_date: orNull(date),
  // Derived from the dates, so its value is not read.
  state: (value) => typeof value === 'string',
  started_at: orNull(instant),
  completed_at: orNull(instant),
  external_id: orNull(text(100)),
  ...TIMES,
};

const STORY: Record<keyof StoryView, Rule> = {
  id,
  board_name: text(100),
  sprint_id: orNull(id),
  title,
  description: orNull(text(32_767)),
  seq: int32,
  priority: orNull(int32),
  status: oneOf(STATUSES),
  points: orNull(points),
  assignee: orNull(text(100)),
  labels: listOf(label, 0, 20),
  external_id: orNull(text(100)),
  done_at: orNull(instant),
  ...TIMES,
};

const TASK: Record<keyof TaskView, Rule> = {
  id,
  story_id: id,
  title,
  seq: int32,
  status: oneOf(STATUSES),
  assignee: orNull(text(100)),
  external_id: orNull(text(100)),
  done_at: orNull(instant),
  ...TIMES,
};

const EVENT: Record<keyof EventView, Rule> = {
  board_name: text(100),
  revision: integer(1, MAX_SEQ),
  type: oneOf(EVENT_TYPES),
  at: instant,
  actor: text(255),
  entity: oneOf(EVENT_ENTITIES),
  id,
  before: orNull(isObject),
  after: orNull(isObject),
};

export const RULES = { board: BOARD, sprint: SPRINT, story: STORY, task: TASK, event: EVENT };
export type Kind = keyof typeof RULES;

/** The nullable fields of each kind, as null. An export of an earlier version may lack some of them. */
const OPTIONAL = Object.fromEntries(
  Object.entries(RULES).map(([kind, rules]: [string, Rules]) => [
    kind,
    Object.fromEntries(
      Object.entries(rules).flatMap(([name, rule]) => (rule(null) ? [[name, null]] : [])),
    ),
  ]),
) as Record<Kind, Fields>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks that a row has the fields of its kind and no others, and that they are valid. Nullable fields are optional.
 * @throws InvalidFile
 */
export function requireRow(line: number, kind: Kind, value: unknown): void {
  if (!isObject(value)) throw invalidLine(line, 'invalid_type', `${kind} must be an object`);
  const rules: Rules = RULES[kind];
  let count = 0;
  for (const name in value) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) throw invalidLine(line, 'unknown_field', `${kind} has an unknown field, ${name}`);
    if (!rule(value[name])) throw invalid(line, kind, name);
    count += 1;
  }
  if (count === Object.keys(rules).length) return;
  const missing = Object.keys(rules).find((name) => !(name in value || name in OPTIONAL[kind]));
  if (missing) throw invalidLine(line, 'required', `${kind} has no ${missing}`);
}

/** Checks the fields that are there; unknown ones are ignored. @throws InvalidFile */
export function requireFields(line: number, kind: Kind, value: Fields): void {
  const rules: Rules = RULES[kind];
  for (const name in value) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule && !rule(value[name])) throw invalid(line, kind, name);
  }
}

const invalid = (line: number, kind: Kind, name: string): Error =>
  invalidLine(line, 'invalid_value', `${name} of the ${kind} has no valid value`);

/** Parses the JSON object of a line. @throws InvalidFile */
export function parseLine(line: number, text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidLine(line, 'malformed', 'it is not JSON');
  }
  if (!isObject(value)) throw invalidLine(line, 'malformed', 'it is not a JSON object');
  return value;
}

/** Parses a line that `requireRow` has checked; nullable fields that are missing become null. Events have no row. */
export function parseRow(
  line: number,
  text: string,
): { sprint?: SprintView; story?: StoryView; task?: TaskView } {
  const row = parseLine(line, text);
  for (const kind of ['sprint', 'story', 'task'] as const) {
    if (kind in row) row[kind] = { ...OPTIONAL[kind], ...(row[kind] as Fields) };
  }
  return row;
}
