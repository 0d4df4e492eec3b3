import type { DBSchema, IDBPDatabase, IDBPObjectStore } from 'idb';
import { openDB } from 'idb';
import type { Board, Sprint } from '../../api/types';
import { randomKey } from '../../util/random';
import { unstored } from '../../util/unsaved';
import type { Card, ListId } from '../model';
import type { Pending } from './pending';
import { nextOrder } from './pending';

/** The actor while no token is required. The next user who signs in sends the unsaved changes of this actor. */
const ANONYMOUS = 'anonymous';

/** The stored data of a board, for a reload without a connection. */
export interface Snapshot {
  board: Board;
  sprints: Sprint[];
  stories: Card[];
  lists: ListId[];
}

/** A stored change. */
export interface Row extends Pending {
  /** The id of the board: another board may get its name. */
  board: number;
  /** Who made the change: another user of this browser must not send it. */
  actor: string;
  /** The outbox that sends it. */
  owner: string;
}

interface Schema extends DBSchema {
  changes: { key: string; value: Row };
  boards: { key: [actor: string, name: string]; value: Snapshot & { actor: string; name: string } };
}

let database: Promise<IDBPDatabase<Schema>> | undefined;

/** Opens the database when it is next used, after it could not be opened or the browser has closed it. */
const forgetDatabase = (): void => {
  database = undefined;
};

function open(): Promise<IDBPDatabase<Schema>> {
  if (!database) {
    database = openDB<Schema>('sprintline', 1, {
      upgrade(db) {
        db.createObjectStore('changes', { keyPath: 'key' });
        db.createObjectStore('boards', { keyPath: ['actor', 'name'] });
      },
      terminated: forgetDatabase,
    });
    database.catch(forgetDatabase);
  }
  return database;
}

