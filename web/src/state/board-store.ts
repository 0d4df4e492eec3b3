import { batch, computed, signal } from '@preact/signals';
import { api, told } from '../api/client';
import { ApiError } from '../api/problem';
import { openStream } from '../api/stream';
import type { Board, Event, Sprint, Story, Task } from '../api/types';
import { alertError, announce, toast } from './announce';
import type { Change, Outcome } from './changes';
import { kindOf, targetOf } from './changes';
import { applyEvent } from './events';
import type { BoardState, Card, ListId } from './model';
import { bySeq, CARD_FIELDS, withEntry } from './model';
import type { Conflict, Pending } from './queue';
import { ChangeQueue } from './queue';

/** Why a board cannot be shown. */
export type Failure = { status: number; detail: string };

/** A confirmed change, and the state before its first attempt. */
interface Sent {
  outcome: Outcome;
  before: BoardState;
}

const ALL_FIELDS = CARD_FIELDS.join(',');

/**
 * One board in this browser: `base` is what the service has confirmed, fed by requests and by the live
 * stream; `view` is the same with the changes of the user that are still on their way.
 */
export class BoardStore {
  readonly failure = signal<Failure | null>(null);
  readonly isLive = signal(false);
  /** The lists whose stories are all known. */
  readonly lists = signal<ReadonlySet<ListId>>(new Set());
  /** The revision of the last event that was applied. */
  readonly revision = signal(0);
  readonly base = signal<BoardState | null>(null);
  readonly queue: ChangeQueue;
  readonly view = computed<BoardState | null>(() => {
    let state = this.base.value;
    if (!state) return null;
    for (const { change } of this.queue.pending.value) state = kindOf(change).apply(state, change);
    return state;
  });

  /** The revision at which each row was read, where that is later than the state it was put into. */
  private readonly readAt = new Map<string, number>();
  private readonly etags = new Map<string, { version: number; etag: string }>();
  /** Events that arrived while a creation was on its way, whose answer names the created row. */
  private held: Event[] | null = null;
  private attempt?: { key: string; before: BoardState };
  private stream?: { stop(): void };
  private isClosed = false;

  constructor(public name: string) {
    this.queue = new ChangeQueue({
      base: () => this.require(),
      commit: (outcome) => this.commit(outcome),
      send: (pending) => this.send(pending),
      onRejected: (label, error) => alertError(`${label}: ${error.message}`),
    });
  }

  /** Loads the board and its sprints and follows its stream. */
  async open(): Promise<void> {
    try {
      await this.reload();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.failure.value = { status: error.status, detail: error.message };
      return;
    }
    if (this.isClosed) return;
    this.stream = openStream(this.name, () => this.revision.value, {
      onState: (isOpen) => (this.isLive.value = isOpen),
      onEvent: (type, id, data) => this.onStreamEvent(type, id, data),
      onGone: ({ status, code }) => {
        if (code === 'route_not_found') return;
        this.failure.value = { status, detail: 'This board was deleted or is no longer yours.' };
      },
    });
  }

  close(): void {
    this.isClosed = true;
    this.stream?.stop();
    this.queue.stop();
  }

  /**
   * Makes the changes of one gesture: shown at once, sent in order.
   * @param options.seen the version of the row that the user saw, where it is not the present one
   */
  change(changes: readonly Change[], options: { isQuiet?: boolean; seen?: number } = {}): void {
    const view = this.view.value;
    if (!view || changes.length === 0) return;
    const label = this.queue.push(changes, view, { seen: options.seen });
    announce(label);
    if (!options.isQuiet) toast(label, { action: { name: 'Undo', run: () => this.undo() } });
  }

  /** Undoes the last gesture, as soon as the service has confirmed it. */
  undo(): void {
    const pending = this.queue.lastPending();
    if (pending !== undefined) {
      this.queue.onceConfirmed(pending, () => this.undo());
      return;
    }
    const view = this.view.value;
    const last = this.queue.takeUndo();
    if (!view || !last) {
      announce('Nothing to undo');
      return;
    }
    this.queue.push(last.changes, view, { isUndo: true });
    announce(`Undone: ${last.label}`);
    toast(`Undone: ${last.label}`);
  }

  /** Makes the changes of a conflict again, on top of what the other made. */
  applyAgain(conflict: Conflict): void {
    this.queue.dropConflict(conflict);
    this.change(conflict.changes);
  }

