import Libsql from 'libsql';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

  const smallDatabase = (): string => {
    const file = join(folder, 'board.db');
    const database = new Libsql(file);
    database.exec('CREATE TABLE rows (id)');
    database.close();
    return file;
  };

  it('replaces the rest of a copy that was interrupted', () => {
    const copy = join(folder, 'copy.db');
    writeFileSync(`${copy}.unfinished`, 'SQLite');
    copySqlite(smallDatabase(), copy);
    expect(readdirSync(folder).sort()).toEqual(['board.db', 'copy.db']);
  });

  it('can be read by its owner only, because it has the digests of tokens', () => {
    const copy = join(folder, 'copy.db');
    copySqlite(smallDatabase(), copy);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  it('leaves no unfinished file behind if it fails', () => {
    const copy = join(folder, 'a folder');
    mkdirSync(copy);
    expect(() => copySqlite(smallDatabase(), copy)).toThrow('EISDIR');
    expect(readdirSync(folder).sort()).toEqual(['a folder', 'board.db']);
  });
});
