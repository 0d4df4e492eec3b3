import { computed, signal } from '@preact/signals';
import { lastWrite } from '../../api/client';
import { ApiError, ignoreMissing } from '../../api/problem';
import { openStream } from '../../api/stream';
import type { Board, Event } from '../../api/types';
import { failureText } from '../../util/failure';
import { quoted } from '../../util/names';
import { afterFrame } from '../../util/retry';
import { unstored } from '../../util/unsaved';
import { isHidden } from '../../util/visible';
import type { Toast } from '../announce';
import { alertError, announce, announceOther, report, toast } from '../announce';
import type { Change } from '../changes/change';
import { valuesOf } from '../changes/change';
import type { Conflict } from '../changes/conflict';
import { seenOf } from '../changes/conflict';
import { applyAll, asDone } from '../changes/kinds';
import { deleteMissing, deleteSnapshot, Outbox, unsavedBy } from '../changes/outbox';
import type { Gesture, Pending, Seen } from '../changes/pending';
import { ChangeQueue } from '../changes/queue';
import {
  hasFields,
  rowOf,
  storiesOfChange,
  withId,
  withoutId,
  withoutOrigin,
} from '../changes/rows';
import { createStoryAgain } from '../changes/story-kinds';
import { openDialog } from '../dialogs';
import type { BoardState, Card } from '../model';
import { expire, isExpired, signedIn } from '../session';
import { BoardReader } from './board-reader';
import { ChangeSender } from './change-sender';
import { ConfirmedBoard } from './confirmed-board';
import { Connection } from './connection';
import { describeEvent } from './events';
import { Lists } from './lists';
import { LiveEvents } from './live-events';
import { RowReader } from './row-reader';
import { Snapshots } from './snapshots';
import { Today } from './today';

/** Milliseconds within which the events of a write outside the queue arrive. */
const WRITE_MS = 3000;

const NONE: ReadonlySet<number> = new Set();

/** Offers to show the text of rejected changes, which would be lost otherwise. */
function showText(label: string, changes: readonly Change[]): Toast['action'] {
  const hasText = changes.map(valuesOf).some((each) => 'title' in each || 'description' in each);
  if (!hasText) return undefined;
  return { name: 'Show text', run: () => openDialog({ kind: 'not-saved', label, changes }) };
}

/**
 * One board in this browser: `confirmed` is what the service has confirmed; `view` is that with the pending changes
 * of the user applied.
 */
export class BoardStore {
  readonly confirmed = new ConfirmedBoard();
  readonly view = computed<BoardState | null>(() => {
    const state = this.confirmed.state.value;
    const changes = this.queue.pending.value.map(({ change }) => change);
    return state && applyAll(state, changes);
  });
  /** The stories with changes that wait for a connection, or until the user has signed in again. */
  readonly unsaved = computed<ReadonlySet<number>>(() => {
    if (!this.queue.isOffline.value && !isExpired.value) return NONE;
    return new Set(this.queue.pending.value.flatMap(({ change }) => storiesOfChange(change)));
  });
  readonly connection: Connection;
  readonly rows: RowReader;
  readonly lists: Lists;
  readonly reader: BoardReader;
  readonly events: LiveEvents;
  readonly sender: ChangeSender;
  readonly queue: ChangeQueue;
  readonly today: Today;
  private readonly outbox: Outbox;
  private readonly snapshots: Snapshots;
  private readonly cleanups: (() => void)[] = [];

