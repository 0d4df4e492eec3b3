import { ApiError } from '../../../web/src/api/problem';
import type { Change, Outcome } from '../../../web/src/state/changes/change';
import { applyAll, kindOf } from '../../../web/src/state/changes/kinds';
import { StoryChanged } from '../../../web/src/state/changes/conflict';
import type { Gesture, Pending } from '../../../web/src/state/changes/pending';
import { ChangeQueue } from '../../../web/src/state/changes/queue';
import { hasFields, rowOf } from '../../../web/src/state/changes/rows';
import type { BoardState } from '../../../web/src/state/model';
import { boardWith, story } from './state';

const lost = (): TypeError => new TypeError('Failed to fetch');
const rejected = (status: number, code = 'rejected'): ApiError => new ApiError(status, code, code);

const update = (id: number, set: object): Change => ({ kind: 'story.update', id, set });
const create = (id: number, title: string): Change => ({
  kind: 'story.create',
  id,
  list: null,
  body: { title },
});

/** Waits until all promises that can settle have settled. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue over stories 1 to 3, whose requests the test answers. */
class Host {
  state: BoardState = boardWith([story(1), story(2), story(3)]);
  readonly kept = new Map<string, Pending>();
  readonly rejected: { label: string; lost: readonly string[] }[] = [];
  readonly sent: Pending[] = [];
  readonly undone: string[] = [];
  readonly repeated: boolean[] = [];
  private open?: { entry: Pending; end: (error: Error | undefined, id?: number) => void };
  readonly queue = new ChangeQueue({
    confirmed: () => this.state,
    revision: () => 1,
    commit: (outcome) => (this.state = outcome.commit(this.state)),
    shown: () => Promise.resolve(),
    send: (entry, isRepeated) => {
      this.repeated.push(isRepeated);
      return this.send(entry);
    },
    onUndone: ({ group }) => this.undone.push(group),
    onSettled: () => undefined,
    onRejected: (label, _error, others) => this.rejected.push({ label, lost: others }),
    save: (entries) => entries.forEach((each) => this.kept.set(each.key, each)),
    remove: (entries) => entries.forEach(({ key }) => this.kept.delete(key)),
  });

  private send(entry: Pending): Promise<{ outcome: Outcome; before: BoardState }> {
    if (this.open) throw new Error('another request is open');
    this.sent.push(entry);
    const before = this.state;
    return new Promise((resolve, reject) => {
      const end = (error: Error | undefined, id?: number): void => {
        this.open = undefined;
        if (error) reject(error);
        else resolve({ outcome: outcomeOf(entry.change, id), before });
      };
      this.open = { entry, end };
    });
  }

  push(...changes: Change[]): Gesture {
    const pending = this.queue.pending.value.map(({ change }) => change);
    return this.queue.push(changes, applyAll(this.state, pending));
  }

  /** Answers the open request with an error, or with the id of the created story. */
  async answer(error?: Error, id?: number): Promise<void> {
    await settle();
    if (!this.open) throw new Error('no request is open');
    this.open.end(error, id);
    await settle();
  }

  get titles(): string[] {
    return [...this.state.stories.values()].map(({ title }) => title);
  }
}

/** The outcome of a change on the service: the same change, with a new version and the id of a created story. */
function outcomeOf(change: Change, id?: number): Outcome {
  const real = change.kind === 'story.create' ? { ...change, id: id ?? 0 } : change;
  return {
    id: 'id' in real ? real.id : undefined,
    revision: 2,
    commit: (state) => {
      const next = kindOf(real).apply(state, real);
      const changed = 'id' in real ? next.stories.get(real.id) : undefined;
      if (!changed) return next;
      const stories = new Map(next.stories);
      stories.set(changed.id, { ...changed, version: changed.version + 1 });
      return { ...next, stories };
    },
  };
}

