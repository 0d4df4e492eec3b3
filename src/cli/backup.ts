import type { Command } from 'commander';
import Database from 'libsql';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Config } from '../config';
import { Refusal } from './application';

/** `backup`: a copy of an SQLite database as it is at one moment, while the service goes on. */
export function registerBackup(program: Command): void {
  program
    .command('backup <file>')
    .description(
      'copy an SQLite database, also while the service runs; the file must not exist yet',
    )
    .action((file: string) => {
      const { database } = Config.from(process.env);
      if (database.kind !== 'sqlite') {
        throw new Refusal(
          'A server has tools of its own for this: mariadb-dump or mysqldump with ' +
            '--single-transaction. docs/operations.md has the whole command.',
        );
      }
      if (!existsSync(database.file)) throw new Refusal(`There is no database ${database.file}.`);
      if (existsSync(file)) throw new Refusal(`${file} exists already.`);
      copy(database.file, file);
      console.log(`Copied ${database.file} to ${file}.`);
    });
}

/** Writes the copy under another name first: where the file exists, it is whole and on the disk. */
function copy(from: string, to: string): void {
  const unfinished = `${to}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    const database = new Database(from);
    try {
      // A transaction that reads: it sees one moment, and keeps nobody from writing.
      database.prepare('VACUUM INTO ?').run(unfinished);
    } finally {
      database.close();
    }
    sync(unfinished);
    renameSync(unfinished, to);
    sync(dirname(to));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new Refusal(`No copy was made: ${(error as Error).message}`, { cause: error });
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