  /** Loads the stories of a sprint or of the backlog, unless they are known. */
  async loadList(list: ListId): Promise<void> {
    if (this.lists.value.has(list)) return;
    const query = { fields: ALL_FIELDS };
    const { data, response } =
      list === null
        ? await api.GET('/api/boards/{board_name}/backlog', {
            params: { path: { board_name: this.name }, query },
          })
        : await api.GET('/api/sprints/{sprint_id}/stories', {
            params: { path: { sprint_id: list }, query },
          });
    this.putList(list, data as Card[], told(response).revision);
  }

  /** Loads all fields of a story and its tasks. */
  async loadStory(id: number): Promise<void> {
    const [story, tasks] = await Promise.all([
      this.readStory(id),
      api.GET('/api/stories/{story_id}/tasks', { params: { path: { story_id: id } } }),
    ]);
    const list = tasks.data as Task[];
    const revision = told(tasks.response).revision;
    const base = this.require();
    this.base.value = { ...base, tasks: withEntry(base.tasks, story.id, list.sort(bySeq)) };
    for (const task of list) this.markRead('task', task.id, revision);
  }

  /** Reads the sprints again: their states follow from dates, which no event tells. */
  async loadSprints(): Promise<void> {
    const { data } = await api.GET('/api/boards/{board_name}/sprints', {
      params: { path: { board_name: this.name } },
    });
    const sprints = new Map((data as Sprint[]).map((sprint) => [sprint.id, sprint]));
    if (this.base.value) this.base.value = { ...this.base.value, sprints };
  }

  private require(): BoardState {
    if (!this.base.value) throw new Error('the board is not loaded');
    return this.base.value;
  }

  /** Reads the board and the lists that are shown. */
  private async reload(): Promise<void> {
    const path = { board_name: this.name };
    const [board, sprints] = await Promise.all([
      api.GET('/api/boards/{board_name}', { params: { path } }),
      api.GET('/api/boards/{board_name}/sprints', { params: { path } }),
    ]);
    const data = board.data as Board;
    const lists = [...this.lists.value];
    this.readAt.clear();
    batch(() => {
      this.revision.value = Math.min(
        data.revision,
        told(sprints.response).revision || data.revision,
      );
      this.lists.value = new Set();
      this.base.value = {
        board: data,
        sprints: new Map((sprints.data as Sprint[]).map((sprint) => [sprint.id, sprint])),
        // What is shown stays until its list is read again.
        stories: this.base.value?.stories ?? new Map(),
        tasks: new Map(),
      };
    });
    await Promise.all(lists.map((list) => this.loadList(list)));
  }

  private putList(list: ListId, stories: Card[], revision: number): void {
    const base = this.require();
    const next = new Map(base.stories);
    for (const story of base.stories.values()) if (story.sprint_id === list) next.delete(story.id);
    for (const story of stories) {
      const known = base.stories.get(story.id);
      next.set(story.id, known && known.version >= story.version ? known : { ...known, ...story });
      this.markRead('story', story.id, revision);
    }
    batch(() => {
      this.base.value = { ...base, stories: next };
      this.lists.value = new Set([...this.lists.value, list]);
    });
  }

  private async readStory(id: number): Promise<Story> {
    const { data, response } = await api.GET('/api/stories/{story_id}', {
      params: { path: { story_id: id } },
    });
    const story = data as Story;
    const { etag, revision } = told(response);
    this.etags.set(`story/${id}`, { version: story.version, etag });
    this.markRead('story', id, revision);
    const base = this.require();
    this.base.value = {
      ...base,
      stories: withEntry(base.stories, id, { ...base.stories.get(id), ...story }),
    };
    return story;
  }

  private markRead(entity: string, id: number, revision: number): void {
    if (revision > this.revision.value) this.readAt.set(`${entity}/${id}`, revision);
  }

  private commit(outcome: Outcome): void {
    this.base.value = outcome.commit(this.require());
    if (outcome.id !== undefined) this.markRead('story', outcome.id, outcome.revision);
  }

