import { isObject } from '../../http/validation/collections';
import { EXPORT_VERSION } from '../export/export-format';
import type { ExportHeader } from '../export/export-format';
import { linesOf } from '../export/export-lines';
import { parseLine, requireRow, withOptional } from '../export/export-validation';
import { InvalidFile, invalidLine } from '../files/invalid-file';
import { Ids } from './ids';

/** The ids in a file, including the ids of deleted rows. */
export type FileIds = Record<'sprint' | 'story' | 'task', Ids>;

/** The result of reading an export to its end. */
export interface Survey {
  header: ExportHeader;
  lines: number;
  counts: Record<LineKind, number>;
  ids: FileIds;
}

/** The kinds of lines in their order; the tasks of a story follow it. */
const ORDER = { sprint: 1, story: 2, task: 2, event: 3 };
type LineKind = keyof typeof ORDER;

const isLineKind = (name: string): name is LineKind => Object.hasOwn(ORDER, name);

/**
 * The beginning of an event as an export writes it: its revision, type, entity and id. Parsing a million
 * events as JSON takes seconds.
 */
const EVENT =
  /^\{"event":\{"board_name":"(?:[^"\\]|\\.)*","revision":(\d+),"type":"([\w.]+)","at":"[^"\\]*","actor":"(?:[^"\\]|\\.)*","entity":"(\w+)","id":(\d+),/;

/**
 * Reads an export to its end, and checks its checksum, its rows and the order of its lines.
 * @throws InvalidFile
 */
export async function survey(file: AsyncIterable<Buffer>): Promise<Survey> {
  let reader: LineReader | undefined;
  for await (const { first, texts } of linesOf(file)) {
    for (const [i, text] of texts.entries()) {
      if (reader) reader.read(first + i, text);
      else reader = new LineReader(readHeader(text));
    }
  }
  if (!reader) throw new InvalidFile('The file is empty.');
  const { header, counts, ids, lines } = reader.survey;
  if (header.log && counts.event < header.revision) {
    const detail = `the log ends at the revision ${counts.event}; that of the board is ${header.revision}`;
    throw invalidLine(lines + 1, 'cut', detail);
  }
  for (const each of Object.values(ids)) each.freeze();
  return reader.survey;
}

/** @throws InvalidFile */
function readHeader(text: string): ExportHeader {
  const header = parseLine(1, text);
  const { sprintline_export: version, board, revision, log, ...others } = header;
  if (!Number.isInteger(version)) {
    throw invalidLine(1, 'malformed', 'this is not the first line of an export of a board');
  }
  if (version !== EXPORT_VERSION) {
    const detail = `the export has version ${String(version)}, which a later program has written`;
    throw invalidLine(1, 'unknown_version', detail);
  }
  requireRow(1, 'board', board);
  const { revision: ofBoard } = board as ExportHeader['board'];
  // The log of a board begins with its creation.
  const isComplete = log === false || (log === true && ofBoard > 0);
  if (!isComplete || revision !== ofBoard || Object.keys(others).length > 0) {
    throw invalidLine(1, 'malformed', 'the header is not that of an export');
  }
  return header as unknown as ExportHeader;
}

/** Checks the lines of an export after the first one, and collects their ids. */
class LineReader {
  readonly survey: Survey;
  private order = 0;
  private readonly last = { sprint: 0, story: 0 };
  private readonly sprintIds = new Set<number>();
  /** The external ids of the sprints, and of the tasks of the last story. Those of stories are unique in the database. */
  private readonly externalIds = { sprint: new Set<unknown>(), task: new Set<unknown>() };

  constructor(header: ExportHeader) {
    const counts = { sprint: 0, story: 0, task: 0, event: 0 };
    const ids = { sprint: new Ids(), story: new Ids(), task: new Ids() };
    this.survey = { header, lines: 1, counts, ids };
  }

  read(line: number, text: string): void {
    const { header } = this.survey;
    this.survey.lines = line;
    const event = EVENT.exec(text);
    if (event && !/^story\.moved_(in|out)$/.test(event[2] as string)) {
      this.requireOrder(line, 'event');
      this.readEvent(line, Number(event[1]), event[3] as string, Number(event[4]));
    } else {
      const { kind, value } = kindOf(line, text);
      this.requireOrder(line, kind);
      requireRow(line, kind, value);
      this.readRow(line, kind, withOptional(kind, value));
    }
    if (this.order === ORDER.event && !header.log) {
      throw invalidLine(line, 'unexpected', 'an export without the log has no events');
    }
  }

