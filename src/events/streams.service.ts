import type { BeforeApplicationShutdown } from '@nestjs/common';
import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Semaphore } from 'async-mutex';
import { setImmediate } from 'node:timers/promises';
import { In } from 'typeorm';
import { Authenticator } from '../auth/authenticator';
import { Board } from '../boards/board.entity';
import { findBoard } from '../boards/board.queries';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import { Problem } from '../http/problem';
import { BoardFeed } from './board-feed';
import type { StreamQuery } from './event.dto';
import { EventStream } from './event-stream';
import { EventsService } from './events.service';

/** Limits on the open streams of a process, and of one token or address. */
const MAX_STREAMS = 1000;
const MAX_STREAMS_OF_ONE_CLIENT = 20;

/** Maximum bytes in memory that the clients of all streams have not read. */
const MAX_UNREAD = 16 * 1024 * 1024;

/** Milliseconds between two polls for changes that other instances made, and between two checks of unread bytes. */
const POLL_MS = 500;
/** Milliseconds between two comments on a stream. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds between two checks of the tokens of open streams. */
const CHECK_MS = 10_000;

/** Pages that streams read from the database at a time, so that many resuming streams do not delay requests. */
const PAGES_AT_A_TIME = 2;

interface OpenStream {
  stream: EventStream;
  feed: BoardFeed;
  caller: Caller;
}

/** Opens and ends the streams of this process, and polls the feeds of their boards. */
@Injectable()
export class StreamsService implements BeforeApplicationShutdown {
  /** Milliseconds without traffic after which the connection of a stream is closed. */
  readonly idleMs: number;
  private readonly logger = new Logger('Streams');
  private readonly streams = new Set<OpenStream>();
  /** By the id of the board. */
  private readonly feeds = new Map<number, BoardFeed>();
  private readonly pages = new Semaphore(PAGES_AT_A_TIME);
  private isPolling = false;
  private isClosing = false;

  constructor(
    private readonly events: EventsService,
    private readonly database: Database,
    private readonly authenticator: Authenticator,
    unitOfWork: UnitOfWork,
    config: Config,
  ) {
    this.idleMs = HEARTBEAT_MS + config.readerTimeoutMs;
    unitOfWork.commits.on('board', (id) => {
      const feed = this.feeds.get(id);
      if (feed) void this.wake(feed);
    });
  }

  beforeApplicationShutdown(): void {
    this.close();
  }

  /** Number of open streams. */
  get count(): number {
    return this.streams.size;
  }

  /**
   * Opens a stream of a board.
   * @throws Problem `board_not_found`, `too_many_streams`, `overloaded`, `shutting_down`
   */
  async open(
    boardName: string,
    { after, board_id, type }: StreamQuery,
    caller: Caller,
  ): Promise<EventStream> {
    const { id, name, revision } = await findBoard(this.database, boardName);
    if (board_id !== undefined && board_id !== id) throw new Problem('board_not_found');
    // From here on nothing is awaited, so the limits hold.
    this.requireFree(caller);
    const known = this.feeds.get(id);
    const feed = known && !known.hasEnded ? known : this.watch(id, name, revision);
    const stream = new EventStream(
      feed,
      revision,
      after ?? revision,
      type && new Set(type.filter((each) => each !== null)),
      (from) =>
        this.pages.runExclusive(async () => {
          const events = await feed.page(from);
          // Serves other requests: SQLite reads without leaving the current turn of the event loop.
          await setImmediate();
          return events;
        }),
    );
    const open: OpenStream = { stream, feed, caller };
    this.streams.add(open);
    stream.once('close', () => this.forget(open));
    return stream;
  }

  /** Ends all streams and opens no more. */
  close(): void {
    this.isClosing = true;
    for (const { stream } of this.streams) stream.end();
  }

  /** Polls the watched boards for changes that other instances made. */
  @Interval(POLL_MS)
  async poll(): Promise<void> {
    if (this.feeds.size === 0 || this.isPolling) return;
    this.isPolling = true;
    try {
      await this.pollAll([...this.feeds.values()]);
    } catch (error) {
      // While the database is unavailable, streams stay open.
      this.database.logFailure(this.logger, error);
    } finally {
      this.isPolling = false;
    }
  }

