import Libsql from 'libsql';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SqliteSnapshots } from '../../src/database/sqlite-snapshots';
import { startApp } from '../support/app';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sprintline-log-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('a long write-ahead log is copied and reset under constant writes', async () => {
  const file = join(folder, 'log.db');
  const writer = new Libsql(file);
  writer.pragma('journal_mode = WAL');
  writer.pragma('wal_autocheckpoint = 0');
  writer.pragma('synchronous = OFF');
  writer.pragma('busy_timeout = 1000');
  writer.exec('CREATE TABLE rows (content TEXT)');
  const insert = writer.prepare('INSERT INTO rows VALUES (?)');
  const write = (bytes: number) => insert.run('x'.repeat(bytes));
  // The checkpoint sequence number, which each reset increments (SQLite's file format, section 4.1).
  const resets = (): number => readFileSync(`${file}-wal`).readUInt32BE(12);
  const snapshots = new SqliteSnapshots(file);
  try {
    await (await snapshots.open()).close();
    write(20 * 1024 * 1024);
    const before = resets();
    while (resets() === before) {
      write(100);
      await setImmediate();
    }
  } finally {
    await snapshots.close();
    writer.close();
  }
});

it('a snapshot of a thread that has ended rejects its queries, and can be closed', async () => {
  const snapshots = new SqliteSnapshots(join(folder, 'missing', 'board.db'));
  const snapshot = await snapshots.open();
  await expect(snapshot.query('SELECT 1')).rejects.toMatchObject({ code: 'SQLITE_IOERR' });
  await expect(snapshot.query('SELECT 1')).rejects.toMatchObject({ code: 'SQLITE_IOERR' });
  await snapshot.close();
  await snapshots.close();
});

it('a SELECT that found the file locked leaves no lock behind', async () => {
  const file = join(folder, 'locked.db');
  // In rollback mode, unlike in WAL mode, a writer alone locks readers out.
  const writer = new Libsql(file);
  writer.exec('CREATE TABLE rows (id)');
  const snapshots = new SqliteSnapshots(file);
  const read = async (sql: string): Promise<unknown> => {
    const snapshot = await snapshots.open();
    return snapshot.query(sql).finally(() => snapshot.close());
  };
  try {
    await read('SELECT * FROM rows');
    writer.exec('BEGIN EXCLUSIVE');
    await expect(read('SELECT * FROM rows')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    writer.exec('COMMIT');
    expect(await read('SELECT * FROM rows')).toEqual([]);
    writer.exec('INSERT INTO rows VALUES (1)');
    expect(await read('SELECT * FROM rows')).toEqual([{ id: 1 }]);
  } finally {
    await snapshots.close();
    writer.close();
  }
});

it('a service starts again and again until it can read a snapshot', async () => {
  const log: string[] = [];
  const opening = jest.spyOn(SqliteSnapshots.prototype, 'open').mockResolvedValueOnce({
    query: () => Promise.reject(new Error('the thread does not run')),
    close: () => Promise.resolve(),
  });
  const service = await startApp({ engine: 'sqlite', log, environment: { LOG_LEVEL: 'error' } });
  try {
    while ((await service.client.get('/health/ready')).status !== 200);
  } finally {
    opening.mockRestore();
    await service.close();
  }
  expect(log.map((line) => JSON.parse(line).msg)).toEqual([
    'The database cannot be used: the thread does not run. Retrying.',
  ]);
});
