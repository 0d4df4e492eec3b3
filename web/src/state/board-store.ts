import type { ReadonlySignal } from '@preact/signals';
import { batch, computed, effect, signal } from '@preact/signals';
import { api, headersOf, lastWrite } from '../api/client';
import { ApiError, isTemporary } from '../api/problem';
import { openStream } from '../api/stream';
import type { Board, Event, Sprint, Story, Task } from '../api/types';
import { isKnownZone, todayIn } from '../util/calendar';
import { afterFrame, backoff, Pause } from '../util/retry';
import { alertError, announce, announceOther, report, toast } from './announce';
import type { Change, Move, Outcome } from './changes/change';
import { asDone, kindOf } from './changes/kinds';
import type { Target } from './changes/rows';
import { createdBy, entityOf, hasFields, rowOf, storiesOfChange, targetOf } from './changes/rows';
import { applyEvent, describeEvent } from './events';
import type { BoardState, Card, ListId } from './model';
import {
  bySeq,
  CARD_FIELDS,
  findSprint,
  withoutStory,
  withStory,
  withTask,
  withTasks,
} from './model';
import { deleteSnapshot, Outbox, readSnapshot, writeSnapshot } from './changes/outbox';
import type { Conflict } from './changes/conflict';
import { StoryChanged } from './changes/conflict';
import type { Pending } from './changes/pending';
import { ChangeQueue } from './changes/queue';
import { expire, signedIn } from './session';

/** The reason why a board cannot be shown. */
export type Failure = { status: number; detail: string };

/** A confirmed change, and the state before its first attempt. */
interface Sent {
  outcome: Outcome;
  before: BoardState;
}

/** A place in the order of a list. */
interface Place {
  seq: number;
  id: number;
}

/** The loaded beginning of a list. */
interface Part {
  pages: number;
  cursor: string;
  /** The last story of the last page. */
  edge: Place;
  /** How many stories come after it. */
  rest: number;
}

const PAGE_SIZE = 500;
const MAX_ATTEMPTS = 5;
const REREADS = 5;
const ALL_FIELDS = CARD_FIELDS.join(',');
/** A snapshot of 10,000 stories keeps the page busy for 50 ms. */
const SNAPSHOT_MS = 100;
const SNAPSHOT_MS_PER_STORY = 0.2;
const TODAY_MS = 15_000;
/** Milliseconds within which the events of a write outside the queue arrive. */
const WRITE_MS = 3000;

/** An entity tag that no row has, so that only a response stored under the idempotency key is returned. */
const NO_ROW = '"already-sent"';

/**
 * One board in this browser: `base` is the state that the service has confirmed, by responses and by the live
 * stream; `view` is `base` with the pending changes of the user applied.
 */
export class BoardStore {
  readonly failure = signal<Failure | null>(null);
  readonly isLive = signal(false);
  /** Whether the last read failed because the service cannot be reached. */
  readonly isCutOff = signal(false);
  /** The lists whose stories are all loaded. */
  readonly lists = signal<ReadonlySet<ListId>>(new Set());
  /** The loaded part of the backlog; null if none or all of it is loaded. */
  readonly part = signal<Part | null>(null);
  /** The revision of the last event that was applied. */
  readonly revision = signal(0);
  /** The number of times that the whole board was read again; a story that is open must then be read again, too. */
  readonly reads = signal(0);
  /** Today in the time zone of the board. */
  readonly today = signal('');
  /** The stories that this page has created. */
  readonly written = new Set<number>();
  /** Their ids by the negative ones that they had before. */
  readonly created = new Map<number, number>();
  readonly base = signal<BoardState | null>(null);
  readonly queue: ChangeQueue;
  readonly view = computed<BoardState | null>(() => {
    let state = this.base.value;
    if (!state) return null;
    for (const { change } of this.queue.pending.value) state = kindOf(change).apply(state, change);
    return state;
  });
  /** The stories with changes that wait for a connection. */
  readonly unsaved = computed<ReadonlySet<number>>(() => {
    if (!this.queue.isOffline.value) return NONE;
    return new Set(this.queue.pending.value.flatMap(({ change }) => storiesOfChange(change)));
  });

  /** The revision at which each row was read, if it was later than the revision of the state. */
  private readonly readAt = new Map<string, number>();
  private readonly etags = new Map<string, { version: number; etag: string }>();
  private readonly outbox: Outbox;
  private readonly pause = new Pause();
  /** The time zone for which `today` was computed. */
  private zone = '';
  private readonly loading = new Map<ListId, Promise<void>>();
  private readonly cleanups: (() => void)[] = [];
  /** Events that arrived during a request and must be applied after its response. */
  private held: Event[] = [];
  /** The reasons to hold events. */
  private holds = new Set<string>();
  /** Whether the stream was reset since the board was read. */
  private isOutdated = false;
  private pagingAgain?: ReturnType<typeof setTimeout>;
  /** The last read of pages of the backlog. */
  private paging: Promise<unknown> = Promise.resolve();
  private nextPage?: Promise<void>;
  private attempt?: { key: string; before: BoardState };
  /** The stories read before the whole board was read again; even a lower version now replaces them. */
  private stale = new Set<number>();
  private readonly isClosed = signal(false);
  /** The sprint whose stories are read with the board. */
  private first?: string;
  /** Whether the lists were read since the board was; until then, they may be older than `revision`. */
  private readonly isCurrent = signal(false);

