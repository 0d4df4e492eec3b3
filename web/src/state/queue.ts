import { batch, computed, signal } from '@preact/signals';
import { ApiError, isTemporary } from '../api/problem';
import { randomKey } from '../util/random';
import { backoff, Pause } from '../util/retry';
import type { Change, Outcome, Update } from './changes/change';
import { kindOf } from './changes/kinds';
import type { Entity, Target } from './changes/rows';
import {
  createdBy,
  effectsOf,
  entityOf,
  refersTo,
  storyTarget,
  targetOf,
  withId,
  withOrigin,
  withVersions,
} from './changes/rows';
import type { BoardState } from './model';

/** A change that the service has not confirmed, as plain data. */
export interface Pending {
  change: Change;
  /** The idempotency key: the same for each attempt. */
  key: string;
  /** Later changes have a greater number. */
  order: number;
  /** Changes of one gesture: they are undone together, and if one fails the rest is dropped. */
  group: string;
  label: string;
  /** The version of the row that the user saw. */
  seen?: number;
  /** The revision of the board that the user saw. */
  revision: number;
  isUndo: boolean;
  /** Whether someone else changed the row before; the change then waits for a decision of the user. */
  isConflict?: boolean;
  /** The story that someone else changed, if the change moves several. */
  changed?: number;
}

/** Changes that were not made because someone else changed the row before. */
export interface Conflict {
  label: string;
  entries: readonly Pending[];
  target: Target;
  /** The version and the revision that the user saw. */
  seen: number;
  revision: number;
}

export interface Undoable {
  group: string;
  label: string;
  changes: Change[];
  /** What the gesture has set; if someone else has changed it since, it is not undone. */
  effects: Update[];
}

/** What the queue needs of the store of the board. */
export interface QueueHost {
  base(): BoardState;
  revision(): number;
  commit(outcome: Outcome, change: Change): void;
  /** Resolves when the browser has drawn the change. */
  shown(): Promise<void>;
  /**
   * Resolves with the outcome and the state before the first attempt.
   * @param isRepeated whether an earlier attempt may have reached the service
   */
  send(pending: Pending, isRepeated: boolean): Promise<{ outcome: Outcome; before: BoardState }>;
  /** Called when the first pending change was confirmed or has failed. */
  onSettled(): void;
  /** @param lost the labels of the changes that are dropped because they depend on the rejected one */
  onRejected(label: string, error: Error, lost: readonly string[]): void;
  /** Stores entries, so that they survive a reload. */
  save(entries: readonly Pending[]): void;
  remove(entries: readonly Pending[]): void;
}

/** The error of a move of several stories after someone else has moved or deleted one of them. */
export class StoryChanged extends ApiError {
  constructor(
    readonly storyId: number,
    readonly seen: number,
  ) {
    super(412, 'precondition_failed', 'Someone else has changed it.');
  }
}

const MAX_UNDO = 50;

let lastOrder = 0;
const nextOrder = (): number => (lastOrder = Math.max(lastOrder + 1, Date.now() * 1000));

/** The version of the row that a change is conditional on. */
function versionOf(change: Change, { stories, tasks }: BoardState): number | undefined {
  const target = targetOf(change);
  if (!target) return undefined;
  if (target.entity === 'story') return stories.get(target.id)?.version;
  return tasks.get(target.storyId)?.find(({ id }) => id === target.id)?.version;
}

/**
 * The changes of the user in their order. Each is shown at once, sent when those before it are
 * confirmed, and repeated with the same key while the service cannot be reached.
 */
export class ChangeQueue {
  readonly pending = signal<readonly Pending[]>([]);
  readonly conflicts = signal<readonly Conflict[]>([]);
  readonly undoable = signal<readonly Undoable[]>([]);
  /** Whether changes wait because the service cannot be reached. */
  readonly isOffline = signal(false);
  readonly state = computed<'saved' | 'saving' | 'offline'>(() => {
    if (this.pending.value.length === 0) return 'saved';
    return this.isOffline.value ? 'offline' : 'saving';
  });

  /** The keys of changes that may have reached the service. */
  private readonly sent = new Set<string>();
  /** The keys of changes that an earlier page sent first; the state before is unknown, so undo is impossible. */
  private readonly inherited = new Set<string>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly idle = new Set<() => void>();
  private readonly pause = new Pause();
  private isRunning = false;
  private isStopped = false;

  constructor(private readonly host: QueueHost) {}

  stop(): void {
    this.isStopped = true;
    this.pause.end();
  }

  /** Sends waiting changes again now. */
  readonly retry = (): void => this.pause.end();

  /** Resolves when everything is sent, or when the service cannot be reached. */
  drained(): Promise<void> {
    if (this.pending.value.length === 0 || this.isOffline.value) return Promise.resolve();
    return new Promise((resolve) => this.idle.add(resolve));
  }

