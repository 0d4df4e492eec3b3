import Libsql from 'libsql';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copySqlite } from '../../src/database/sqlite-copy';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "sprintline's copy "))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('a copy of an SQLite database', () => {
  it('has all committed rows, and leaves no connection open', () => {
    const [file, copy] = [join(folder, 'board.db'), join(folder, 'copy.db')];
    const writer = new Libsql(file);
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (id); INSERT INTO rows VALUES (1)');
    copySqlite(file, copy);
    expect(existsSync(`${file}-wal`)).toBe(true);
    // The last connection removes the log.
    writer.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    const copied = new Libsql(copy);
    expect(copied.prepare('SELECT * FROM rows').all()).toEqual([{ id: 1 }]);
    copied.close();
  });
});