  @Interval(HEARTBEAT_MS)
  heartbeat(): void {
    for (const { stream } of this.streams) stream.heartbeat();
  }

  /**
   * Disconnects the clients that are furthest behind, if all have too many unread bytes; they resume later. Those
   * that catch up are disconnected first, because live streams of one board share their bytes.
   */
  @Interval(POLL_MS)
  limitUnread(): void {
    let total = 0;
    const shared = new Map<BoardFeed, number>();
    const unread = ({ stream }: OpenStream): number => stream.readableLength;
    const open = [...this.streams].sort((a, b) => unread(a) - unread(b));
    const live = open.filter(({ stream }) => stream.isLive);
    for (const { stream, feed } of new Set([...live, ...open])) {
      const { isLive, readableLength } = stream;
      const added = readableLength - (isLive ? (shared.get(feed) ?? 0) : 0);
      if (total + added > MAX_UNREAD) stream.destroy();
      else {
        total += added;
        if (isLive) shared.set(feed, readableLength);
      }
    }
  }

  /** Ends the streams of clients that may no longer read their board. */
  @Interval(CHECK_MS)
  async checkAccess(): Promise<void> {
    if (this.streams.size === 0) return;
    try {
      const suspects = await this.denied([...this.streams]);
      if (suspects.length === 0) return;
      // Renaming a board changes its tokens, too, and the feed may not have the new name yet.
      await this.pollAll(suspects.map(({ feed }) => feed));
      for (const { stream } of await this.denied(suspects)) stream.end();
    } catch (error) {
      this.database.logFailure(this.logger, error);
    }
  }

  /** Returns the streams whose clients may not read their board. */
  private async denied(open: readonly OpenStream[]): Promise<OpenStream[]> {
    const current = await this.authenticator.currentAccess(open.map(({ caller }) => caller));
    return open.filter(({ feed }, i) => {
      const access = current[i];
      return !access || !maySee(access, feed.boardName);
    });
  }

  private requireFree({ clientKey }: Caller): void {
    if (this.isClosing) throw new Problem('shutting_down');
    if (this.streams.size >= MAX_STREAMS) throw new Problem('overloaded');
    let own = 0;
    for (const { caller } of this.streams) if (caller.clientKey === clientKey) own += 1;
    if (own >= MAX_STREAMS_OF_ONE_CLIENT) throw new Problem('too_many_streams');
  }

  private watch(id: number, name: string, revision: number): BoardFeed {
    const feed = new BoardFeed(id, name, revision, (after) => this.events.page(id, after));
    this.feeds.set(id, feed);
    // A change may have been committed since the revision was read.
    void this.wake(feed);
    return feed;
  }

  private forget(open: OpenStream): void {
    this.streams.delete(open);
    const { feed } = open;
    for (const other of this.streams) if (other.feed === feed) return;
    if (this.feeds.get(feed.boardId) === feed) this.feeds.delete(feed.boardId);
  }

  private async wake(feed: BoardFeed): Promise<void> {
    try {
      await feed.wake();
    } catch (error) {
      // The next poll reads on.
      this.database.logFailure(this.logger, error);
    }
  }

  private async pollAll(feeds: readonly BoardFeed[]): Promise<void> {
    const known = feeds.map(({ revision }) => revision);
    const rows = await this.database.read(() =>
      this.database.dataSource.getRepository(Board).find({
        select: { id: true, name: true, revision: true },
        where: { id: In(feeds.map(({ boardId }) => boardId)) },
      }),
    );
    const boards = new Map(rows.map((row) => [row.id, row]));
    await Promise.all(
      feeds.map(async (feed, i) => {
        const board = boards.get(feed.boardId);
        // The board was deleted with its log, or a restored backup ends before the events that were sent.
        if (!board || board.revision < (known[i] ?? 0)) {
          feed.end();
          return;
        }
        feed.boardName = board.name ?? feed.boardName;
        if (board.revision > feed.revision) await this.wake(feed);
      }),
    );
  }
}