  private requireOrder(line: number, kind: LineKind): void {
    if (ORDER[kind] < this.order) {
      throw invalidLine(line, 'unexpected', `the ${kind} is not in the order of an export`);
    }
    this.order = ORDER[kind];
    this.survey.counts[kind] += 1;
  }

  private readRow(line: number, kind: LineKind, value: Record<string, unknown>): void {
    const { ids } = this.survey;
    const id = value.id as number;
    if (kind === 'event') {
      this.readEvent(line, value.revision as number, value.entity as string, id);
      const { tasks, sprint_id: sprintId } = (value.after ?? {}) as Record<string, unknown>;
      // A sprint of another board gets an unused id, like a deleted sprint.
      if (typeof sprintId === 'number') ids.sprint.add(sprintId);
      for (const task of Array.isArray(tasks) ? (tasks as unknown[]) : []) {
        requireRow(line, 'task', task);
        ids.task.add((task as { id: number }).id);
      }
      return;
    }
    const isNew = ids[kind].add(id);
    if (kind === 'task') {
      if (!isNew) throw invalidLine(line, 'duplicate', 'another task has this id');
      if (value.story_id !== this.last.story) {
        throw invalidLine(line, 'unexpected', 'the task does not follow its story');
      }
      this.requireNewExternalId(line, kind, value);
      requireDone(line, value);
      return;
    }
    this.requireAscending(line, kind, id);
    if (kind === 'sprint') {
      this.sprintIds.add(id);
      this.requireNewExternalId(line, kind, value);
      if (value.end_date !== null && (value.end_date as string) < (value.start_date as string)) {
        throw invalidLine(line, 'out_of_range', 'end_date must not be before start_date');
      }
      return;
    }
    this.externalIds.task.clear();
    requireDone(line, value);
    if (value.sprint_id !== null && !this.sprintIds.has(value.sprint_id as number)) {
      throw invalidLine(line, 'not_found', 'the sprint of the story is not in the file');
    }
  }

  private readEvent(line: number, revision: number, entity: string, id: number): void {
    const { counts, ids } = this.survey;
    if (revision !== counts.event) {
      const detail = `the event has the revision ${revision}, but is number ${counts.event} of the log`;
      throw invalidLine(line, 'unexpected', detail);
    }
    if (revision > this.survey.header.revision) {
      throw invalidLine(line, 'out_of_range', 'the board has no event of this revision');
    }
    if (entity === 'sprint' || entity === 'story' || entity === 'task') ids[entity].add(id);
  }

  private requireNewExternalId(
    line: number,
    kind: 'sprint' | 'task',
    { external_id: id }: Record<string, unknown>,
  ): void {
    if (id === null) return;
    const known = this.externalIds[kind];
    if (known.has(id)) throw invalidLine(line, 'duplicate', `another ${kind} has this external_id`);
    known.add(id);
  }

  private requireAscending(line: number, kind: 'sprint' | 'story', id: number): void {
    if (id <= this.last[kind]) {
      throw invalidLine(
        line,
        'unexpected',
        `the ${kind} does not have a greater id than the one before it`,
      );
    }
    this.last[kind] = id;
  }
}

/** Parses a line after the header. @throws InvalidFile */
function kindOf(line: number, text: string): { kind: LineKind; value: Record<string, unknown> } {
  const value = parseLine(line, text);
  if ('end' in value) throw invalidLine(line, 'unexpected', 'the export goes on after its end');
  const [kind = '', ...others] = Object.keys(value);
  if (!isLineKind(kind) || (kind !== 'event' && others.length > 0) || !isObject(value[kind])) {
    throw invalidLine(line, 'malformed', 'it is neither a sprint, a story, a task nor an event');
  }
  return { kind, value: value[kind] };
}

/** @throws InvalidFile */
function requireDone(line: number, { status, done_at }: Record<string, unknown>): void {
  if ((status === 'done') !== (done_at !== null)) {
    throw invalidLine(line, 'invalid_value', 'done_at must be set where the status is done');
  }
}
