import type { Command } from 'commander';
import { SingleBar } from 'cli-progress';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { readNewBoardName } from '../http/path';
import { Problem } from '../http/problem';
import { CSV_COLUMNS } from '../stories/story-csv';
import { Mapping } from '../transfer/import.dto';
import { ImportService } from '../transfer/import.service';
import { OPERATOR, withApplication } from './application';
import { CommandError } from './command-error';

interface ImportFlags {
  board: string;
  /** Each is `ours=theirs`. */
  map: string[];
  null?: string;
}

/** `import`: creates and updates the stories of a file on a board: all of them, or none. */
export function defineImport(command: Command): void {
  command
    .argument('<file>', 'CSV in UTF-8 with a header; - reads standard input')
    .requiredOption('--board <name>', 'the board; it is created if it does not exist')
    .option('--map <ours=theirs>', 'read our column from their column (repeatable)', collect, [])
    .option('--null <text>', 'treat a cell with this text as empty')
    .option('--update', 'as without it: a story whose external_id is on the board is updated')
    .addHelpText(
      'after',
      `\nColumns: ${CSV_COLUMNS.join(', ')}. An empty cell means no value; labels are separated by commas.

Examples:
  sprintline import stories.csv --board rocket
  sprintline import jira.csv --board rocket --map points='Story Points' --map title=Summary`,
    )
    .action(importFile);
}

const collect = (value: string, previous: string[]): string[] => [...previous, value];

async function importFile(path: string, flags: ImportFlags): Promise<void> {
  const board = readNewBoardName(flags.board);
  const mapping = Object.assign(new Mapping(), { columns: readMap(flags.map) });
  const bytes = await openFile(path);
  await withApplication(async (app) => {
    const imports = app.get(ImportService);
    const file = { bytes, format: 'csv', mapping, nullText: flags.null } as const;
    const bar = new SingleBar({
      format: 'importing {bar} {percentage}% of {total} stories, {duration_formatted}',
      stopOnComplete: false,
      hideCursor: true,
    });
    try {
      const planned = await imports.plan(board, file);
      // On a terminal only: cli-progress shows nothing elsewhere.
      bar.start(planned.plan.stories.length, 0);
      const progress = (done: number): void => bar.update(done);
      const { created, updated, unchanged } = await imports.apply(OPERATOR, board, planned, {
        progress,
      });
      bar.stop();
      const others =
        updated.stories + unchanged.stories > 0
          ? `, ${updated.stories} updated, ${unchanged.stories} as before`
          : '';
      const stories = created.stories === 1 ? 'story' : 'stories';
      console.log(`${board}: ${created.stories} ${stories} created${others}.`);
    } catch (error) {
      bar.stop();
      throw readable(error);
    }
  });
}

/** @throws CommandError */
async function openFile(path: string): Promise<Readable> {
  if (path === '-') return process.stdin;
  try {
    return (await open(path)).createReadStream();
  } catch (error) {
    throw new CommandError(`The file cannot be read: ${(error as Error).message}.`);
  }
}

/** The error with the lines of the file that it is about. */
function readable(error: unknown): unknown {
  if (!(error instanceof Problem) || !error.options.errors) return error;
  const byLine = new Map<number, string[]>();
  for (const { line = 0, detail } of error.options.errors) {
    byLine.set(line, [...(byLine.get(line) ?? []), detail]);
  }
  const lines = [...byLine].map(([line, details]) => `line ${line}: ${details.join('; ')}`);
  return new CommandError([...lines, 'Nothing was imported.'].join('\n'));
}

/** The values of `--map`: columns of the file by ours. @throws CommandError */
function readMap(maps: readonly string[]): Record<string, string> {
  const columns: Record<string, string> = {};
  for (const map of maps) {
    const at = map.indexOf('=');
    const [ours, theirs] = [map.slice(0, at), map.slice(at + 1)];
    if (at < 1 || theirs === '') throw new CommandError(`--map ${map} is not like ours=theirs.`);
    if (!(CSV_COLUMNS as readonly string[]).includes(ours)) {
      throw new CommandError(
        `--map ${map}: a story has ${CSV_COLUMNS.join(', ')}, but no ${ours}.`,
      );
    }
    if (Object.values(columns).includes(theirs)) {
      throw new CommandError(`--map takes the column ${theirs} twice.`);
    }
    columns[ours] = theirs;
  }
  return columns;
}
