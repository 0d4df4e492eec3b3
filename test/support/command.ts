import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../src/cli';
import type { TestDatabase } from './databases';

/** How a command ended, and what it wrote. */
export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** Standard output; a test may replace that of the process. */
const STDOUT = process.stdout;

/** Runs a command of the CLI on a database, in this process. */
export async function command(database: TestDatabase, ...words: string[]): Promise<Outcome> {
  const outcome: Outcome = { code: 0, out: '', err: '' };
  const log = jest.spyOn(console, 'log').mockImplementation((line) => (outcome.out += `${line}\n`));
  const error = jest
    .spyOn(console, 'error')
    .mockImplementation((line) => (outcome.err += `${line}\n`));
  const write = jest.spyOn(STDOUT, 'write').mockImplementation((part) => {
    outcome.out += String(part);
    return true;
  });
  const before = process.env.DATABASE_URL;
  process.env.DATABASE_URL = database.url;
  try {
    outcome.code = await run(words);
    return outcome;
  } finally {
    if (before === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = before;
    log.mockRestore();
    error.mockRestore();
    write.mockRestore();
  }
}

/** Runs `work` with the path of a temporary file with this content. */
export async function withFile<T>(
  content: string | Buffer,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sprintline-file-'));
  try {
    const path = join(folder, 'stories.csv');
    writeFileSync(path, content);
    return await work(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