  /**
   * @param actor the name of the user; unsaved changes of other users are not sent
   * @param onRenamed called when the board was renamed
   */
  constructor(
    public name: string,
    private readonly actor: string,
    private readonly onRenamed: (from: string, to: string) => void,
  ) {
    this.outbox = new Outbox(actor, (entries) => this.queue.adopt(entries));
    this.queue = new ChangeQueue({
      base: () => this.require(),
      revision: () => this.revision.value,
      commit: (outcome, change) => this.commit(outcome, change),
      shown: afterFrame,
      send: (pending, isRepeated) => this.send(pending, isRepeated),
      onSettled: () => {
        // After the queue has applied the response to the state.
        setTimeout(() => this.release('creation'));
      },
      onRejected: (label, error, lost) => {
        const also = lost.length > 0 ? ` Also not saved: ${lost.join('; ')}.` : '';
        alertError(`Not saved: ${label}. ${error.message}${also}`);
      },
      save: (entries) => void this.outbox.save(entries),
      remove: (entries) => void this.outbox.remove(entries),
    });
  }

  /**
   * Loads the board and its sprints and follows its stream. Without a connection, it shows the stored snapshot
   * and tries again.
   * @param sprint the id of the sprint that is shown, or a word such as `current`; its stories are loaded, too
   */
  async open(sprint?: string): Promise<void> {
    this.first = sprint;
    window.addEventListener('online', this.wake);
    document.addEventListener('visibilitychange', this.wake);
    this.cleanups.push(() => {
      window.removeEventListener('online', this.wake);
      document.removeEventListener('visibilitychange', this.wake);
    });
    try {
      await this.insist(
        () => this.reload(),
        () => this.showSnapshot(),
      );
    } catch (error) {
      this.fail(error);
      return;
    }
    this.keepSnapshots();
    this.watchToday();
    void this.outbox.adopt(this.require().board.id);
    let asked = this.name;
    const stream = openStream(
      () => (asked = this.name),
      () => this.revision.value,
      {
        onState: (isOpen) => this.onStreamState(isOpen),
        onEvent: (type, _id, data) => this.onStreamEvent(type, data),
        onGone: async (error) => {
          if (error.status === 401) {
            expire();
            await signedIn();
            return true;
          }
          if (error.code === 'route_not_found') return false;
          if (await this.insist(() => this.followRename(asked))) return true;
          this.fail(
            new ApiError(
              error.status,
              error.code,
              'This board was deleted, or you no longer have access to it.',
            ),
          );
          return false;
        },
      },
    );
    this.cleanups.push(() => stream.stop());
  }

  /** Stops reading. Pending changes are sent now, or else kept for the next page that opens the board. */
  close(): void {
    this.isClosed.value = true;
    for (const cleanup of this.cleanups.splice(0)) cleanup();
    this.pause.end();
    void this.queue.drained().then(() => {
      this.queue.stop();
      this.outbox.close();
    });
  }

  /**
   * Makes the changes of one gesture. They are shown at once and sent in order.
   * @param options.seen the version of the row that the user saw, if it is not the present one
   * @param options.label the label of the gesture, if it is not that of its last change
   */
  change(
    changes: readonly Change[],
    options: { isQuiet?: boolean; seen?: number; label?: string } = {},
  ): void {
    const view = this.view.value;
    if (!view || changes.length === 0) return;
    const label = this.queue.push(changes, view, { seen: options.seen, label: options.label });
    const done = asDone(label);
    announce(done);
    if (!options.isQuiet) toast(done, { action: { name: 'Undo', run: () => this.undo() } });
  }

  /** Undoes the last gesture: at once if nothing of it was sent, else when the service has confirmed it. */
  undo(): void {
    const pending = this.queue.lastPending();
    if (pending !== undefined) {
      if (this.queue.withdraw(pending.group)) report(`Undone: ${pending.label}`);
      else this.queue.onceConfirmed(pending.group, () => this.undo());
      return;
    }
    const view = this.view.value;
    const last = this.queue.undo.take();
    if (!view || !last) {
      report('Nothing to undo');
      return;
    }
    const changed = last.effects.find((each) => {
      const row = rowOf(view, each);
      return !row || !hasFields(row, each.set);
    });
    if (changed) {
      const row = rowOf(view, changed);
      const why = row ? `“${row.title}” was changed since.` : 'It is no longer on the board.';
      alertError(`Not undone: ${last.label}. ${why}`);
      return;
    }
    this.queue.push(last.changes, view, { isUndo: true, label: `Undo (${last.label})` });
    report(`Undone: ${last.label}`);
  }