  /**
   * @param actor the name of the user; unsaved changes of other users are not sent
   * @param sprint the id of the sprint that is shown, or a word such as `current`; its stories are loaded first
   * @param onRenamed called when the board was renamed
   */
  constructor(
    name: string,
    private readonly actor: string,
    sprint: string | undefined,
    onRenamed: (from: string, to: string) => void,
  ) {
    const { confirmed } = this;
    const connection = new Connection(name, confirmed, (from, to) => {
      onRenamed(from, to);
      void deleteSnapshot(actor, from);
    });
    this.connection = connection;
    this.events = new LiveEvents(confirmed, {
      apply: (event) => this.apply(event),
      read: () => connection.untilAnswered(() => this.reader.read()),
      fail: (error) => this.fail(error),
    });
    this.rows = new RowReader(confirmed, connection, this.events);
    this.lists = new Lists(confirmed, connection, this.rows);
    this.reader = new BoardReader(confirmed, connection, this.lists, sprint);
    this.sender = new ChangeSender(confirmed, connection, this.rows, this.reader, this.events);
    this.today = new Today(confirmed, () => void this.rows.loadSprints());
    this.snapshots = new Snapshots(actor, confirmed, this.lists);
    this.outbox = new Outbox(actor, (entries) => this.queue.adopt(entries));
    this.queue = new ChangeQueue({
      confirmed: () => confirmed.require(),
      revision: () => confirmed.revision.value,
      commit: (outcome, change) => confirmed.commit(outcome, change),
      shown: afterFrame,
      send: async (pending, isRepeated) => {
        // Before the user has signed in again, the browser may have the cookie of another user.
        await signedIn();
        return this.sender.send(pending, isRepeated);
      },
      onUndone: (gesture) => this.undo(gesture),
      // Before the next change is sent, which may be a creation that holds the events, too.
      onSettled: () => this.events.release('creation'),
      onRejected: (label, error, lost, dropped) => {
        const also = lost.length > 0 ? ` Also not saved: ${lost.join('; ')}.` : '';
        const why = error instanceof ApiError ? failureText(error) : error.message;
        const text = `Not saved: ${label}. ${why}${also}`;
        const action = this.addToBacklog(dropped, error) ?? showText(label, dropped);
        toast(text, { isError: true, action });
      },
      save: (entries) => void this.outbox.save(entries),
      remove: (entries) => void this.outbox.remove(entries),
    });
  }

  get name(): string {
    return this.connection.name;
  }

  /**
   * Loads the board and its sprints and follows its stream. Without a connection, it shows the stored snapshot
   * and tries again.
   */
  async open(): Promise<void> {
    window.addEventListener('online', this.wake);
    document.addEventListener('visibilitychange', this.wake);
    this.cleanups.push(() => {
      window.removeEventListener('online', this.wake);
      document.removeEventListener('visibilitychange', this.wake);
      this.today.stop();
    });
    try {
      await this.connection.untilAnswered(
        () => this.reader.read(),
        () => this.showSnapshot(),
      );
    } catch (error) {
      this.fail(error);
      return;
    }
    const isReported = signal(false);
    void this.reportFormer().then(() => (isReported.value = true));
    // A hidden page whose stream is closed may be older than what another page has stored.
    const isCurrent = (): boolean =>
      isReported.value &&
      this.reader.failure.value === null &&
      (this.events.isLive.value || !isHidden.value);
    this.cleanups.push(this.snapshots.keep(isCurrent));
    this.today.watch();
    void this.outbox.adopt(this.confirmed.require().board.id);
    this.followStream();
  }

  /** Reports the unsaved changes of another board that had this name, before its snapshot is replaced. */
  private async reportFormer(): Promise<void> {
    const { id, name } = this.confirmed.require().board;
    const isFormer = (each: Board): boolean => each.name === name && each.id !== id;
    for (const former of await deleteMissing(this.actor, isFormer)) {
      const rows = (await unsavedBy(this.actor)).filter(({ board }) => board === former.id);
      const labels = [...new Set(rows.map(({ label }) => label))].join('; ');
      alertError(
        `Not saved: ${labels}. This was on another board of this name, which was renamed or deleted.`,
      );
    }
  }