describe('The queue of changes', () => {
  test('sends in order, one at a time', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    host.push(update(2, { title: 'Bee' }), update(3, { title: 'Cat' }));
    await settle();
    expect(host.sent).toHaveLength(1);
    for (let i = 0; i < 3; i++) await host.answer();
    expect(host.sent.map(({ change }) => (change as { id: number }).id)).toEqual([1, 2, 3]);
    expect(host.titles).toEqual(['Ant', 'Bee', 'Cat']);
    expect(host.queue.pending.value).toEqual([]);
    expect(host.queue.state.value).toBe('saved');
    expect(host.kept.size).toBe(0);
  });

  test('stores a change before it sends it, until it is confirmed', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    expect([...host.kept.values()].map(({ change }) => change)).toEqual([
      update(1, { title: 'Ant' }),
    ]);
    expect(host.sent).toEqual([]);
    await host.answer();
    expect(host.kept.size).toBe(0);
  });

  test('sends again with the same key while the response is lost, and later changes wait', async () => {
    const host = new Host();
    host.push(create(-1, 'New'));
    host.push(update(2, { title: 'Bee' }));
    await host.answer(lost());
    expect(host.queue.state.value).toBe('offline');
    host.queue.retry();
    await host.answer(rejected(503));
    host.queue.retry();
    await host.answer(undefined, 9);
    await host.answer();
    const keys = host.sent.map(({ key }) => key);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
    expect(host.queue.state.value).toBe('saved');
    expect(host.titles).toEqual(['Story 1', 'Bee', 'Story 3', 'New']);
  });

  test('stays offline until the last of the waiting changes is sent', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    host.push(update(2, { title: 'Bee' }));
    await host.answer(lost());
    host.queue.retry();
    await host.answer();
    expect(host.queue.state.value).toBe('offline');
    await host.answer();
    expect(host.queue.isOffline.value).toBe(false);
  });

  test('says while it is offline whether the service has too many requests', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    await host.answer(rejected(429, 'too_many_requests'));
    expect([host.queue.isOffline.value, host.queue.isBusy.value]).toEqual([true, true]);
    host.queue.retry();
    await host.answer(lost());
    expect([host.queue.isOffline.value, host.queue.isBusy.value]).toEqual([true, false]);
    host.queue.stop();
  });

  test('is no longer offline once the last change was rejected', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    await host.answer(lost());
    host.queue.retry();
    await host.answer(rejected(409));
    host.push(update(2, { title: 'Bee' }));
    expect(host.queue.state.value).toBe('saving');
  });

  test('numbers the changes of one gesture, so that they are sent in order after a reload', () => {
    const host = new Host();
    host.push(...[1, 2, 3].map((id) => update(id, { title: 'New' })));
    const orders = [...host.kept.values()].map(({ order }) => order);
    expect(orders).toEqual([...new Set(orders)].sort((a, b) => a - b));
    expect(orders).toHaveLength(3);
  });

  test('waits after 401 without being offline, and continues with the same key', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    await host.answer(rejected(401));
    expect(host.queue.isOffline.value).toBe(false);
    expect(host.queue.pending.value).toHaveLength(1);
    expect(host.rejected).toEqual([]);
    host.queue.retry();
    await host.answer();
    expect(host.sent[1]?.key).toBe(host.sent[0]?.key);
    expect(host.titles[0]).toBe('Ant');
  });

  test('rejects a change after some responses 500, and sends the next one', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    host.push(update(2, { title: 'Bee' }));
    for (let i = 0; i <= 5; i++) {
      expect(host.rejected).toEqual([]);
      await host.answer(rejected(500));
      host.queue.retry();
    }
    expect(host.rejected).toEqual([{ label: 'Change “Story 1”', lost: [] }]);
    await host.answer(rejected(500));
    host.queue.retry();
    await host.answer();
    expect(host.titles.slice(0, 2)).toEqual(['Story 1', 'Bee']);
  });

  test('counts neither lost responses nor the responses 500 of earlier changes', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    host.push(update(2, { title: 'Bee' }));
    const errors = Array.from({ length: 5 }, () => rejected(500));
    for (const error of [...errors.map(() => lost()), ...errors, undefined, ...errors, undefined]) {
      await host.answer(error);
      host.queue.retry();
    }
    expect(host.rejected).toEqual([]);
    expect(host.titles.slice(0, 2)).toEqual(['Ant', 'Bee']);
  });

  test('turns 412 into a conflict of all later changes of that row, which survives a reload, and sends the others', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    host.push(update(2, { title: 'Bee' }));
    host.push(update(1, { points: 3 }));
    await host.answer(rejected(412));
    const [conflict] = host.queue.conflicts.value;
    expect(conflict).toMatchObject({ target: { entity: 'story', id: 1 }, seen: 1 });
    expect(conflict?.entries.map(({ change }) => change)).toEqual([
      update(1, { title: 'Ant' }),
      update(1, { points: 3 }),
    ]);
    await host.answer();
    expect(host.titles).toEqual(['Story 1', 'Bee', 'Story 3']);
    expect(host.rejected).toEqual([]);
    const after = new Host();
    after.queue.adopt([...host.kept.values()]);
    expect(after.queue.conflicts.value).toHaveLength(1);
    expect(after.queue.pending.value).toEqual([]);
    after.queue.dropConflict(after.queue.conflicts.value[0]!);
    host.queue.dropConflict(conflict!);
    expect(host.kept.size).toBe(0);
  });

  test('has the same conflicts after a reload, each with its own changes', async () => {
    const former = new Host();
    former.push(update(1, { title: 'Ant' }));
    former.push(update(2, { title: 'Bee' }));
    await former.answer(rejected(412));
    await former.answer(rejected(412));
    const host = new Host();
    host.queue.adopt([...former.kept.values()]);
    const changes = host.queue.conflicts.value.map(({ entries }) => entries.map((e) => e.change));
    expect(changes).toEqual([[update(1, { title: 'Ant' })], [update(2, { title: 'Bee' })]]);
  });

  test('keeps the changes of other rows of a gesture that is a conflict in one of them', async () => {
    const host = new Host();
    host.push(
      update(1, { title: 'Ant' }),
      update(2, { title: 'Bee' }),
      update(3, { title: 'Cat' }),
    );
    await host.answer(rejected(412));
    const [conflict] = host.queue.conflicts.value;
    expect(conflict?.entries.map(({ change }) => change)).toEqual([update(1, { title: 'Ant' })]);
    await host.answer();
    await host.answer();
    expect(host.titles).toEqual(['Story 1', 'Bee', 'Cat']);
  });

  test('makes one conflict of a move of several stories and of their later changes', async () => {
    const host = new Host();
    host.push({ kind: 'story.move', ids: [1, 2], list: 1, position: 'last' });
    host.push({ kind: 'story.move', ids: [2, 3], list: 2, position: 'last' });
    host.push(update(3, { title: 'Cat' }));
    await host.answer(new StoryChanged(2, 4));
    expect(host.queue.conflicts.value).toHaveLength(1);
    expect(host.queue.conflicts.value[0]).toMatchObject({ target: { id: 2 }, seen: 4 });
    expect(host.queue.conflicts.value[0]?.entries).toHaveLength(2);
    await host.answer();
    expect(host.titles[2]).toBe('Cat');
    expect([...host.state.stories.values()].map(({ sprint_id }) => sprint_id)).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('drops and reports the changes that depend on a rejected creation, and makes the others', async () => {
    const host = new Host();
    host.push(create(-1, 'New'));
    host.push(update(-1, { title: 'Newer' }));
    host.push(update(2, { title: 'Bee' }));
    host.push({ kind: 'story.move', ids: [3], list: null, position: { after: -1 } });
    await host.answer(rejected(409, 'sprint_full'));
    const lost = [expect.any(String), 'Move “Story 3” after “Newer”'];
    expect(host.rejected).toEqual([{ label: 'Create “New”', lost }]);
    await host.answer();
    expect(host.titles).toEqual(['Story 1', 'Bee', 'Story 3']);
    expect(host.kept.size).toBe(0);
  });

  test('says how many changes of a gesture are not saved, also after a reload', async () => {
    const former = new Host();
    former.push(create(-1, 'Ant'), create(-2, 'Bee'), create(-3, 'Cat'));
    await former.answer(undefined, 7);
    former.queue.stop();
    const host = new Host();
    host.queue.adopt([...former.kept.values()]);
    await host.answer(rejected(409, 'sprint_full'));
    expect(host.rejected).toEqual([{ label: 'Create “Cat” (2 of 3 changes)', lost: [] }]);
  });

  test('gives later changes the id and the version of the confirmed change', async () => {
    const host = new Host();
    host.push(create(-1, 'New'));
    host.push(update(-1, { title: 'Newer' }));
    host.push(update(1, { title: 'Ant' }));
    host.push(update(1, { points: 2 }));
    await host.answer(undefined, 9);
    expect(host.sent[1]).toMatchObject({ change: { id: 9 }, seen: 1 });
    // A reload must find them with that id, too.
    expect(host.kept.get(host.sent[1]!.key)).toMatchObject({ change: { id: 9 }, seen: 1 });
    for (let i = 0; i < 3; i++) await host.answer();
    expect(host.sent.map(({ seen }) => seen)).toEqual([undefined, 1, 1, 2]);
  });

  test('withdraws a gesture that was not sent, and undoes all changes of a gesture that was', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }), update(2, { title: 'Bee' }));
    host.push(update(3, { title: 'Cat' }));
    await settle();
    const last = host.queue.lastPending();
    expect(host.queue.withdraw(last?.group ?? '')).toBe(true);
    const first = host.queue.lastPending();
    expect(host.queue.withdraw(first?.group ?? '')).toBe(false);
    host.queue.undoOnceConfirmed(first?.group ?? '');
    expect(host.queue.lastPending()).toBeUndefined();
    await host.answer();
    expect(host.undone).toEqual([]);
    await host.answer();
    expect(host.undone).toEqual([first?.group]);
    expect(host.sent).toHaveLength(2);
    expect(host.kept.size).toBe(0);
    const undo = host.queue.undo.take();
    expect(undo?.effects).toEqual([update(1, { title: 'Ant' }), update(2, { title: 'Bee' })]);
    expect(undo?.changes).toEqual([
      update(2, { title: 'Story 2' }),
      update(1, { title: 'Story 1' }),
    ]);
    expect(host.queue.undo.take()).toBeUndefined();
  });

  test('can undo a gesture that creates a story and then changes it', async () => {
    const host = new Host();
    host.push(create(-1, 'New'), update(-1, { title: 'Newer' }), update(-1, { points: 3 }));
    await host.answer(undefined, 9);
    await host.answer();
    await host.answer();
    const effects = host.queue.undo.take()?.effects ?? [];
    expect(effects.at(-1)).toEqual(update(9, { points: 3 }));
    for (const each of effects) {
      expect(hasFields(rowOf(host.state, each)!, each.set)).toBe(true);
    }
  });

  test('can undo the changes of a story that was deleted and restored, but not what was undone', async () => {
    const host = new Host();
    const undo = (): Gesture =>
      host.queue.push(host.queue.undo.take()!.changes, host.state, { isUndo: true });
    for (const change of [
      update(1, { title: 'Ant' }),
      update(1, { points: 2 }),
      { kind: 'story.delete', id: 1 } as const,
    ]) {
      host.push(change);
      await host.answer();
    }
    // The second undo refers to the deleted story, because the restored one has no id yet.
    undo();
    undo();
    await host.answer(undefined, 9);
    await host.answer();
    expect(host.sent.at(-1)?.change).toEqual(update(9, { points: null }));
    await host.answer();
    expect(host.queue.undo.take()?.changes).toEqual([update(9, { title: 'Story 1' })]);
    expect(host.queue.undo.take()).toBeUndefined();
  });

  test('undoes a gesture after a reload that was undone without a connection', async () => {
    const former = new Host();
    const { group } = former.push(update(1, { title: 'Ant' }));
    await former.answer(lost());
    former.queue.undoOnceConfirmed(group);
    former.queue.stop();
    const host = new Host();
    host.queue.adopt([...former.kept.values()]);
    await host.answer();
    expect(host.undone).toEqual([group]);
  });

  test('takes back any gesture, by default the last one', async () => {
    const host = new Host();
    const first = host.push(update(1, { title: 'Ant' }));
    host.push(update(2, { title: 'Bee' }));
    expect(host.queue.lastPending(first)?.group).toBe(first.group);
    await host.answer();
    await host.answer();
    expect(host.queue.undo.take(first.group)?.changes).toEqual([update(1, { title: 'Story 1' })]);
    expect(host.queue.undo.take(first.group)).toBeUndefined();
    expect(host.queue.undo.take()?.changes).toEqual([update(2, { title: 'Story 2' })]);
  });

  test('sends the changes of an earlier page in order, with their keys, and cannot undo the first one', async () => {
    const former = new Host();
    former.push(update(1, { title: 'Ant' }));
    former.push(update(2, { title: 'Bee' }));
    await former.answer(lost());
    former.queue.stop();
    const host = new Host();
    host.queue.adopt([...former.kept.values()]);
    await host.answer();
    await host.answer();
    expect(host.sent.map(({ key }) => key)).toEqual([...former.kept.keys()]);
    // The former page may have sent the first one.
    expect(host.repeated).toEqual([true, false]);
    expect(host.titles).toEqual(['Ant', 'Bee', 'Story 3']);
    expect(host.queue.undo.take()?.changes).toEqual([update(2, { title: 'Story 2' })]);
    expect(host.queue.undo.take()).toBeUndefined();
  });

  test('is drained when all changes are sent, or at once without a connection', async () => {
    const host = new Host();
    host.push(update(1, { title: 'Ant' }));
    let isDrained = false;
    void host.queue.drained().then(() => (isDrained = true));
    await settle();
    expect(isDrained).toBe(false);
    await host.answer();
    expect(isDrained).toBe(true);
    host.push(update(1, { title: 'Bee' }));
    await host.answer(lost());
    await host.queue.drained();
    host.queue.stop();
    await settle();
    expect(host.sent).toHaveLength(2);
  });
});
