import Libsql from 'libsql';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

  it('replaces the rest of a copy that was interrupted', () => {
    const [file, copy] = [join(folder, 'board.db'), join(folder, 'copy.db')];
    const database = new Libsql(file);
    database.exec('CREATE TABLE rows (id)');
    database.close();
    writeFileSync(`${copy}.unfinished`, 'SQLite');
    copySqlite(file, copy);
    expect(readdirSync(folder).sort()).toEqual(['board.db', 'copy.db']);
  });

  it('leaves no file behind if it fails', () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'Buy milk. '.repeat(1000));
    expect(() => copySqlite(file, join(folder, 'copy.db'))).toThrow('not a database');
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });
});
