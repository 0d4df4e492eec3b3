import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { collectionTag, findBoard, findRevision } from '../boards/board.queries';
import type { BoardRow } from '../database/board-row';
import { Database } from '../database/database';
import type { Reader } from '../database/reader';
import type { Client } from '../http/client';
import { Problem } from '../http/problem';
import type { Answer } from '../http/responses/answer';
import { CachedAnswer } from '../http/responses/answer';
import type { StreamedContent } from '../http/responses/stream';
import { StreamedAnswer } from '../http/responses/stream';
import type { StoryView } from '../stories/story.dto';
import { findStoriesOfSprint } from '../stories/story.queries';
import { findTasksAtRevision, withTasks } from '../tasks/task.queries';
import { calendarDate, Clock } from '../time/clock';
import { partsOfSprint } from './long-sprint';
import type { SprintInFullView } from './sprint.dto';
import type { Relative } from './sprint.queries';
import { representSprint, SprintQueries } from './sprint.queries';

/** Bytes of all cached answers together. */
const MAX_BYTES = 32 * 1024 * 1024;
/**
 * Bytes of one cached answer, and of all answers that are buffered for the cache while they are streamed; a slow
 * client may take minutes.
 */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The most stories, tasks, and bytes of JSON, of a sprint that is read at once; a longer sprint is streamed. */
const STORIES_AT_ONCE = 100;
const TASKS_AT_ONCE = 5000;
const BYTES_AT_ONCE = 1024 * 1024;
/** How many stories of a sprint are read to estimate its length, if that is unknown. */
const PROBE_STORIES = 4;

/**
 * The current, next and previous sprint with all stories and tasks: the most frequent request of wall
 * displays, and the most expensive one to build.
 *
 * An answer is cached under its entity tag, in which are the board's id and revision, the day in its time
 * zone, and the word of the path. An answer depends on nothing else: each change of a row raises the
 * revision of its board in the same transaction, and derived fields depend on the day only.
 * Each request reads the row of the board, so a cached answer is never stale, whichever instance made
 * a change, and no entry has to be invalidated.
 */