  private followStream(): void {
    let asked = this.name;
    const stream = openStream(
      () => ({ id: this.confirmed.require().board.id, name: (asked = this.name) }),
      () => this.confirmed.revision.value,
      {
        onState: (isOpen) => {
          if (isOpen && !this.events.isLive.value) this.wake();
          this.events.isLive.value = isOpen;
        },
        onEvent: (type, data) => this.events.receive(type, data),
        onGone: async (error) => {
          if (error.status === 401) {
            expire();
            await signedIn();
            return true;
          }
          if (error.code === 'route_not_found') return false;
          if (await this.connection.untilAnswered(() => this.connection.findRenamed(asked)))
            return true;
          const detail = 'This board was deleted, or you no longer have access to it.';
          this.fail(new ApiError(error.status, error.code, detail));
          return false;
        },
      },
    );
    this.cleanups.push(() => stream.stop());
  }

  /**
   * Stops reading. Pending changes are sent now, or else kept for the next page that opens the board. Changes that could
   * not be stored are sent as soon as the service can be reached.
   */
  close(): void {
    this.connection.close();
    for (const cleanup of this.cleanups.splice(0)) cleanup();
    void this.queue.drained().then(() => {
      if (this.queue.pending.value.some(({ key }) => unstored.has(key))) return;
      // The action of a message that is still shown may add another change.
      if (this.queue.pending.value.length > 0) this.queue.stop();
      this.outbox.close();
    });
  }

  /**
   * Makes the changes of one gesture. They are shown at once and sent in order.
   * @param options.seen the version of the row that the user saw, or that of each change, if it is not the present one
   * @param options.revision the revision of the board at which the user saw it
   * @param options.label the label of the gesture, if it is not that of its last change
   */
  change(
    changes: readonly Change[],
    {
      isQuiet = false,
      ...options
    }: { isQuiet?: boolean; seen?: Seen; revision?: number; label?: string } = {},
  ): void {
    const view = this.view.value;
    if (!view || changes.length === 0) return;
    const gesture = this.queue.push(changes, view, options);
    const done = asDone(gesture.label);
    if (isQuiet) announce(done);
    else report(done, { name: 'Undo', run: () => this.undo(gesture) });
  }

  /** The action that creates the stories of a sprint that is completed, full or deleted in the backlog. */
  private addToBacklog(dropped: readonly Change[], error: unknown): Toast['action'] {
    if (!(error instanceof ApiError && [404, 409].includes(error.status))) return;
    if (!dropped.some((each) => each.kind === 'story.create' && each.list !== null)) return;
    const changes = dropped
      .filter(({ kind }) => kind !== 'story.move')
      .map((each) => (each.kind === 'story.create' ? { ...each, list: null } : each));
    return { name: 'Add to backlog', run: () => this.change(changes) };
  }

  /** Undoes a gesture, by default the last one: at once if nothing of it was sent, else when it was confirmed. */
  undo(gesture?: Gesture): void {
    const pending = this.queue.lastPending(gesture);
    if (pending) {
      if (this.queue.withdraw(pending.group)) {
        report(`Undone: ${pending.label}`);
        return;
      }
      this.queue.undoOnceConfirmed(pending.group);
      // Without an answer, the user would press the key again, which undoes the change before.
      report(`Undone once it is saved: ${pending.label}`);
      return;
    }
    const view = this.view.value;
    const last = this.queue.undo.take(gesture?.group);
    if (!view || !last) {
      if (gesture) alertError(`Not undone: ${gesture.label}. This page cannot undo it.`);
      else report('Nothing to undo');
      return;
    }
    if (last.changes.length === 0) {
      report(`Not undone: ${last.label}. Changes of sprints cannot be undone.`);
      return;
    }
    const changed = last.effects.find((each) => {
      const row = rowOf(view, each);
      return !row || !hasFields(row, each.set);
    });
    if (changed) {
      const row = rowOf(view, changed);
      const isOne = last.effects.every(({ id }) => id === changed.id);
      const why = row
        ? `${quoted(row.title)} has been changed since.`
        : `${isOne ? 'It' : `#${changed.id}`} is no longer on the board.`;
      alertError(`Not undone: ${last.label}. ${why}`);
      return;
    }
    this.queue.push(last.changes, view, { isUndo: true, label: `Undo (${last.label})` });
    report(`Undone: ${last.label}`);
  }