  /** Adds the changes of one gesture. */
  push(
    changes: readonly Change[],
    view: BoardState,
    options: { isUndo?: boolean; seen?: number; label?: string } = {},
  ): string {
    const group = randomKey();
    const last = changes.at(-1);
    if (!last) return '';
    const label = options.label ?? kindOf(last).label(last, view);
    let state = view;
    const entries = changes.map((change) => {
      const entry = {
        change: withOrigin(change, state),
        key: randomKey(),
        order: nextOrder(),
        group,
        label,
        seen: options.seen ?? versionOf(change, this.host.base()),
        revision: this.host.revision(),
        isUndo: options.isUndo ?? false,
      };
      state = kindOf(change).apply(state, change);
      return entry;
    });
    this.host.save(entries);
    this.add(entries);
    return label;
  }

  /** Takes over the changes of an earlier page in their order; the first one may have been made already. */
  adopt(entries: readonly Pending[]): void {
    for (const group of new Set(entries.map((each) => each.group))) {
      const conflict = entries.filter((each) => each.group === group && each.isConflict);
      if (conflict.length > 0) this.addConflict(conflict);
    }
    const rest = entries.filter(({ isConflict }) => !isConflict);
    const [first] = rest;
    if (!first) return;
    this.sent.add(first.key);
    this.inherited.add(first.key);
    this.add(rest);
  }

  private add(entries: readonly Pending[]): void {
    this.pending.value = [...this.pending.value, ...entries];
    void this.run();
  }

  /** The last pending change that is not an undo itself. */
  lastPending(): Pending | undefined {
    return this.pending.value.findLast(({ isUndo }) => !isUndo);
  }

  /** Drops a gesture unless a change of it was sent; returns whether it was dropped. */
  withdraw(group: string): boolean {
    const entries = this.pending.value.filter((each) => each.group === group);
    if (entries.some(({ key }) => this.sent.has(key))) return false;
    this.pending.value = this.pending.value.filter((each) => each.group !== group);
    this.host.remove(entries);
    return true;
  }

  /** Calls back when a gesture was confirmed; not if it failed. */
  onceConfirmed(group: string, call: () => void): void {
    this.waiting.set(group, [...(this.waiting.get(group) ?? []), call]);
  }

  /** Removes and returns the last gesture that can be undone; undefined if there is none. */
  takeUndo(): Undoable | undefined {
    const last = this.undoable.value.at(-1);
    this.undoable.value = this.undoable.value.slice(0, -1);
    return last;
  }

  dropConflict(conflict: Conflict): void {
    this.conflicts.value = this.conflicts.value.filter((each) => each !== conflict);
    this.host.remove(conflict.entries);
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    // The browser draws the change before it works on the request.
    await this.host.shown();
    for (let attempt = 0; !this.isStopped;) {
      const [head] = this.pending.value;
      if (!head) break;
      const isRepeated = this.sent.has(head.key);
      this.sent.add(head.key);
      try {
        const { outcome, before } = await this.host.send(head, isRepeated);
        // Until the last of the waiting changes is sent, the others count as unsaved.
        if (this.pending.value.length <= 1) this.isOffline.value = false;
        attempt = 0;
        this.confirm(head, outcome, before);
      } catch (error) {
        if (isTemporary(error)) {
          this.isOffline.value = true;
          this.endIdle();
          const seconds = error instanceof ApiError ? error.retryAfter : undefined;
          await this.pause.wait(seconds ? seconds * 1000 : backoff(attempt++));
          continue;
        }
        if (error instanceof ApiError && error.status === 401) {
          // Continues with `retry` after signing in.
          await this.pause.wait(60_000);
          continue;
        }
        this.fail(head, error as Error);
      }
      this.host.onSettled();
    }
    this.isRunning = false;
    if (this.pending.value.length === 0) this.isOffline.value = false;
    this.endIdle();
  }

  private endIdle(): void {
    for (const end of this.idle) end();
    this.idle.clear();
  }

  private confirm(head: Pending, outcome: Outcome, before: BoardState): void {
    const { change } = head;
    const inverse = this.inherited.has(head.key)
      ? []
      : kindOf(change).inverse(change, before, outcome.id ?? 0);
    /** The state without later changes of others. */
    const after = outcome.commit(before);
    batch(() => {
      this.host.commit(outcome, change);
      const rest = this.pending.value.filter((each) => each !== head);
      const next = rest.map((each) => this.afterConfirmed(each, change, after, outcome.id));
      const changed = next.filter((each, i) => each !== rest[i]);
      if (changed.length > 0) this.host.save(changed);
      this.host.remove([head]);
      this.pending.value = next;
      const created = createdBy(change);
      if (created?.was !== undefined && outcome.id !== undefined) {
        const { entity, was } = created;
        this.renameInUndo(entity, was, outcome.id);
      }
      if (created && outcome.id !== undefined) {
        this.renameInUndo(created.entity, created.id, outcome.id);
      }
      if (!head.isUndo && inverse.length > 0) {
        this.remember(head, inverse, effectsOf(change, after, outcome.id));
      }
    });
    this.sent.delete(head.key);
    if (this.pending.value.some(({ group }) => group === head.group)) return;
    for (const call of this.waiting.get(head.group) ?? []) call();
    this.waiting.delete(head.group);
  }