/** Runs work on the database; undefined without IndexedDB, where all data stay in memory only. */
async function run<T>(work: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T | undefined> {
  try {
    return await work(await open());
  } catch {
    return undefined;
  }
}

/** The keys of the stored boards of a user. */
const boardsOf = (actor: string): IDBKeyRange => IDBKeyRange.bound([actor], [actor, []]);

/** Deletes the stored boards and unsaved changes of a user who signs out. */
export async function forgetBoards(actor: string): Promise<void> {
  await run(async (db) => {
    const { store, done } = db.transaction('changes', 'readwrite');
    for (const row of await store.getAll()) if (row.actor === actor) void store.delete(row.key);
    await done;
    await db.delete('boards', boardsOf(actor));
  });
}

/** Returns the stored boards of a user, ordered by name. */
export async function storedBoards(actor: string): Promise<readonly Board[]> {
  const stored = await run((db) => db.getAll('boards', boardsOf(actor)));
  const boards = stored?.map(({ board }) => board) ?? [];
  // A board that was renamed elsewhere may also be stored under its former name.
  const isFormer = ({ id, version }: Board): boolean =>
    boards.some((each) => each.id === id && each.version > version);
  return boards.filter((each) => !isFormer(each));
}

/** Deletes the stored boards of a user that no longer exist, except those with unsaved changes, which it returns. */
export async function deleteMissing(
  actor: string,
  isMissing: (board: Board) => boolean,
): Promise<readonly Board[]> {
  const kept: Board[] = [];
  const unsaved = new Set((await unsavedBy(actor)).map(({ board }) => board));
  await run(async (db) => {
    const { store, done } = db.transaction('boards', 'readwrite');
    for (const { board, name } of await store.getAll(boardsOf(actor))) {
      if (!isMissing(board)) continue;
      if (unsaved.has(board.id)) kept.push(board);
      else void store.delete([actor, name]);
    }
    await done;
  });
  return kept;
}

/** Deletes a stored board of a user with its unsaved changes. */
export async function forgetBoard(actor: string, { id, name }: Board): Promise<void> {
  const rows = (await unsavedBy(actor)).filter(({ board }) => board === id);
  await inIndexedDb.remove(rows.map(({ key }) => key));
  await deleteSnapshot(actor, name);
}

export const readSnapshot = (actor: string, name: string): Promise<Snapshot | undefined> =>
  run((db) => db.get('boards', [actor, name]));

export async function writeSnapshot(actor: string, snapshot: Snapshot): Promise<void> {
  const { board, lists } = snapshot;
  await run(async (db) => {
    const { store, done } = db.transaction('boards', 'readwrite');
    const stored = lists.length === 0 ? await store.get([actor, board.name]) : undefined;
    // A page that shows no list, such as the reports, does not replace the lists that another page has stored.
    const hasLists = stored?.board.id === board.id && stored.lists.length > 0;
    if (!hasLists) void store.put({ ...snapshot, actor, name: board.name });
    await done;
  });
}

export async function deleteSnapshot(actor: string, name: string): Promise<void> {
  await run((db) => db.delete('boards', [actor, name]));
}

/** The store of changes that all pages of this browser share. */
export interface ChangeStorage {
  all(): Promise<readonly Row[]>;
  /** Returns whether the rows are stored. */
  put(rows: readonly Row[]): Promise<boolean>;
  remove(keys: readonly string[]): Promise<void>;
  /** Atomically makes one outbox the owner of the rows of another, and returns the rows. */
  pass(from: string, to: string): Promise<readonly Row[]>;
}

/** Writes changes in one transaction; returns whether they are stored. */
async function write(
  work: (store: IDBPObjectStore<Schema, ['changes'], 'changes', 'readwrite'>) => Promise<unknown>[],
): Promise<boolean> {
  const isDone = await run(async (db) => {
    const transaction = db.transaction('changes', 'readwrite');
    const requests = work(transaction.store);
    // So that closing the page now does not abort the transaction.
    transaction.commit();
    await Promise.all([...requests, transaction.done]);
    return true;
  });
  return isDone ?? false;
}

const inIndexedDb: ChangeStorage = {
  all: async () => (await run((db) => db.getAll('changes'))) ?? [],
  put: (rows) => write((store) => rows.map((row) => store.put(row))),
  async remove(keys) {
    await write((store) => keys.map((key) => store.delete(key)));
  },
  async pass(from, to) {
    const passed: Row[] = [];
    await run(async (db) => {
      const { store, done } = db.transaction('changes', 'readwrite');
      for (const row of await store.getAll()) {
        if (row.owner !== from) continue;
        passed.push(row);
        void store.put({ ...row, owner: to });
      }
      await done;
    });
    return passed;
  },
};

/** Returns the unsaved changes of a user on all boards. */
export const unsavedBy = async (actor: string): Promise<readonly Row[]> =>
  (await inIndexedDb.all()).filter((row) => row.actor === actor);

const lockOf = (owner: string): string => `sprintline/${owner}`;

/**
 * Stores the unsaved changes of one open board. Each outbox holds a lock until its page is closed or reloaded.
 * Another outbox then gets the lock and takes over the changes, so that no two outboxes send the same change.
 */
export class Outbox {
  private readonly owner = randomKey();
  private readonly awaited = new Set<string>([this.owner]);
  private readonly isHeld: Promise<void>;
  private readonly closing = new AbortController();
  private board = 0;

  /**
   * @param locks only https and localhost have them; without them two tabs may send a change twice, with the
   * same idempotency key
   */
  constructor(
    private readonly actor: string,
    private readonly onAdopted: (entries: Pending[]) => void,
    private readonly storage = inIndexedDb,
    private readonly locks: Pick<LockManager, 'request'> | undefined = navigator.locks,
  ) {
    this.isHeld = new Promise((resolve) => {
      const hold = (): Promise<void> => {
        resolve();
        return new Promise((release) => {
          this.closing.signal.addEventListener('abort', () => release());
        });
      };
      if (this.locks) void this.locks.request(lockOf(this.owner), hold);
      else resolve();
    });
  }

  /** Sets the board, and takes over its changes from other pages as soon as they are closed. */
  async adopt(board: number): Promise<void> {
    this.board = board;
    await this.isHeld;
    for (const row of await this.storage.all()) {
      const { owner, actor } = row;
      if (row.board !== board || this.awaited.has(owner)) continue;
      if (actor !== this.actor && actor !== ANONYMOUS) continue;
      this.awaited.add(owner);
      const take = (): Promise<void> => this.take(owner);
      const { signal } = this.closing;
      // Waits until the other page is closed.
      if (this.locks) {
        void this.locks.request(lockOf(owner), { signal }, take).catch(ignoreAbort);
      } else void take();
    }
  }

  async save(entries: readonly Pending[]): Promise<void> {
    const { board, actor, owner } = this;
    await this.isHeld;
    const rows = entries.map((entry) => ({ ...entry, board, actor, owner }));
    const isStored = await this.storage.put(rows);
    for (const { key } of entries) {
      if (isStored) unstored.delete(key);
      else unstored.add(key);
    }
  }

  async remove(entries: readonly Pending[]): Promise<void> {
    await this.isHeld;
    const keys = entries.map(({ key }) => key);
    await this.storage.remove(keys);
    // Now, because saving them may have failed meanwhile.
    for (const key of keys) unstored.delete(key);
  }

  /** Lets another outbox take over the changes that are not sent. */
  close(): void {
    this.closing.abort();
  }

  private async take(from: string): Promise<void> {
    const taken = [...(await this.storage.pass(from, this.owner))];
    if (taken.length === 0) return;
    // With new numbers, the next page sends them in the same order as this one: after its own changes, and before later
    // ones even if the clock is set back. Saving them also makes this user the actor of changes made without a token.
    const entries = taken
      .sort((a, b) => a.order - b.order)
      .map((each) => ({ ...each, order: nextOrder() }));
    void this.save(entries);
    this.onAdopted(entries);
  }
}

const ignoreAbort = (error: Error): void => {
  if (error.name !== 'AbortError') throw error;
};
