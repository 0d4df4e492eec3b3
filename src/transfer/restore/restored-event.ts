import type { EventEntity, Fields } from '../../events/event';
import type { EventView } from '../../events/event.dto';
import { isObject } from '../../http/validation/collections';
import { ID, MAX_INT32 } from '../../http/validation/numbers';
import { fromRfc3339 } from '../../time/clock';
import { parseLine, requireFields, requireRow, withOptional } from '../export/export-validation';
import { integer, orNull } from '../export/field-predicates';
import { invalidLine } from '../files/invalid-file';
import type { FileIds } from './restore-survey';

const isVersion = integer(0, MAX_INT32);
const isSprint = orNull(integer(...ID));

/** The replacements of the ids and the name of an exported board. */
export interface Replacements {
  ids: FileIds;
  /** The sprints whose creation was read, by their ids in the file. */
  createdSprints: Set<number>;
  board: { id: number; newId: number; name: string; newName: string };
}

/**
 * The columns of an event, with the ids and the name of the new board. Only the present name of the board is
 * replaced; its earlier names stay.
 * @throws InvalidFile
 */
export function restoredEvent(
  line: number,
  text: string,
  to: Replacements,
): Record<string, unknown> {
  const { event, version, sprint_id: sprintId } = readEvent(line, text);
  const { revision, type, at, actor, entity, id } = event;
  const newId = idOf(line, entity, id, to);
  if (type === 'sprint.created') to.createdSprints.add(id);
  else if (entity === 'sprint' && !to.createdSprints.has(id)) {
    throw invalidLine(line, 'unexpected', 'the sprint of the event was not created before');
  }
  const restore = (fields: Fields | null, isElsewhere: boolean): string | null => {
    if (fields === null) return null;
    if (type === 'stories.shifted') return JSON.stringify(shifted(line, fields, to));
    // Reports rely on the fields of a new row. Of boards, logs of earlier versions lack some.
    if (type.endsWith('.created') && entity !== 'board') requireRow(line, entity, fields);
    else requireFields(line, entity, fields);
    return JSON.stringify(replaced(line, entity, fields, isElsewhere, to));
  };
  return {
    board_id: to.board.newId,
    revision,
    type,
    at: fromRfc3339(at),
    actor,
    entity,
    entity_id: newId,
    entity_version: version,
    sprint_id: sprintId === null ? null : (to.ids.sprint.get(sprintId) ?? null),
    before: restore(event.before, false),
    after: restore(event.after, type === 'story.moved_out'),
  };
}

/** @throws InvalidFile */
function readEvent(
  line: number,
  text: string,
): { event: EventView; version: number; sprint_id: number | null } {
  const { event: row, version, sprint_id, ...others } = parseLine(line, text);
  requireRow(line, 'event', row);
  const event = withOptional('event', row as Fields) as unknown as EventView;
  const isValid = isVersion(version) && isSprint(sprint_id) && Object.keys(others).length === 0;
  if (!isValid) throw invalidLine(line, 'malformed', 'the event has no valid version or sprint_id');
  requireShape(line, event);
  return { event, version: version as number, sprint_id: sprint_id as number };
}

/**
 * Checks that an event has the entity and the fields of its type, because reports rely on them.
 * @throws InvalidFile
 */
function requireShape(line: number, { type, entity, before, after }: EventView): void {
  const [of, what] = type.split('.');
  const isValid =
    (of === 'stories' ? entity === 'sprint' || entity === 'board' : entity === of) &&
    (before === null) === (what === 'created' || what === 'moved_in') &&
    (after === null) === (what === 'deleted') &&
    (type !== 'sprint.completed' || typeof after?.completed_at === 'string');
  if (!isValid) throw invalidLine(line, 'malformed', `the event is not a valid ${type}`);
}

/** @throws InvalidFile */
function idOf(
  line: number,
  entity: EventEntity,
  id: unknown,
  { ids, board }: Replacements,
): number {
  const newId =
    entity !== 'board' ? ids[entity].get(id as number) : id === board.id ? board.newId : undefined;
  if (newId === undefined) {
    throw invalidLine(line, 'not_found', `the event names a ${entity} that the file does not have`);
  }
  return newId;
}

/**
 * Replaces ids and names in place.
 * @param isElsewhere whether the fields are those on another board, which a story moved to
 */
function replaced(
  line: number,
  entity: EventEntity,
  fields: Fields,
  isElsewhere: boolean,
  to: Replacements,
): Fields {
  const { ids, board } = to;
  const { id, story_id, sprint_id, tasks } = fields;
  if (id !== undefined) fields.id = idOf(line, entity, id, to);
  if (typeof story_id === 'number') fields.story_id = idOf(line, 'story', story_id, to);
  if (typeof sprint_id === 'number') fields.sprint_id = ids.sprint.get(sprint_id) ?? null;
  if (fields.board_name === board.name && !isElsewhere) fields.board_name = board.newName;
  if (entity === 'board' && fields.name === board.name) fields.name = board.newName;
  if (Array.isArray(tasks)) {
    for (const task of tasks) replaced(line, 'task', task as Fields, false, to);
  }
  return fields;
}

/** Replaces the ids of the stories in a `stories.shifted` event. @throws InvalidFile */
function shifted(line: number, fields: Fields, to: Replacements): Fields {
  const story = (value: unknown): unknown => {
    if (!isObject(value)) throw invalidLine(line, 'invalid_value', 'the event names no story');
    return { ...value, id: idOf(line, 'story', value.id, to) };
  };
  const { first, last, except } = fields;
  return {
    ...fields,
    first: story(first),
    last: story(last),
    ...(Array.isArray(except) && { except: except.map((id) => idOf(line, 'story', id, to)) }),
  };
}
