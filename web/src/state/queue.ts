import { batch, computed, signal } from '@preact/signals';
import { ApiError, isDisconnected } from '../api/problem';
import { randomKey } from '../util/random';
import type { Change, Outcome } from './changes';
import { kindOf, targetOf, withRealId } from './changes';
import type { BoardState } from './model';

/** A change that the service has not confirmed, as plain data. */
export interface Pending {
  change: Change;
  /** The idempotency key: the same for each attempt. */
  key: string;
  /** Changes of one gesture: they are undone together, and if one fails the rest is dropped. */
  group: string;
  label: string;
  /** The version of the row that the user saw. */
  seen?: number;
  isUndo: boolean;
}

/** A change that was not made because someone else changed the row before. */
export interface Conflict {
  label: string;
  changes: Change[];
  target: { entity: 'story' | 'task'; id: number };
  /** The version that the user saw. */
  seen: number;
}

export interface Undoable {
  group: string;
  label: string;
  changes: Change[];
}

/** What the queue needs of the store of the board. */
export interface QueueHost {
  base(): BoardState;
  commit(outcome: Outcome): void;
  /** Resolves with the outcome and the state before the first attempt. */
  send(pending: Pending): Promise<{ outcome: Outcome; before: BoardState }>;
  onRejected(label: string, error: ApiError): void;
}

const MAX_UNDO = 50;
const isTemporary = (error: ApiError): boolean =>
  [408, 429, 500, 502, 503, 504].includes(error.status);

/**
 * The changes of the user in their order. Each is shown at once, sent when those before it are
 * confirmed, and repeated with the same key while the service cannot be reached.
 */
export class ChangeQueue {
  readonly pending = signal<readonly Pending[]>([]);
  readonly conflicts = signal<readonly Conflict[]>([]);
  readonly undoable = signal<readonly Undoable[]>([]);
  /** Whether the last attempt did not reach the service. */
  readonly isOffline = signal(false);
  readonly state = computed<'saved' | 'saving' | 'offline'>(() => {
    if (this.pending.value.length === 0) return 'saved';
    return this.isOffline.value ? 'offline' : 'saving';
  });

  private readonly waiting = new Map<string, () => void>();
  private isRunning = false;
  private isStopped = false;
  private wake: () => void = () => undefined;

  constructor(private readonly host: QueueHost) {
    window.addEventListener('online', this.retry);
  }

  stop(): void {
    this.isStopped = true;
    window.removeEventListener('online', this.retry);
    this.wake();
  }

  /** Sends again now what waits for the connection. */
  readonly retry = (): void => this.wake();

  /** Adds the changes of one gesture. */
  push(
    changes: readonly Change[],
    view: BoardState,
    options: { isUndo?: boolean; seen?: number } = {},
  ): string {
    const group = randomKey();
    const [first] = changes;
    if (!first) return '';
    const label = kindOf(changes.at(-1) ?? first).label(changes.at(-1) ?? first, view);
    this.add(
      changes.map((change) => ({
        change,
        key: randomKey(),
        group,
        label,
        seen: options.seen ?? this.versionOf(change),
        isUndo: options.isUndo ?? false,
      })),
    );
    return label;
  }

  /** Adds what was kept over a reload. */
  add(entries: readonly Pending[]): void {
    this.pending.value = [...this.pending.value, ...entries];
    void this.run();
  }

  /** The last gesture that is not confirmed and no undoing itself. */
  lastPending(): string | undefined {
    return this.pending.value.findLast(({ isUndo }) => !isUndo)?.group;
  }

  /** Calls back when a gesture was confirmed; not if it failed. */
  onceConfirmed(group: string, call: () => void): void {
    this.waiting.set(group, call);
  }

  /** The changes that undo the last gesture; undefined where there is none. */
  takeUndo(): Undoable | undefined {
    const last = this.undoable.value.at(-1);
    this.undoable.value = this.undoable.value.slice(0, -1);
    return last;
  }

  dropConflict(conflict: Conflict): void {
    this.conflicts.value = this.conflicts.value.filter((each) => each !== conflict);
  }

  private versionOf(change: Change): number | undefined {
    const target = targetOf(change);
    if (!target) return undefined;
    const base = this.host.base();
    if (target.entity === 'story') return base.stories.get(target.id)?.version;
    for (const tasks of base.tasks.values()) {
      const task = tasks.find(({ id }) => id === target.id);
      if (task) return task.version;
    }
    return undefined;
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    for (let attempt = 0; !this.isStopped;) {
      const [head] = this.pending.value;
      if (!head) break;
      try {
        const { outcome, before } = await this.host.send(head);
        this.isOffline.value = false;
        attempt = 0;
        this.confirm(head, outcome, before);
      } catch (error) {
        if (isDisconnected(error) || (error instanceof ApiError && isTemporary(error))) {
          this.isOffline.value = true;
          const seconds = error instanceof ApiError ? error.retryAfter : undefined;
          await this.pause(seconds ? seconds * 1000 : Math.min(8000, 500 * 2 ** attempt++));
        } else if (error instanceof ApiError && error.status === 401) {
          // Continues with `retry` after signing in.
          await this.pause(60_000);
        } else {
          this.fail(head, error);
        }
      }
    }
    this.isRunning = false;
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private confirm(head: Pending, outcome: Outcome, before: BoardState): void {
    const { change } = head;
    const inverse = kindOf(change).inverse(change, before, outcome.id ?? 0);
    batch(() => {
      this.host.commit(outcome);
      let rest = this.pending.value.filter((each) => each !== head);
      const temporary = 'id' in change && change.id < 0 ? change.id : undefined;
      if (temporary !== undefined && outcome.id !== undefined) {
        const id = outcome.id;
        rest = rest.map((each) => ({ ...each, change: withRealId(each.change, temporary, id) }));
      }
      // What the user changed afterwards, they changed with this change in view.
      const [id, entity] = [outcome.id, change.kind.split('.')[0]];
      rest = rest.map((each) => {
        const target = targetOf(each.change);
        if (!target || target.id !== id || target.entity !== entity) return each;
        return { ...each, seen: this.versionOf(each.change) };
      });
      this.pending.value = rest;
      if (!head.isUndo) this.remember(head, inverse);
    });
    if (this.pending.value.some(({ group }) => group === head.group)) return;
    this.waiting.get(head.group)?.();
    this.waiting.delete(head.group);
  }

  private remember({ group, label }: Pending, inverse: Change[]): void {
    const stack = this.undoable.value;
    const last = stack.at(-1);
    this.undoable.value =
      last?.group === group
        ? [...stack.slice(0, -1), { ...last, changes: [...inverse, ...last.changes] }]
        : [...stack, { group, label, changes: inverse }].slice(-MAX_UNDO);
  }

  private fail(head: Pending, error: unknown): void {
    const dropped = this.pending.value.filter(({ group }) => group === head.group);
    this.pending.value = this.pending.value.filter(({ group }) => group !== head.group);
    this.waiting.delete(head.group);
    const target = targetOf(head.change);
    if (error instanceof ApiError && error.status === 412 && target) {
      const changes = dropped.map(({ change }) => change);
      const conflict = { label: head.label, changes, target, seen: head.seen ?? 0 };
      this.conflicts.value = [...this.conflicts.value, conflict];
      return;
    }
    if (!(error instanceof ApiError)) throw error;
    this.host.onRejected(head.label, error);
  }
}
