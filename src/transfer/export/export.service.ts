import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { collectionTag, findBoard, representBoard } from '../../boards/board.queries';
import type { BoardRow } from '../../database/board-row';
import { Database } from '../../database/database';
import type { Reader } from '../../database/reader';
import type { StoredEvent } from '../../events/event.queries';
import { findEventsAfter } from '../../events/event.queries';
import { GrowingPartSize, inParts } from '../../http/responses/parts';
import type { StreamedContent } from '../../http/responses/stream';
import { StreamedAnswer } from '../../http/responses/stream';
import type { StoryWithTasks } from '../../sprints/sprint.dto';
import type { SprintRow } from '../../sprints/sprint.queries';
import { representSprint, SprintQueries } from '../../sprints/sprint.queries';
import { findStories, findStoryIdsAfter } from '../../stories/story.queries';
import { findTasksOfStories, withTasks } from '../../tasks/task.queries';
import { calendarDate, Clock, toRfc3339 } from '../../time/clock';
import { EXPORT_MEDIA_TYPE, EXPORT_VERSION, lastLine, lineOf } from './export-format';

/** Rows of a part, at most. */
const MAX_ROWS = 500;
/** Ids of stories that are read at once. */
const MAX_IDS = 20_000;

/** Exports boards. */
@Injectable()
export class ExportService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sprints: SprintQueries,
  ) {}

  /** A board as NDJSON, with all of its rows and, with `log`, its events. @throws Problem `board_not_found` */
  async export(boardName: string, { log = false }: { log?: boolean }): Promise<StreamedAnswer> {
    const board = await findBoard(this.database, boardName);
    return new StreamedAnswer(
      this.database,
      this.tagOf(board, log, this.clock.now()),
      board.revision,
      (snapshot) => this.read(snapshot, boardName, log),
      {
        'Content-Type': EXPORT_MEDIA_TYPE,
        'Content-Disposition': attachment(`${boardName}${log ? '-with-history' : ''}.ndjson`),
      },
    );
  }

  /** The content of an export. @throws Problem `board_not_found` */
  async read(snapshot: Reader, boardName: string, log: boolean): Promise<StreamedContent> {
    const board = await findBoard(snapshot, boardName);
    const now = this.clock.now();
    const parts = signed(this.lines(snapshot, board, log, now));
    return { etag: this.tagOf(board, log, now), revision: board.revision, parts };
  }

  /** Returns the entity tag of an export. It has the day, because the state of a sprint depends on it. */
  private tagOf(board: BoardRow, log: boolean, now: Date): string {
    const today = calendarDate(now, board.time_zone);
    return collectionTag(board, today, log ? 'export-with-log' : 'export');
  }

  private async *lines(
    reader: Reader,
    board: BoardRow,
    log: boolean,
    now: Date,
  ): AsyncGenerator<string> {
    const { revision } = board;
    yield lineOf({
      sprintline_export: EXPORT_VERSION,
      board: representBoard(board),
      revision,
      log,
    });
    yield* inParts<SprintRow>({
      size: new GrowingPartSize(MAX_ROWS),
      read: (last, limit) => this.sprints.findAfter(reader, board.id, last?.id ?? 0, limit),
      write: (row) => lineOf({ sprint: representSprint(row, now) }),
    });
    yield* inParts({
      size: new GrowingPartSize(MAX_ROWS),
      read: storiesOf(reader, board.id),
      write: ({ tasks, ...story }) =>
        [lineOf({ story }), ...tasks.map((task) => lineOf({ task }))].join(''),
    });
    if (!log) return;
    yield* inParts<StoredEvent>({
      size: new GrowingPartSize(MAX_ROWS),
      read: (last, limit) => findEventsAfter(reader, board.id, last?.revision ?? 0, limit),
      write: (event) => eventLine(board.name, event),
    });
  }
}

/** Reads the stories of a board in the order of their ids, which are sorted many at a time. */
function storiesOf(
  reader: Reader,
  boardId: number,
): (last: StoryWithTasks | undefined, limit: number) => Promise<StoryWithTasks[]> {
  let ids: number[] = [];
  let next = 0;
  let isLast = false;
  return async (last, limit) => {
    const after = last?.id ?? 0;
    while ((ids[next] ?? Infinity) <= after) next += 1;
    if (ids.length - next < limit && !isLast) {
      next = 0;
      ids = await findStoryIdsAfter(reader, boardId, after, MAX_IDS);
      isLast = ids.length < MAX_IDS;
    }
    const wanted = ids.slice(next, next + limit);
    const stories = await findStories(reader, boardId, wanted);
    const tasks = await findTasksOfStories(reader, wanted);
    return withTasks(
      stories.sort((a, b) => a.id - b.id),
      tasks,
    );
  };
}

/** Writes an event without parsing `before` and `after`, which are JSON: a million events would take seconds. */
function eventLine(board_name: string, row: StoredEvent): string {
  const { revision, type, at, actor, entity, entity_id: id } = row;
  const event = JSON.stringify({
    board_name,
    revision,
    type,
    at: toRfc3339(at),
    actor,
    entity,
    id,
  });
  const { before, after, entity_version: version, sprint_id } = row;
  return (
    `{"event":${event.slice(0, -1)},"before":${before},"after":${after}},` +
    `"version":${version},"sprint_id":${sprint_id}}\n`
  );
}

/** Adds the last line, by which an import recognises a file that was cut or changed. */
async function* signed(parts: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let lines = 0;
  for await (const part of parts) {
    hash.update(part);
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) lines += 1;
    yield part;
  }
  yield lastLine({ lines, sha256: hash.digest('hex') });
}

/** The header for a file to save (RFC 6266), with characters that every system accepts in names. */
function attachment(name: string): string {
  const safe = name.replace(/[^\p{L}\p{M}\p{N} ._-]/gu, '_').replace(/^[ .]+/, '_');
  const ascii = safe.replace(/[^ -~]/g, '_');
  const encoded = encodeURIComponent(safe);
  return `attachment; filename="${ascii}"${ascii === safe ? '' : `; filename*=UTF-8''${encoded}`}`;
}
