import { batch, computed, signal } from '@preact/signals';
import { ApiError, hasTooMany, isStale, isTemporary, isUnauthorized } from '../../api/problem';
import { delayAfter, Pause, whenTrue } from '../../util/retry';
import type { BoardState } from '../model';
import type { Change, Confirmation, Outcome } from './change';
import type { Conflict } from './conflict';
import { conflictOf, labelOf, StoryChanged } from './conflict';
import { kindOf } from './kinds';
import type { Gesture, Pending, Seen } from './pending';
import { afterConfirmed, pendingOf, withDependents, withSameRow } from './pending';
import { createdBy, effectsOf, targetOf } from './rows';
import { UndoStack } from './undo';

/** What the queue needs of the store of the board. */
export interface QueueHost {
  confirmed(): BoardState;
  revision(): number;
  commit(outcome: Outcome, change: Change): void;
  /** Resolves when the browser has drawn the change. */
  shown(): Promise<void>;
  /** @param isRepeated whether an earlier attempt may have reached the service */
  send(pending: Pending, isRepeated: boolean): Promise<Confirmation>;
  /** Called when the last change of a gesture that the user has undone meanwhile was confirmed. */
  onUndone(gesture: Gesture): void;
  /** Called when the first pending change was confirmed or has failed, before the next one is sent. */
  onSettled(): void;
  /**
   * @param label the label of the rejected gesture, with the number of its dropped changes if some were confirmed
   * @param lost the labels of the changes that are dropped because they depend on the rejected one
   * @param dropped the rejected change and these changes
   */
  onRejected(
    label: string,
    error: Error,
    lost: readonly string[],
    dropped: readonly Change[],
  ): void;
  /** Stores entries, so that they survive a reload. */
  save(entries: readonly Pending[]): void;
  remove(entries: readonly Pending[]): void;
}

/** Responses 500 after which the next one rejects a change. Otherwise all later changes would wait for it. */
const MAX_ERRORS = 5;

/**
 * The changes of the user in their order. Each is shown at once, sent when those before it are
 * confirmed, and repeated with the same key while the service cannot be reached.
 */
export class ChangeQueue {
  readonly pending = signal<readonly Pending[]>([]);
  readonly conflicts = signal<readonly Conflict[]>([]);
  readonly undo = new UndoStack();
  /** Whether changes wait because the service cannot be reached. */
  readonly isOffline = signal(false);
  /** Whether it is offline because the service has too many requests. */
  readonly isBusy = signal(false);
  readonly state = computed<'saved' | 'saving' | 'offline'>(() => {
    if (this.pending.value.length === 0) return 'saved';
    return this.isOffline.value ? 'offline' : 'saving';
  });

  /** The keys of changes that may have reached the service. */
  private readonly sent = new Set<string>();
  /** The keys of changes that an earlier page sent first; the state before is unknown, so undo is impossible. */
  private readonly inherited = new Set<string>();
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
    return whenTrue(computed(() => this.state.value !== 'saving'));
  }

  /** Adds the changes of one gesture; there must be one. */
  push(
    changes: readonly Change[],
    view: BoardState,
    options: Partial<Pick<Pending, 'isUndo' | 'revision' | 'label'>> & { seen?: Seen } = {},
  ): Gesture {
    const last = changes.at(-1)!;
    const { isUndo = false, label = kindOf(last).label(last, view) } = options;
    const gesture = { revision: this.host.revision(), ...options, label, isUndo };
    const entries = pendingOf(changes, view, this.host.confirmed(), gesture);
    this.host.save(entries);
    this.add(entries);
    return { group: entries[0]!.group, label };
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

  /** The last pending change, of this gesture if one is given, that is not an undo itself, nor undone. */
  lastPending(gesture?: Gesture): Pending | undefined {
    return this.pending.value.findLast(
      ({ isUndo, isUndone, group }) => !isUndo && !isUndone && group === (gesture?.group ?? group),
    );
  }

  /** Drops a gesture unless a change of it was sent; returns whether it was dropped. */
  withdraw(group: string): boolean {
    const entries = this.pending.value.filter((each) => each.group === group);
    if (entries.some(({ key }) => this.sent.has(key))) return false;
    this.pending.value = this.pending.value.filter((each) => each.group !== group);
    this.host.remove(entries);
    return true;
  }

  /** Marks a gesture, so that it is undone when it was confirmed, even by another page. */
  undoOnceConfirmed(group: string): void {
    this.pending.value = this.pending.value.map((each) =>
      each.group === group ? { ...each, isUndone: true } : each,
    );
    this.host.save(this.pending.value.filter((each) => each.group === group));
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
    for (let attempt = 0, errors = 0; !this.isStopped;) {
      const [head] = this.pending.value;
      if (!head) break;
      const isRepeated = this.sent.has(head.key);
      this.sent.add(head.key);
      try {
        const { outcome, before } = await this.host.send(head, isRepeated);
        // Until the last of the waiting changes is sent, the others count as unsaved.
        if (this.pending.value.length <= 1) this.isOffline.value = false;
        [attempt, errors] = [0, 0];
        // The user may have marked it as undone meanwhile.
        this.confirm(this.pending.value[0] ?? head, outcome, before);
      } catch (error) {
        if (error instanceof ApiError && error.status === 500) errors += 1;
        if (isTemporary(error) && errors <= MAX_ERRORS) {
          this.isBusy.value = hasTooMany(error);
          this.isOffline.value = true;
          await this.pause.wait(delayAfter(error, attempt++));
          continue;
        }
        if (isUnauthorized(error)) {
          // The next attempt waits until the user has signed in again.
          await this.pause.wait(delayAfter(error, attempt++));
          continue;
        }
        this.fail(head, error as Error);
        [attempt, errors] = [0, 0];
      }
      this.host.onSettled();
    }
    this.isRunning = false;
    if (this.pending.value.length === 0) this.isOffline.value = false;
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
      const next = rest.map((each) => afterConfirmed(each, change, after, outcome.id));
      const changed = next.filter((each, i) => each !== rest[i]);
      if (changed.length > 0) this.host.save(changed);
      this.host.remove([head]);
      this.pending.value = next;
      const created = createdBy(change);
      if (created && outcome.id !== undefined) {
        const { entity, id, was } = created;
        if (was !== undefined) this.undo.replaceId(entity, was, outcome.id);
        this.undo.replaceId(entity, id, outcome.id);
      }
      if (!head.isUndo && inverse.length > 0) {
        this.undo.add(head, inverse, effectsOf(change, after, outcome.id));
      }
    });
    this.sent.delete(head.key);
    const isLast = !this.pending.value.some(({ group }) => group === head.group);
    if (head.isUndone && isLast) this.host.onUndone(head);
  }

  private fail(head: Pending, error: Error): void {
    const changed = error instanceof StoryChanged ? error : undefined;
    const isConflict = isStale(error) && (changed ?? targetOf(head.change)) !== undefined;
    const dropped = isConflict
      ? withSameRow(head, this.pending.value)
      : withDependents(head, this.pending.value);
    this.pending.value = this.pending.value.filter((each) => !dropped.includes(each));
    for (const { key } of dropped) this.sent.delete(key);
    if (isConflict) {
      const entries = dropped.map((each) => ({
        ...each,
        gesture: each.group,
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
    const changes = dropped.map(({ change }) => change);
    const own = dropped.filter(({ group }) => group === head.group);
    this.host.onRejected(labelOf(own), error, [...lost], changes);
  }

  private addConflict(entries: readonly Pending[]): void {
    const conflict = conflictOf(entries);
    if (conflict) this.conflicts.value = [...this.conflicts.value, conflict];
  }
}