  /**
   * Makes the changes of a conflict again, on top of those of the other user that were shown; later ones are a
   * conflict again.
   * @param shown the changes of the other user
   * @param deleted the story if the other user has deleted it; it is created again, unless the change moves several
   */
  applyAgain(conflict: Conflict, shown: readonly Event[], deleted?: Card): void {
    this.queue.dropConflict(conflict);
    const changesOf = (entries: readonly Pending[]): Change[] =>
      entries.map(({ change }) => withoutOrigin(change, conflict.target.id));
    if (!deleted) {
      // Each gesture is applied separately, so that a rejected one does not drop the others.
      for (const gesture of new Set(conflict.entries.map((each) => each.gesture))) {
        const entries = conflict.entries.filter((each) => each.gesture === gesture);
        const { label, count, isUndo } = entries[0]!;
        // The label names a sprint that may be deleted since; it is wrong if other changes of the gesture were saved.
        const kept = count === entries.length && !isUndo ? { label } : {};
        this.change(changesOf(entries), { ...seenOf(conflict, shown), ...kept });
      }
      return;
    }
    const changes = changesOf(conflict.entries);
    if (conflict.entries.some(({ changed }) => changed === deleted.id)) {
      this.change(changes.flatMap((each) => withoutId(each, deleted.id)));
      return;
    }
    // Without its external_id, which another story has if the other user has undone the deletion.
    const create = createStoryAgain({ ...deleted, external_id: null });
    const again = changes.map((each) => withId(each, 'story', deleted.id, create.id));
    this.change([create, ...again], { label: `Create ${quoted(deleted.title)}` });
  }

  /** Shows the board of a response; the stream may be disconnected. */
  putBoard(board: Board): void {
    if (board.version < this.confirmed.require().board.version) return;
    this.confirmed.putBoard(board);
    this.connection.rename(board.name);
    this.today.check();
  }

  private readonly wake = (): void => {
    this.connection.retry();
    this.queue.retry();
    this.today.check();
    const state = this.confirmed.state.value;
    if (state && !document.hidden) void this.outbox.adopt(state.board.id);
  };

  private fail(error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    this.reader.failure.value = { status: error.status, detail: error.message };
    if (error.status === 404) void deleteMissing(this.actor, ({ name }) => name === this.name);
  }

  private async showSnapshot(): Promise<void> {
    const { isClosed } = this.connection;
    if (!(await this.snapshots.show(this.name, () => isClosed.value))) return;
    // The stored changes are shown, too, and wait for a connection.
    this.queue.isOffline.value = true;
    this.today.watch();
    await this.outbox.adopt(this.confirmed.require().board.id);
  }

  private apply(event: Event): void {
    const applied = this.confirmed.apply(event);
    if (!applied) return;
    const { before, after } = applied;
    const text = this.isOwn(event) ? undefined : describeEvent(event, before, after);
    if (text) announceOther(text);
    if (event.type === 'board.deleted') {
      this.fail(new ApiError(404, 'board_not_found', 'This board was deleted.'));
    }
    if (event.type === 'board.updated') {
      this.connection.rename(after.board.name);
      this.today.check();
    }
    // The stories of a sprint are shifted without a change of the sprint.
    if (event.entity === 'sprint' && event.type !== 'stories.shifted')
      this.rows.loadSprints().catch(ignoreMissing);
    this.lists.readMissing(event, before, after);
  }

  /** Whether this page has made the change of an event. */
  private isOwn({ entity, id, revision, actor }: Event): boolean {
    if (this.confirmed.readAt(entity, id) >= revision) return true;
    if (actor === this.actor && performance.now() - lastWrite.at < WRITE_MS) return true;
    return (
      entity === 'story' &&
      this.queue.pending.value.some(({ change }) => storiesOfChange(change).includes(id))
    );
  }
}