@Injectable()
export class SprintsInFull {
  private readonly answers = new LRUCache<string, CachedAnswer>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ANSWER_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });
  private keptBytes = 0;
  /** The entity tags of the answers that are being kept. */
  private readonly keeping = new Set<string>();
  /** Whether a sprint is streamed, by its id; kept so that not every request estimates the length of the sprint. */
  private readonly isLong = new LRUCache<number, boolean>({ max: 10_000 });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sprints: SprintQueries,
  ) {}

  /**
   * The JSON of a `SprintInFullView`.
   * @throws Problem `board_not_found`, `no_current_sprint`, `no_next_sprint`, `no_previous_sprint`
   */
  async find(client: Client, boardName: string, which: Relative): Promise<Answer> {
    const read = async (reader: Reader): Promise<Answer | undefined> =>
      this.read(reader, await findBoard(reader, boardName), which);
    const answer =
      (await read(this.database)) ??
      (await read(this.database)) ??
      // The board changed during both reads; in a snapshot it cannot.
      (await this.database.snapshot(client, read));
    if (!answer) throw new Error('a snapshot changed while it was read');
    return answer;
  }

  /**
   * Reads without a transaction, which would cost as many round trips as the statements do. No
   * statement sees an older state than the statement before it. So if the last statement finds the
   * revision that the first one found, all statements saw the same state.
   * @returns undefined if the board changed meanwhile
   */
  private async read(
    reader: Reader,
    board: BoardRow,
    which: Relative,
  ): Promise<Answer | undefined> {
    const now = this.clock.now();
    const etag = collectionTag(board, calendarDate(now, board.time_zone), which);
    const cached = this.answers.get(etag);
    if (cached) return cached;
    const sprint = await this.sprints.findRelative(reader, board, which, now);
    const stories = sprint ? await this.readShort(reader, board.id, sprint.id) : [];
    const ids = stories?.map(({ id }) => id) ?? [];
    const tasks = await findTasksAtRevision(reader, board, ids, TASKS_AT_ONCE + 1);
    if (sprint && tasks.length > TASKS_AT_ONCE) this.isLong.set(sprint.id, true);
    if (!stories || tasks.length > TASKS_AT_ONCE) {
      const build = (snapshot: Reader): Promise<StreamedContent> =>
        this.readLong(snapshot, board.name, which);
      return new StreamedAnswer(this.database, etag, board.revision, build);
    }
    // If a task was read, the board still has this revision; without tasks it must be checked.
    if (tasks.length === 0) {
      const { revision } = await findRevision(reader, board.id);
      if (revision !== board.revision) return undefined;
    }
    if (!sprint) throw new Problem(`no_${which}_sprint`);
    const full: SprintInFullView = Object.assign(representSprint(sprint, now), {
      stories: withTasks(stories, tasks),
    });
    const bytes = Buffer.from(`${JSON.stringify(full)}\n`);
    this.isLong.set(sprint.id, bytes.length > BYTES_AT_ONCE);
    const answer = new CachedAnswer(etag, board.revision, bytes);
    this.answers.set(etag, answer);
    return answer;
  }

  /** Reads the stories of a sprint; undefined if the sprint must be streamed. */
  private async readShort(
    reader: Reader,
    boardId: number,
    id: number,
  ): Promise<StoryView[] | undefined> {
    const read = (limit: number): Promise<StoryView[]> =>
      findStoriesOfSprint(reader, boardId, id, limit);
    if (!this.isLong.has(id)) {
      const first = await read(PROBE_STORIES);
      if (first.length < PROBE_STORIES) return first;
      const length = (Buffer.byteLength(JSON.stringify(first)) * STORIES_AT_ONCE) / PROBE_STORIES;
      this.isLong.set(id, length > BYTES_AT_ONCE);
    }
    if (this.isLong.get(id)) return undefined;
    const stories = await read(STORIES_AT_ONCE + 1);
    if (stories.length <= STORIES_AT_ONCE) return stories;
    this.isLong.set(id, true);
    return undefined;
  }

  /** Reads a long sprint in parts, and caches them unless they are too long. */
  private async readLong(
    reader: Reader,
    boardName: string,
    which: Relative,
  ): Promise<StreamedContent> {
    const board = await findBoard(reader, boardName);
    const now = this.clock.now();
    const etag = collectionTag(board, calendarDate(now, board.time_zone), which);
    const sprint = await this.sprints.getRelative(reader, board, which, now);
    let stories = 0;
    const parts = partsOfSprint(
      reader,
      board.id,
      representSprint(sprint, now),
      () => (stories += 1),
    );
    const { revision } = board;
    const keep = (bytes: Buffer): void => {
      this.isLong.set(sprint.id, stories > STORIES_AT_ONCE || bytes.length > BYTES_AT_ONCE);
      this.answers.set(etag, new CachedAnswer(etag, revision, bytes));
    };
    return { etag, revision, parts: this.keepingParts(etag, parts, keep) };
  }

  /** Yields the parts of an answer and, after the last one, calls `keep` with all of them unless they are too long. */
  private async *keepingParts(
    etag: string,
    parts: AsyncGenerator<string>,
    keep: (bytes: Buffer) => void,
  ): AsyncGenerator<string> {
    // If several clients read the same sprint, only the answer to the first one is kept.
    let kept: Buffer[] | undefined = this.keeping.has(etag) ? undefined : [];
    let size = 0;
    const discard = (): void => {
      if (kept) this.keeping.delete(etag);
      this.keptBytes -= size;
      kept = undefined;
      size = 0;
    };
    if (kept) this.keeping.add(etag);
    try {
      for await (const part of parts) {
        if (kept) {
          const bytes = Buffer.from(part);
          kept.push(bytes);
          size += bytes.length;
          this.keptBytes += bytes.length;
          if (this.keptBytes > MAX_ANSWER_BYTES) discard();
        }
        yield part;
      }
      if (kept) keep(Buffer.concat(kept));
    } finally {
      discard();
    }
  }
}