  /** Sends a change under the condition that the row is as the user saw it. */
  private async send({ change, key, seen }: Pending): Promise<Sent> {
    const target = targetOf(change);
    const isRepeated = this.attempt?.key === key;
    // The response of the first attempt may be lost, and the row already changed.
    if (isRepeated && target) this.etags.delete(`${target.entity}/${target.id}`);
    if (change.kind === 'story.delete' && !isRepeated) await this.loadStory(change.id);
    const ifMatch = target && (await this.etagOf(change, target, seen));
    // Before the request: the stream may bring the event before the response arrives.
    const before = isRepeated && this.attempt ? this.attempt.before : this.require();
    this.attempt = { key, before };
    const isCreation = change.kind.endsWith('.create');
    if (isCreation) this.held ??= [];
    try {
      const outcome = await kindOf(change).send(change, this.name, { ifMatch, key });
      if (target && outcome.etag) this.keepTag(target, outcome);
      // The response has the moved story only; the stream also brings the stories that made room for it.
      if (change.kind === 'story.move') await this.reached(outcome.revision);
      return { outcome, before };
    } finally {
      // After the queue has put the answer into the state.
      if (isCreation) setTimeout(() => this.release());
    }
  }

  /** Waits for the stream to reach a revision, for a moment at most. */
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

  private release(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const event of held) this.apply(event);
  }

  private keepTag(target: { entity: string; id: number }, { commit, etag = '' }: Outcome): void {
    const state = commit(this.require());
    const row =
      target.entity === 'story'
        ? state.stories.get(target.id)
        : [...state.tasks.values()].flat().find(({ id }) => id === target.id);
    if (row) this.etags.set(`${target.entity}/${target.id}`, { version: row.version, etag });
  }

  private async etagOf(
    change: Change,
    { entity, id }: { entity: 'story' | 'task'; id: number },
    seen: number | undefined,
  ): Promise<string> {
    const known = this.etags.get(`${entity}/${id}`);
    if (known && known.version === seen) return known.etag;
    if (entity === 'task') {
      const { data, response } = await api.GET('/api/tasks/{task_id}', {
        params: { path: { task_id: id } },
      });
      const { version } = data as Task;
      if (seen !== undefined && version !== seen) throw changedMeanwhile();
      return told(response).etag;
    }
    const before = this.require().stories.get(id);
    const story = await this.readStory(id);
    if (seen === undefined || story.version === seen) return this.tagOf(id);
    // An earlier attempt has made the change, or someone else the same one.
    if (change.kind === 'story.update' && hasFields(story, change.set)) return this.tagOf(id);
    // Another story was moved, which shifted the `seq` of this one.
    const isShifted =
      change.kind === 'story.update' &&
      before !== undefined &&
      before.version === seen &&
      CARD_FIELDS.every(
        (name) =>
          ['seq', 'version', 'updated_at'].includes(name) ||
          JSON.stringify(before[name]) === JSON.stringify(story[name]),
      ) &&
      (before.description === undefined || before.description === story.description);
    if (!isShifted) throw changedMeanwhile();
    return this.tagOf(id);
  }

  private tagOf(id: number): string {
    return this.etags.get(`story/${id}`)?.etag ?? '';
  }

  private onStreamEvent(type: string, id: number, data: unknown): void {
    if (type === 'ready') {
      this.isLive.value = true;
      return;
    }
    if (type === 'reset') {
      void this.reload();
      return;
    }
    const event = data as Event;
    if (id <= this.revision.value) return;
    if (this.held) this.held.push(event);
    else this.apply(event);
  }

  private apply(event: Event): void {
    const base = this.base.value;
    if (!base) return;
    const next = applyEvent(base, event, (entity, id) => this.readAt.get(`${entity}/${id}`) ?? 0);
    batch(() => {
      this.revision.value = event.revision;
      this.base.value = next;
    });
    if (event.type === 'board.deleted') {
      this.failure.value = { status: 404, detail: 'This board was deleted.' };
    }
    if (event.type === 'board.updated') this.name = next.board.name;
    if (event.entity === 'sprint') void this.loadSprints();
    const list = (event.after as { sprint_id?: ListId } | null)?.sprint_id;
    if (
      event.entity === 'story' &&
      list !== undefined &&
      this.lists.value.has(list) &&
      !next.stories.has(event.id)
    ) {
      // It comes from a list that is not loaded: the event has only the fields that changed.
      void this.readStory(event.id);
    }
  }
}

const hasFields = (story: Story, fields: object): boolean =>
  Object.entries(fields).every(
    ([name, value]) => JSON.stringify(story[name as keyof Story]) === JSON.stringify(value),
  );

const changedMeanwhile = (): ApiError =>
  new ApiError(412, 'precondition_failed', 'Someone else has changed it.');
