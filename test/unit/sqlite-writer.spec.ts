import Libsql from 'libsql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource, EntityManager } from 'typeorm';
import { createDataSource } from '../../src/database/data-source';

/** Number of prepared statements that TypeORM caches for a connection. */
const CACHED_STATEMENTS = 100;

let folder: string;
let writer: DataSource;
let other: Libsql.Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sprintline-writer-'));
  const file = join(folder, 'board.db');
  writer = createDataSource({ kind: 'sqlite', file }, 'write');
  await writer.initialize();
  await writer.query('CREATE TABLE rows (id)');
  other = new Libsql(file);
});
afterEach(async () => {
  await writer.destroy();
  other.close();
  rmSync(folder, { recursive: true });
});

const insert = (): Promise<unknown> =>
  writer.transaction((manager) => manager.query('INSERT INTO rows VALUES (1)'));

const expectBusyFile = async (): Promise<void> => {
  other.exec('BEGIN IMMEDIATE');
  await expect(insert()).rejects.toMatchObject({ driverError: { code: 'SQLITE_BUSY' } });
  other.exec('COMMIT');
};

describe('the writer of an SQLite file that another connection has locked', () => {
  it('can write once the lock is released, whatever it reads in the meantime', async () => {
    await expectBusyFile();
    for (let i = 0; i <= CACHED_STATEMENTS; i += 1) await writer.query(`SELECT ${i}`);
    await insert();
    expect(other.prepare('SELECT * FROM rows').all()).toHaveLength(1);
  });

  it('reads what others wrote, once the lock is released', async () => {
    await expectBusyFile();
    await writer.query('SELECT * FROM rows');
    other.exec('INSERT INTO rows VALUES (2)');
    expect(await writer.query('SELECT * FROM rows')).toHaveLength(1);
    await insert();
  });
});

describe('the commit of a long transaction', () => {
  /** Runs a transaction that takes at least 20 ms, and calls `last` at its end. */
  const insertMany = (last?: (manager: EntityManager) => Promise<unknown>): Promise<void> =>
    writer.transaction(async (manager) => {
      const end = performance.now() + 20;
      do await manager.query('INSERT INTO rows VALUES (zeroblob(5000000))');
      while (performance.now() < end);
      await last?.(manager);
    });

  it('lets the process serve others meanwhile', async () => {
    let turns = 0;
    let counting = setImmediate(() => undefined);
    const count = (): void => {
      turns += 1;
      counting = setImmediate(count);
    };
    await insertMany(async () => (counting = setImmediate(count)));
    clearImmediate(counting);
    expect(turns).toBeGreaterThan(0);
    expect(other.prepare('SELECT id FROM rows').all()).not.toHaveLength(0);
  });

  it('fails like that of a short one', async () => {
    await writer.query('CREATE TABLE parents (id PRIMARY KEY)');
    await writer.query(
      'CREATE TABLE children (parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)',
    );
    const orphan = (manager: EntityManager) => manager.query('INSERT INTO children VALUES (1)');
    const code = 'SQLITE_CONSTRAINT_FOREIGNKEY';
    await expect(writer.transaction(orphan)).rejects.toMatchObject({ code });
    await expect(insertMany(orphan)).rejects.toMatchObject({ code });
    await insert();
    expect(other.prepare('SELECT id FROM rows').all()).toHaveLength(1);
  });
});