  /** Makes the changes of a conflict again, on top of those of the other user. */
  applyAgain(conflict: Conflict): void {
    this.queue.dropConflict(conflict);
    this.change(conflict.entries.map(({ change }) => change));
  }

  /** Loads the events of a story or task after the version that the user saw. */
  async changesSince({ entity, id }: Target, seen: number, revision: number): Promise<Event[]> {
    const { data } =
      entity === 'story'
        ? await api.GET('/api/stories/{story_id}/history', { params: { path: { story_id: id } } })
        : await api.GET('/api/boards/{board_name}/events', {
            params: {
              path: { board_name: this.name },
              query: { after: revision, entity: ['task'] },
            },
          });
    return (data as Event[]).filter(
      (event) =>
        event.id === id &&
        (event.after === null || Number((event.after as { version?: number }).version ?? 0) > seen),
    );
  }

  /** Loads the stories of a sprint or of the backlog, unless they are loaded. */
  loadList(list: ListId): Promise<void> {
    if (this.lists.value.has(list)) return Promise.resolve();
    const known = this.loading.get(list);
    if (known) return known;
    const loading = this.insist(() => this.readList(list))
      .catch((error: Error) => {
        // A sprint that was deleted meanwhile has no list.
        if (!isMissing(error)) alertError(error.message);
      })
      .finally(() => this.loading.delete(list));
    this.loading.set(list, loading);
    return loading;
  }

  /** @param attempts how often the list is read again if the response is older than the applied events */
  private async readList(list: ListId, attempts = REREADS): Promise<void> {
    const query = { fields: ALL_FIELDS };
    const { data, response } =
      list === null
        ? await api.GET('/api/boards/{board_name}/backlog', {
            params: { path: { board_name: this.name }, query },
          })
        : await api.GET('/api/sprints/{sprint_id}/stories', {
            params: { path: { sprint_id: list }, query },
          });
    const { revision } = headersOf(response);
    if (revision < this.revision.value && attempts > 0) return this.readList(list, attempts - 1);
    this.putList(list, data as Card[], revision);
  }

  /** Reads the stories that the page shows first; undefined if it shows no sprint, or if they were read already. */
  private async readFirst(): Promise<
    { sprint: string; stories: Card[]; revision: number } | undefined
  > {
    const sprint = this.first;
    this.first = undefined;
    if (sprint === undefined) return undefined;
    const query = { fields: ALL_FIELDS };
    const path = { board_name: this.name, sprint_id: Number(sprint) };
    const { data, response } =
      sprint === 'current' || sprint === 'next' || sprint === 'previous'
        ? await api.GET(`/api/boards/{board_name}/sprints/${sprint}/stories`, {
            params: { path, query },
          })
        : await api.GET('/api/sprints/{sprint_id}/stories', { params: { path, query } });
    return { sprint, stories: data as Card[], revision: headersOf(response).revision };
  }

  /** Loads the next page of the backlog. */
  loadPage(): Promise<void> {
    if (this.lists.value.has(null)) return Promise.resolve();
    this.nextPage ??= this.queuePages(async () => {
      // The read before may have loaded the rest.
      if (!this.lists.value.has(null)) await this.readPages(this.part.value, 1);
    })
      .catch((error: Error) => alertError(error.message))
      .finally(() => (this.nextPage = undefined));
    return this.nextPage;
  }

  /** Reads the loaded part of the backlog again. */
  private readPartAgain(): Promise<void> {
    return this.queuePages(async () => {
      if (this.part.value) await this.readPages(null, this.part.value.pages);
    });
  }

  /** Reads pages of the backlog after the reads before, because the loaded part changes with each of them. */
  private queuePages(read: () => Promise<void>): Promise<void> {
    const reading = this.paging.then(() => this.insist(read));
    this.paging = reading.catch(() => undefined);
    return reading;
  }

  /** Loads all fields of a story and its tasks, as soon as there is a connection. */
  loadStory(id: number): Promise<void> {
    return this.insist(() => this.readStoryInFull(id));
  }

  private async readStoryInFull(id: number): Promise<void> {
    await Promise.all([this.readStory(id), this.readTasks(id)]);
    if (this.require().stories.has(id)) return;
    throw new ApiError(404, 'story_not_found', 'This story is not on this board.');
  }

