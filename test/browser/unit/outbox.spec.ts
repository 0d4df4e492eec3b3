import type { ChangeStorage, Row } from '../../../web/src/state/changes/outbox';
import { Outbox } from '../../../web/src/state/changes/outbox';
import type { Pending } from '../../../web/src/state/changes/pending';
import { nextOrder } from '../../../web/src/state/changes/pending';

/** The storage and the locks that the pages of one browser share. */
class Browser {
  readonly rows = new Map<string, Row>();
  private readonly queues = new Map<string, Promise<void>>();

  readonly storage: ChangeStorage = {
    all: async () => [...this.rows.values()],
    put: async (rows) => {
      for (const row of rows) this.rows.set(row.key, row);
      return true;
    },
    remove: async (keys) => keys.forEach((key) => this.rows.delete(key)),
    pass: async (from, to) => {
      const passed = [...this.rows.values()].filter(({ owner }) => owner === from);
      for (const row of passed) this.rows.set(row.key, { ...row, owner: to });
      return passed;
    },
  };

  /** Exclusive locks by name, as in the Web Locks API. */
  readonly locks = {
    request: async (name: string, ...rest: any[]): Promise<void> => {
      const [hold, options] = [rest.at(-1), rest.length > 1 ? rest[0] : {}];
      const before = this.queues.get(name) ?? Promise.resolve();
      const turn = before.then(() => {
        if (!options.signal?.aborted) return hold();
      });
      this.queues.set(name, turn);
      await turn;
    },
  } as Pick<LockManager, 'request'>;

  page(actor = 'Mei'): { outbox: Outbox; adopted: Pending[][] } {
    const adopted: Pending[][] = [];
    const take = (entries: Pending[]): void => void adopted.push(entries);
    return { outbox: new Outbox(actor, take, this.storage, this.locks), adopted };
  }
}

const entry = (order: number): Pending => ({
  change: { kind: 'story.update', id: order, set: {} },
  key: `key ${order}`,
  order,
  group: `${order}`,
  label: '',
  revision: 1,
  isUndo: false,
});

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const keysOf = (entries: readonly Pending[] | undefined) => entries?.map(({ key }) => key);

test('takes over the changes of a page once it is closed, in their order', async () => {
  const browser = new Browser();
  const former = browser.page();
  await former.outbox.adopt(1);
  await former.outbox.save([entry(2), entry(3)]);
  await former.outbox.save([entry(1)]);
  await former.outbox.remove([entry(3)]);
  const next = browser.page();
  await next.outbox.adopt(1);
  await settle();
  expect(next.adopted).toEqual([]);
  former.outbox.close();
  await settle();
  expect(next.adopted.map(keysOf)).toEqual([['key 1', 'key 2']]);
});

test('only one of two other pages takes over the changes of a closed page', async () => {
  const browser = new Browser();
  const former = browser.page();
  await former.outbox.adopt(1);
  await former.outbox.save([entry(1)]);
  const [left, right] = [browser.page(), browser.page()];
  await Promise.all([left.outbox.adopt(1), right.outbox.adopt(1)]);
  // Called again, as whenever the window becomes visible.
  await left.outbox.adopt(1);
  former.outbox.close();
  await settle();
  expect([...left.adopted, ...right.adopted].map(keysOf)).toEqual([['key 1']]);
});

test('leaves the changes that it has taken over to the next page if it is closed before it sends them', async () => {
  const browser = new Browser();
  const first = browser.page();
  await first.outbox.adopt(1);
  await first.outbox.save([entry(1)]);
  first.outbox.close();
  const second = browser.page();
  await second.outbox.adopt(1);
  await settle();
  await second.outbox.save([{ ...entry(2), order: nextOrder() }]);
  second.outbox.close();
  const third = browser.page();
  await third.outbox.adopt(1);
  await settle();
  expect(third.adopted.map(keysOf)).toEqual([['key 1', 'key 2']]);
});

test('does not take over the changes of another board or another user', async () => {
  const browser = new Browser();
  const other = browser.page();
  await other.outbox.adopt(2);
  await other.outbox.save([entry(1)]);
  other.outbox.close();
  const ben = browser.page('Ben');
  await ben.outbox.adopt(1);
  await ben.outbox.save([entry(2)]);
  ben.outbox.close();
  const page = browser.page();
  await page.outbox.adopt(1);
  await settle();
  expect(page.adopted).toEqual([]);
  expect(browser.rows.size).toBe(2);
});

test('takes over the changes from before a token was required as changes of its own user', async () => {
  const browser = new Browser();
  const anonymous = browser.page('anonymous');
  await anonymous.outbox.adopt(1);
  await anonymous.outbox.save([entry(1)]);
  anonymous.outbox.close();
  const mei = browser.page('Mei');
  await mei.outbox.adopt(1);
  await settle();
  expect(mei.adopted.map(keysOf)).toEqual([['key 1']]);
  mei.outbox.close();
  const ben = browser.page('Ben');
  await ben.outbox.adopt(1);
  await settle();
  expect(ben.adopted).toEqual([]);
  expect([...browser.rows.values()].map(({ actor }) => actor)).toEqual(['Mei']);
});

test('keeps changes before later ones, even if the clock was ahead when they were made', async () => {
  const browser = new Browser();
  const ahead = browser.page();
  await ahead.outbox.adopt(1);
  const hour = 3_600_000_000;
  await ahead.outbox.save([entry(nextOrder() + hour), entry(nextOrder() + hour)]);
  ahead.outbox.close();
  const page = browser.page();
  await page.outbox.adopt(1);
  await settle();
  await page.outbox.save([entry(nextOrder())]);
  const keys = [...browser.rows.keys()];
  page.outbox.close();
  const last = browser.page();
  await last.outbox.adopt(1);
  await settle();
  expect(last.adopted.map(keysOf)).toEqual([keys]);
});

test('keeps changes that a page has taken over after its own, which it sends first', async () => {
  const browser = new Browser();
  const first = browser.page();
  await first.outbox.adopt(1);
  const second = browser.page();
  await second.outbox.adopt(1);
  await first.outbox.save([{ ...entry(nextOrder()), key: 'taken over' }]);
  await second.outbox.save([{ ...entry(nextOrder()), key: 'own' }]);
  await second.outbox.adopt(1);
  first.outbox.close();
  await settle();
  second.outbox.close();
  const last = browser.page();
  await last.outbox.adopt(1);
  await settle();
  expect(last.adopted.map(keysOf)).toEqual([['own', 'taken over']]);
});

test('takes over nothing once it is closed', async () => {
  const browser = new Browser();
  const first = browser.page();
  await first.outbox.adopt(1);
  await first.outbox.save([entry(1)]);
  const second = browser.page();
  await second.outbox.adopt(1);
  second.outbox.close();
  const third = browser.page();
  await third.outbox.adopt(1);
  first.outbox.close();
  await settle();
  expect(second.adopted).toEqual([]);
  expect(third.adopted.map(keysOf)).toEqual([['key 1']]);
});

test('takes over the changes of other pages at once where the browser has no locks, but never its own', async () => {
  const { storage } = new Browser();
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
  const other = new Outbox('Mei', () => undefined, storage);
  await other.adopt(1);
  await other.save([entry(1)]);
  const adopted: Pending[][] = [];
  const page = new Outbox('Mei', (entries) => adopted.push(entries), storage);
  await page.adopt(1);
  await page.save([entry(2)]);
  // Called again, as whenever the window becomes visible.
  await page.adopt(1);
  await settle();
  expect(adopted.map(keysOf)).toEqual([['key 1']]);
});
