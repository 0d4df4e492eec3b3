import Libsql from 'libsql';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Copies one committed state of an SQLite database. The copy gets its name only when it is complete and
 * synced to the disk.
 */
export function copySqlite(from: string, to: string): void {
  const unfinished = `${to}.unfinished`;
  rmSync(unfinished, { force: true });
  // Only this user may read the copy: it has the digests of tokens, and may be outside the folder of the database.
  closeSync(openSync(unfinished, 'wx', 0o600));
  try {
    const database = new Libsql(from);
    try {
      // VACUUM reads one snapshot and does not block writers. A prepared statement would keep the connection
      // open until it is garbage-collected; the checkpoint then could overwrite pages of a restored file.
      database.exec(`VACUUM INTO '${unfinished.replaceAll("'", "''")}'`);
    } finally {
      database.close();
    }
    sync(unfinished);
    renameSync(unfinished, to);
    sync(dirname(to));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