  private async readTasks(storyId: number): Promise<void> {
    const known = (): string[] =>
      (this.require().tasks.get(storyId) ?? []).map(({ id }) => `task/${id}`);
    const { data, response } = await this.readPresent(
      () => api.GET('/api/stories/{story_id}/tasks', { params: { path: { story_id: storyId } } }),
      known,
    );
    const list = data as Task[];
    this.base.value = withTasks(this.require(), storyId, () => list.sort(bySeq));
    for (const task of list) this.markRead('task', task.id, headersOf(response).revision);
  }

  /** Reads the sprints again, because their states depend on the date and can change without an event. */
  async loadSprints(): Promise<void> {
    const { data } = await this.insist(() =>
      this.readPresent(() =>
        api.GET('/api/boards/{board_name}/sprints', {
          params: { path: { board_name: this.name } },
        }),
      ),
    );
    const sprints = new Map((data as Sprint[]).map((sprint) => [sprint.id, sprint]));
    if (this.base.value) this.base.value = { ...this.base.value, sprints };
  }

  /**
   * Reads again, up to `REREADS` times, if the response is older than the applied events or, for one of the rows,
   * than the last response with that row.
   */
  private async readPresent<T extends { response: Response }>(
    read: () => Promise<T>,
    rows: () => readonly string[] = () => [],
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const result = await read();
      const known = rows().map((row) => this.readAt.get(row) ?? 0);
      const { revision } = headersOf(result.response);
      if (revision >= Math.max(this.revision.value, ...known) || attempt === REREADS) return result;
    }
  }

  private require(): BoardState {
    if (!this.base.value) throw new Error('the board is not loaded');
    return this.base.value;
  }

  /**
   * Repeats a read until the service answers, after 401 until the user has signed in, and under the new name of
   * a board that was renamed. Throws other error responses that are not temporary. If the board is closed, the
   * promise never settles.
   */
  private async insist<T>(read: () => Promise<T>, onCutOff?: () => Promise<void>): Promise<T> {
    for (let attempt = 0; !this.isClosed.value; attempt++) {
      try {
        const result = await this.readByName(read);
        if (this.isClosed.value) break;
        this.isCutOff.value = false;
        return result;
      } catch (error) {
        if (this.isClosed.value) break;
        if (error instanceof ApiError && error.status === 401) {
          await signedIn();
          continue;
        }
        if (!isTemporary(error)) throw error;
        this.isCutOff.value = true;
        await onCutOff?.();
        const seconds = error instanceof ApiError ? error.retryAfter : undefined;
        await this.pause.wait(seconds ? seconds * 1000 : backoff(attempt));
      }
    }
    return new Promise(() => undefined);
  }

  /** Makes a read fail temporarily if the board was renamed; the next attempt then uses the new name. */
  private async readByName<T>(read: () => Promise<T>): Promise<T> {
    const { name } = this;
    try {
      return await read();
    } catch (error) {
      const isUnknown = isMissing(error) && error.code === 'board_not_found';
      if (isUnknown && this.base.value && (await this.followRename(name))) {
        throw new TypeError('renamed', { cause: error });
      }
      throw error;
    }
  }

  private readonly wake = (): void => {
    this.pause.end();
    this.queue.retry();
    this.checkToday();
    if (this.base.value && !document.hidden) void this.outbox.adopt(this.base.value.board.id);
  };

  private fail(error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    this.failure.value = { status: error.status, detail: error.message };
    if (error.status === 404) void deleteSnapshot(this.actor, this.name);
  }

  private async showSnapshot(): Promise<void> {
    if (this.base.value) return;
    const snapshot = await readSnapshot(this.actor, this.name);
    if (!snapshot || this.base.value || this.isClosed.value) return;
    batch(() => {
      this.lists.value = new Set(snapshot.lists);
      this.base.value = {
        board: snapshot.board,
        sprints: new Map(snapshot.sprints.map((sprint) => [sprint.id, sprint])),
        stories: new Map(snapshot.stories.map((story) => [story.id, story])),
        tasks: new Map(),
      };
    });
    // The stored changes are shown, too, and wait for a connection.
    this.queue.isOffline.value = true;
    this.watchToday();
    await this.outbox.adopt(snapshot.board.id);
  }

  private keepSnapshots(): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = (): void => {
      timer = undefined;
      const base = this.base.value;
      if (!base || this.failure.value) return;
      void writeSnapshot(this.actor, {
        board: base.board,
        sprints: [...base.sprints.values()],
        stories: [...base.stories.values()],
        lists: [...this.lists.value],
      });
    };
    this.cleanups.push(
      effect(() => {
        if (!this.base.value || !this.lists.value) return;
        const { size } = this.base.value.stories;
        timer ??= setTimeout(write, SNAPSHOT_MS + size * SNAPSHOT_MS_PER_STORY);
      }),
      () => clearTimeout(timer),
    );
  }

  /** Follows the date in the board's time zone, on which the states of sprints depend. */
  private watchToday(): void {
    if (this.today.value) return;
    this.checkToday();
    const timer = setInterval(() => this.checkToday(), TODAY_MS);
    this.cleanups.push(() => clearInterval(timer));
  }

  private checkToday(): void {
    const zone = this.base.value?.board.time_zone;
    if (!zone) return;
    if (zone !== this.zone && !isKnownZone(zone)) {
      alertError(
        `This browser does not know the time zone ${zone} of the board. Its dates are those of UTC.`,
      );
    }
    this.zone = zone;
    const today = todayIn(zone);
    if (today === this.today.value) return;
    const isNext = this.today.value !== '';
    this.today.value = today;
    if (!isNext) return;
    void this.loadSprints();
    // The clock of the service may be behind.
    const timer = setTimeout(() => void this.loadSprints(), 60_000);
    this.cleanups.push(() => clearTimeout(timer));
  }

  /** Reads the board and the lists that are shown. */
  private async reload(): Promise<void> {
    const path = { board_name: this.name };
    const known = this.base.value?.board;
    const [board, sprints, list] = await Promise.all([
      api.GET('/api/boards/{board_name}', { params: { path } }),
      api.GET('/api/boards/{board_name}/sprints', { params: { path } }),
      this.readFirst().catch(() => undefined),
    ]);
    const data = board.data as Board;
    if (known && known.id !== data.id) {
      const detail =
        'This board was deleted, and another one has its name. Reload the page to open it.';
      throw new ApiError(404, 'board_not_found', detail);
    }
    const shown = [...this.lists.value];
    this.readAt.clear();
    this.isCurrent.value = false;
    batch(() => {
      this.revision.value = Math.min(
        data.revision,
        headersOf(sprints.response).revision || data.revision,
      );
      this.stale = new Set(this.base.value?.stories.keys());
      this.base.value = {
        board: data,
        sprints: new Map((sprints.data as Sprint[]).map((sprint) => [sprint.id, sprint])),
        // Loaded stories stay until their list is read again.
        stories: this.base.value?.stories ?? new Map(),
        tasks: this.base.value?.tasks ?? new Map(),
      };
      const sprint = list && findSprint(this.base.value, list.sprint);
      const isOfSprint = sprint && list.stories.every(({ sprint_id }) => sprint_id === sprint.id);
      if (isOfSprint && list.revision >= this.revision.value) {
        this.putList(sprint.id, list.stories, list.revision);
      }
    });
    await Promise.all(
      shown.map((list) =>
        this.readList(list).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
          this.lists.value = new Set([...this.lists.value].filter((each) => each !== list));
        }),
      ),
    );
    await this.readPartAgain();
    this.reads.value += 1;
    this.isCurrent.value = true;
  }

  /**
   * Finds the board by its id after one of its names was not found. Returns whether it has another name, which
   * another request may have found first.
   */
  private async followRename(from: string): Promise<boolean> {
    const { data } = await api.GET('/api/boards');
    const base = this.require();
    const board = (data as Board[]).find(({ id }) => id === base.board.id);
    if (!board || board.name === from) return false;
    this.base.value = { ...base, board };
    this.rename(board.name);
    return true;
  }

  /**
   * Whether a story is on another board. The revision of that board says nothing about this one.
   * @param name the name of this board before the story was read
   */
  private async isElsewhere({ board_name }: Card, name: string): Promise<boolean> {
    if (board_name === name || board_name === this.name) return false;
    await this.followRename(name);
    return board_name !== this.name;
  }

  /** Shows the board of a response; the stream may be disconnected. */
  putBoard(board: Board): void {
    const base = this.require();
    if (board.version < base.board.version) return;
    this.base.value = { ...base, board };
    this.rename(board.name);
    this.checkToday();
  }

  /** Follows the board to its new name, which a request or the stream has reported. */
  private rename(to: string): void {
    const from = this.name;
    if (from === to) return;
    batch(() => {
      this.name = to;
      this.onRenamed(from, to);
    });
    void deleteSnapshot(this.actor, from);
  }

  /** Reads pages of the backlog, after the loaded part or from the beginning. */
  private async readPages(after: Part | null, pages: number, attempts = REREADS): Promise<void> {
    const stories: Card[] = [];
    let cursor = after?.cursor;
    let total = 0;
    let revision = Infinity;
    for (let page = 0; page === 0 || (page < pages && cursor); page++) {
      const { data, response } = await api.GET('/api/boards/{board_name}/backlog', {
        params: {
          path: { board_name: this.name },
          query: { fields: ALL_FIELDS, limit: PAGE_SIZE, count: true, ...(cursor && { cursor }) },
        },
      });
      stories.push(...(data as Card[]));
      revision = Math.min(revision, headersOf(response).revision);
      total = Number(response.headers.get('X-Total-Count'));
      const link = /<([^>]*)>; *rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
      cursor = link && (new URL(link, location.href).searchParams.get('cursor') ?? undefined);
    }
    if (revision < this.revision.value && attempts > 0) {
      return this.readPages(after, pages, attempts - 1);
    }
    const edge = stories.at(-1);
    batch(() => {
      this.putList(null, stories, revision, {
        after: after?.edge,
        to: cursor === undefined ? undefined : edge,
      });
      this.part.value =
        cursor && edge
          ? {
              pages: (after?.pages ?? 0) + pages,
              cursor,
              edge: { seq: edge.seq, id: edge.id },
              rest: Math.max(1, total - ((after?.pages ?? 0) * PAGE_SIZE + stories.length)),
            }
          : null;
    });
  }

  /** Replaces the stories of a list, or the part of it after one place and up to another. */
  private putList(
    list: ListId,
    stories: Card[],
    revision: number,
    { after, to }: { after?: Place; to?: Place } = {},
  ): void {
    const base = this.require();
    const next = new Map(base.stories);
    for (const story of base.stories.values()) {
      if (story.sprint_id !== list) continue;
      // It came into the list after the response.
      if ((this.readAt.get(`story/${story.id}`) ?? 0) > revision) continue;
      if (after && bySeq(story, after) <= 0) continue;
      if (to && bySeq(story, to) > 0) continue;
      next.delete(story.id);
    }
    for (const story of stories) {
      const known = base.stories.get(story.id);
      const isNewer = known && known.version >= story.version && !this.stale.delete(story.id);
      next.set(story.id, isNewer ? known : { ...known, ...story });
      this.markRead('story', story.id, revision);
    }
    batch(() => {
      this.base.value = { ...base, stories: next };
      if (!to) this.lists.value = new Set([...this.lists.value, list]);
      if (!to && list === null) this.part.value = null;
    });
  }

  private async readStory(id: number): Promise<Story> {
    const { name } = this;
    const { data, response } = await this.readPresent(
      () => api.GET('/api/stories/{story_id}', { params: { path: { story_id: id } } }),
      () => [`story/${id}`],
    );
    const story = data as Story;
    const { etag, revision } = headersOf(response);
    this.etags.set(`story/${id}`, { version: story.version, etag });
    if (await this.isElsewhere(story, name)) {
      this.base.value = without(this.require(), story);
      return story;
    }
    this.markRead('story', id, revision);
    this.base.value = withStory(this.require(), story);
    return story;
  }

  private markRead(entity: string, id: number, revision: number): void {
    const row = `${entity}/${id}`;
    const known = Math.max(this.revision.value, this.readAt.get(row) ?? 0);
    if (revision > known) this.readAt.set(row, revision);
  }

  private commit({ commit, id, revision }: Outcome, change: Change): void {
    // The stream may already have delivered the change, and later ones of others.
    const isKnown = revision > 0 && revision < this.revision.value && !createdBy(change);
    if (!isKnown) this.base.value = commit(this.require());
    if (id !== undefined) this.markRead(entityOf(change), id, revision);
  }

  /** Sends a change on the condition that the row is as the user saw it. */
  private async send(pending: Pending, isRepeated: boolean): Promise<Sent> {
    const { change, key } = pending;
    if (this.attempt?.key !== key) {
      // Undo needs the description and the tasks.
      if (change.kind === 'story.delete') {
        await this.readStoryInFull(change.id).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
      }
      // Before the request, because the stream may deliver the event before the response arrives.
      this.attempt = { key, before: this.require() };
    }
    const { before } = this.attempt;
    const { name } = this;
    if (createdBy(change)) this.holds.add('creation');
    try {
      const outcome = await this.sendAsSeen(pending, isRepeated);
      const changed =
        entityOf(change) === 'story'
          ? outcome.commit(before).stories.get(outcome.id ?? 0)
          : undefined;
      if (changed && (await this.isElsewhere(changed, name))) {
        const commit = (state: BoardState): BoardState => without(state, changed);
        return { outcome: { commit, id: changed.id, revision: 0 }, before };
      }
      if (change.kind === 'story.create' && outcome.id) {
        this.written.add(outcome.id);
        this.created.set(change.id, outcome.id);
      }
      // The response has only the moved story; the stream also delivers the shift of other stories.
      if (change.kind === 'story.move') await this.reached(outcome.revision);
      return { outcome, before };
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (error.code === 'board_not_found' && (await this.followRename(name)))
        return this.send(pending, isRepeated);
      if (change.kind !== 'story.delete' && change.kind !== 'task.delete') throw error;
      // An earlier attempt or someone else has deleted it.
      const commit = (state: BoardState): BoardState => kindOf(change).apply(state, change);
      return { outcome: { commit, revision: 0 }, before };
    }
  }

  private async sendAsSeen(pending: Pending, isRepeated: boolean): Promise<Outcome> {
    const { change, key } = pending;
    const target = targetOf(change);
    if (!target) {
      return change.kind === 'story.move'
        ? this.sendSeveral(change, key)
        : kindOf(change).send(change, this.name, { key });
    }
    const row = `${target.entity}/${target.id}`;
    const known = this.etags.get(row);
    let ifMatch = known?.version === pending.seen ? known?.etag : undefined;
    // If the service has already made the move, it returns the stored response before it compares the tag.
    if (!ifMatch && isRepeated && change.kind === 'story.move') ifMatch = NO_ROW;
    const send = async (tag: string): Promise<Outcome> => {
      const outcome = await kindOf(change).send(change, this.name, { ifMatch: tag, key });
      this.etags.delete(row);
      if (outcome.etag) this.keepTag(target, outcome);
      return outcome;
    };
    if (ifMatch) {
      try {
        return await send(ifMatch);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
      }
    }
    return send(await this.tagIfAsSeen(pending, target));
  }

  /** Reads the entity tag of a row. @throws ApiError 412 if the row was changed since the user saw it */
  private async tagIfAsSeen(pending: Pending, target: Target): Promise<string> {
    const { change, seen, revision } = pending;
    const [row, tag] = await this.readRow(target);
    if (seen === undefined || row.version === seen) return tag;
    // An earlier attempt has made the change, or someone else has made the same one.
    const isUpdate = change.kind === 'story.update' || change.kind === 'task.update';
    if (isUpdate && hasFields(row, change.set)) return tag;
    // Moving other stories can change `seq` and `version` of a story, which is no conflict.
    const theirs = await this.changesSince(target, seen, revision);
    if (theirs.length > 0)
      throw new ApiError(412, 'precondition_failed', 'It was changed meanwhile.');
    return tag;
  }

  private async readRow({ entity, id }: Target): Promise<[Story | Task, string]> {
    if (entity === 'story') {
      const story = await this.readStory(id);
      return [story, this.etags.get(`story/${id}`)?.etag ?? ''];
    }
    const { data, response } = await this.readPresent(
      () => api.GET('/api/tasks/{task_id}', { params: { path: { task_id: id } } }),
      () => [`task/${id}`],
    );
    const task = data as Task;
    this.base.value = withTask(this.require(), task);
    this.markRead('task', id, headersOf(response).revision);
    return [task, headersOf(response).etag];
  }

  /**
   * Moves several stories with the tag of the board's lists in `If-Match`. Every change of the board changes
   * that tag, so 412 alone is no conflict: only a story that has left the list in which the user saw it is one.
   */
  private async sendSeveral(change: Move, key: string): Promise<Outcome> {
    const { isCurrent, isClosed, failure } = this;
    await whenTrue(computed(() => isCurrent.value || isClosed.value || failure.value !== null));
    if (failure.value) {
      throw new ApiError(failure.value.status, 'board_not_shown', failure.value.detail);
    }
    // The page that opens the board next sends the change.
    if (!isCurrent.value) throw new TypeError('the board was closed');
    for (let attempt = 1; ; attempt++) {
      const ifMatch = await this.tagOfLists(change);
      try {
        return await kindOf(change).send(change, this.name, { ifMatch, key });
      } catch (error) {
        const isStale = error instanceof ApiError && error.status === 412;
        if (!isStale || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Reads the tag of the board's lists.
   * @throws StoryChanged if a story of the change has left the list in which the user saw it
   */
  private async tagOfLists(change: Move): Promise<string> {
    const path = { board_name: this.name };
    const { response } = await api.GET('/api/boards/{board_name}/stories', {
      params: { path, query: { limit: 1, fields: 'id' } },
    });
    const { etag, revision } = headersOf(response);
    const { stories } = this.require();
    const lists = new Map(change.ids.map((id) => [id, stories.get(id)?.sprint_id]));
    for (let after = this.revision.value; after < revision;) {
      const { data } = await api.GET('/api/boards/{board_name}/events', {
        params: { path, query: { after, limit: 1000 } },
      });
      const events = data as Event[];
      if (events.length === 0) break;
      for (const { entity, id, after: fields } of events) {
        if (entity !== 'story' || !lists.has(id)) continue;
        if (fields === null) lists.delete(id);
        else if ('sprint_id' in fields) lists.set(id, fields.sprint_id as ListId);
      }
      after = events.at(-1)?.revision ?? revision;
    }
    change.ids.forEach((id, i) => {
      const list = lists.get(id);
      // An earlier attempt may have moved it already.
      const seen = change.seen?.[i];
      if (list !== undefined && (list === change.list || list === seen?.list)) return;
      throw new StoryChanged(id, seen?.version ?? 0);
    });
    return etag;
  }

  /** Waits for the stream to reach a revision, at most 1 s. */
  private reached(revision: number): Promise<void> {
    if (!this.isLive.value || this.revision.value >= revision) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(end, 1000);
      const stop = this.revision.subscribe((present) => {
        // Not during the first call, which comes before `stop` exists.
        if (present >= revision) queueMicrotask(end);
      });
    });
  }

  private release(reason: string): void {
    this.holds.delete(reason);
    if (this.holds.size > 0) return;
    for (const event of this.held.splice(0)) this.apply(event);
  }

  private keepTag(target: { entity: string; id: number }, { commit, etag = '' }: Outcome): void {
    const state = commit(this.require());
    const row =
      target.entity === 'story'
        ? state.stories.get(target.id)
        : [...state.tasks.values()].flat().find(({ id }) => id === target.id);
    if (row) this.etags.set(`${target.entity}/${target.id}`, { version: row.version, etag });
  }

  private onStreamState(isOpen: boolean): void {
    if (isOpen && !this.isLive.value) this.wake();
    this.isLive.value = isOpen;
  }

  private onStreamEvent(type: string, data: unknown): void {
    if (type === 'ready') return;
    if (type === 'reset') {
      this.held = [];
      this.isOutdated = true;
      if (!this.holds.has('reset')) void this.readAgain();
      return;
    }
    // After a reset, the revision is that of the former state until the board is read.
    if (this.holds.size > 0) this.held.push(data as Event);
    else this.apply(data as Event);
  }

  /** Reads the board after a reset of the stream, and once more if there was another one meanwhile. */
  private async readAgain(): Promise<void> {
    this.holds.add('reset');
    try {
      while (this.isOutdated) {
        this.isOutdated = false;
        await this.insist(() => this.reload());
      }
    } catch (error) {
      this.fail(error);
    }
    this.release('reset');
  }

  /** Whether this page has made the change of an event. */
  private isOwn({ entity, id, revision, actor }: Event): boolean {
    if ((this.readAt.get(`${entity}/${id}`) ?? 0) >= revision) return true;
    if (actor === this.actor && performance.now() - lastWrite.at < WRITE_MS) return true;
    return (
      entity === 'story' &&
      this.queue.pending.value.some(({ change }) => storiesOfChange(change).includes(id))
    );
  }

  private apply(event: Event): void {
    const base = this.base.value;
    if (!base || event.revision <= this.revision.value) return;
    const next = applyEvent(base, event, (entity, id) => this.readAt.get(`${entity}/${id}`) ?? 0);
    if (!this.isOwn(event)) {
      const text = describeEvent(event, base, next);
      if (text) announceOther(text);
    }
    batch(() => {
      this.revision.value = event.revision;
      this.base.value = next;
    });
    if (event.type === 'board.deleted') {
      this.failure.value = { status: 404, detail: 'This board was deleted.' };
    }
    if (event.type === 'board.updated') {
      this.rename(next.board.name);
      this.checkToday();
    }
    if (event.entity === 'sprint') this.loadSprints().catch(ignoreMissing);
    const list = (event.after as { sprint_id?: ListId } | null)?.sprint_id;
    if (this.part.value && isUnknownPlace(event, base)) {
      clearTimeout(this.pagingAgain);
      this.pagingAgain = setTimeout(() => void this.readPartAgain().catch(ignoreMissing), 300);
    }
    if (
      event.entity === 'story' &&
      list !== undefined &&
      this.lists.value.has(list) &&
      !next.stories.has(event.id)
    ) {
      // The story comes from a list that is not loaded, and the event has only the changed fields.
      void this.insist(() => this.readStory(event.id)).catch(ignoreMissing);
    }
  }
}

const NONE: ReadonlySet<number> = new Set();

/** Resolves when a signal is true. */
const whenTrue = (flag: ReadonlySignal<boolean>): Promise<void> =>
  new Promise((resolve) => {
    const stop = flag.subscribe((isTrue) => {
      if (!isTrue) return;
      // Not during the first call, which comes before `stop` exists.
      queueMicrotask(() => stop());
      resolve();
    });
  });

/** Whether an event may move a story that is not loaded into the loaded part of the backlog. */
const isUnknownPlace = ({ type, entity, id, after }: Event, { stories }: BoardState): boolean => {
  if (type === 'stories.shifted') return entity === 'board';
  const isMove = type === 'story.moved' || type === 'story.updated';
  return isMove && !stories.has(id) && after !== null && ('seq' in after || 'sprint_id' in after);
};

/** The state without a story that is on another board, unless it has come back since. */
const without = (state: BoardState, { id, version }: Card): BoardState =>
  (state.stories.get(id)?.version ?? 0) > version ? state : withoutStory(state, id);

const isMissing = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 404;

/** Ignores 404, because the event of the deletion follows. */
const ignoreMissing = (error: unknown): void => {
  if (!isMissing(error)) throw error;
};
