import type { Command } from 'commander';
import { Option } from 'commander';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Database } from '../database/database';
import { readBoardName } from '../http/input/path';
import { MEDIA_TYPES } from '../http/responses/formats';
import { ExpectedError } from '../logging/expected-error';
import { StoryListsService } from '../stories/story-lists.service';
import { EXPORT_MEDIA_TYPE } from '../transfer/export/export-format';
import { ExportService } from '../transfer/export/export.service';
import { withApplication } from './application';
import type { Remote } from './remote';
import { contentOf, request } from './remote';
import { toStandardOutput, toWriteError } from './standard-output';

interface ExportFlags {
  board: string;
  log?: boolean;
  csv?: boolean;
  url?: string;
  token?: string;
}

/** `export`: writes a board to a file. */
export function defineExport(command: Command): void {
  command
    .argument('[file]', 'the new file; without one, or with -, standard output', '-')
    .requiredOption('--board <name>', 'the board')
    .option('--log', 'include its event log, from which history and reports are computed')
    .option('--csv', 'only its stories, as a table for spreadsheets')
    .option('--url <url>', 'read from the service at this URL instead of the database')
    .addOption(new Option('--token <token>', 'the token for that service').env('SPRINTLINE_TOKEN'))
    .addHelpText(
      'after',
      `
Examples:
  sprintline export rocket.ndjson --board rocket --log
  sprintline export --board rocket --csv > stories.csv
  SPRINTLINE_TOKEN=spl_… sprintline export rocket.ndjson --board rocket --url https://plan.example.org`,
    )
    .action(async (file: string, flags: ExportFlags) => {
      if (flags.csv && flags.log) throw new ExpectedError('--csv cannot be used with --log.');
      await writeNew(file, (write) =>
        flags.url === undefined
          ? exportLocally(flags, write)
          : exportRemotely(flags, { url: flags.url, token: flags.token }, write),
      );
      if (file !== '-') console.log(`Exported ${flags.board} to ${file}.`);
    });
}

/** Writes the parts of a file. */
type Write = (parts: AsyncIterable<string | Uint8Array>) => Promise<void>;

async function exportLocally(
  { board, log = false, csv }: ExportFlags,
  write: Write,
): Promise<void> {
  const name = readBoardName(board);
  await withApplication(async (app) => {
    const snapshot = await app.get(Database).openStream({ key: 'cli' });
    try {
      const parts = csv
        ? (await app.get(StoryListsService).ofBoard(name, {})).csv(snapshot)
        : (await app.get(ExportService).read(snapshot, name, log)).parts;
      await write(parts);
    } finally {
      await snapshot.close();
    }
  });
}

/** @throws Problem, ExpectedError as `request` and `contentOf` do */
async function exportRemotely(
  { board, csv, log = false }: ExportFlags,
  remote: Remote,
  write: Write,
): Promise<void> {
  const what = csv ? 'stories?format=csv' : `export?log=${log}`;
  const path = `/api/boards/${encodeURIComponent(board)}/${what}`;
  const response = await request(remote, path, csv ? MEDIA_TYPES.csv : EXPORT_MEDIA_TYPE);
  await write(contentOf(remote, response));
}

/** Writes a new file, which gets its name only when it is complete; `-` is standard output. @throws ExpectedError */
async function writeNew(file: string, work: (write: Write) => Promise<void>): Promise<void> {
  if (file === '-') return work(toStandardOutput);
  if (existsSync(file)) throw new ExpectedError(`${file} already exists.`);
  const unfinished = `${file}.unfinished`;
  const cannotWrite = ({ message }: Error): never => {
    throw new ExpectedError(`${file} cannot be written: ${message}.`);
  };
  await rm(unfinished, { force: true }).catch(cannotWrite);
  // Created first, so that a folder that does not exist is an error before anything is read. Only this user can read
  // the file, because it contains a whole board.
  const created = await open(unfinished, 'wx', 0o600).catch(cannotWrite);
  try {
    await work((parts) => pipeline(parts, created.createWriteStream({ flush: true })));
    await rename(unfinished, file);
  } catch (error) {
    await created.close();
    await rm(unfinished, { force: true });
    throw toWriteError(file, error);
  }
}