  /** Updates a later change with the id and the version that the confirmed change has made. */
  private afterConfirmed(
    entry: Pending,
    confirmed: Change,
    after: BoardState,
    id: number | undefined,
  ): Pending {
    const created = createdBy(confirmed);
    let { change } = entry;
    if (created && id !== undefined) change = withId(change, created.entity, created.id, id);
    if (created?.was !== undefined && id !== undefined)
      change = withId(change, created.entity, created.was, id);
    // The user made later changes with the confirmed one in view, so they are conditional on its version.
    const target = targetOf(change);
    const ids = 'ids' in confirmed ? confirmed.ids : [id];
    if (entityOf(confirmed) === 'story') change = withVersions(change, ids, after);
    const isSameRow =
      target !== undefined && ids.includes(target.id) && target.entity === entityOf(confirmed);
    if (change === entry.change && !isSameRow) return entry;
    return { ...entry, change, seen: isSameRow ? versionOf(change, after) : entry.seen };
  }

  private renameInUndo(entity: Entity, from: number, to: number): void {
    this.undoable.value = this.undoable.value.map((each) => ({
      ...each,
      changes: each.changes.map((change) => withId(change, entity, from, to)),
      effects: each.effects.map((effect) => withId(effect, entity, from, to)),
    }));
  }

  private remember({ group, label }: Pending, inverse: Change[], effects: Update[]): void {
    const stack = this.undoable.value;
    const last = stack.at(-1);
    const isSame = last?.group === group;
    const all = {
      group,
      label,
      changes: isSame ? [...inverse, ...last.changes] : inverse,
      effects: isSame ? [...last.effects, ...effects] : effects,
    };
    this.undoable.value = [...(isSame ? stack.slice(0, -1) : stack), all].slice(-MAX_UNDO);
  }

  private fail(head: Pending, error: Error): void {
    const changed = error instanceof StoryChanged ? error : undefined;
    const isStale = error instanceof ApiError && error.status === 412;
    const isConflict = isStale && (changed ?? targetOf(head.change)) !== undefined;
    const dropped = isConflict ? this.sameRow(head) : this.dependents(head);
    this.pending.value = this.pending.value.filter((each) => !dropped.includes(each));
    for (const { group, key } of dropped) {
      this.waiting.delete(group);
      this.sent.delete(key);
    }
    if (isConflict) {
      const entries = dropped.map((each) => ({
        ...each,
        group: head.group,
        isConflict: true,
        ...(changed && { changed: changed.storyId, seen: changed.seen }),
      }));
      this.host.save(entries);
      this.addConflict(entries);
      return;
    }
    this.host.remove(dropped);
    const lost = new Set(dropped.map(({ label }) => label));
    lost.delete(head.label);
    this.host.onRejected(head.label, error, [...lost]);
  }

  /** The changes of the same gesture, and all later changes of the same rows, which build on it. */
  private sameRow(head: Pending): Pending[] {
    const target = targetOf(head.change);
    const together = 'ids' in head.change && !target ? head.change.ids : [];
    return this.pending.value.filter(({ group, change }) => {
      const other = targetOf(change);
      if (group === head.group) return true;
      if ('ids' in change && change.ids.some((id) => together.includes(id))) return true;
      return target !== undefined && other?.entity === target.entity && other.id === target.id;
    });
  }

  /** The changes of the same gesture, and the changes of resources that they would have created. */
  private dependents(head: Pending): Pending[] {
    const dropped = new Set(this.pending.value.filter(({ group }) => group === head.group));
    for (const entry of dropped) {
      const created = createdBy(entry.change);
      if (!created) continue;
      for (const each of this.pending.value) {
        if (refersTo(each.change, created.entity, created.id)) dropped.add(each);
      }
    }
    return [...dropped];
  }

  private addConflict(entries: readonly Pending[]): void {
    const [first] = entries;
    if (!first) return;
    const { changed } = first;
    const target = changed === undefined ? targetOf(first.change) : storyTarget(changed);
    if (!target) return;
    const labels = [...new Set(entries.map(({ label }) => label))];
    const conflict = {
      label: labels.join('; '),
      entries,
      target,
      seen: first.seen ?? 0,
      revision: first.revision,
    };
    this.conflicts.value = [...this.conflicts.value, conflict];
  }
}
