import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { Option } from 'commander';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pipeline } from 'node:stream/promises';
import { readNewBoardName } from '../http/input/path';
import { Problem } from '../http/problem';
import { ExpectedError } from '../logging/expected-error';
import { CSV_COLUMNS } from '../stories/story-csv';
import type { ImportFormat, ImportView } from '../transfer/import/import.dto';
import { IMPORT_FORMATS } from '../transfer/import/import.dto';
import { parseMapping } from '../transfer/import/import.service';
import type { Import } from './import-target';
import { importHere, importRemotely } from './import-target';
import { notes, planTable, summary } from './import-text';
import { printable } from './printable';

interface ImportFlags {
  board: string;
  format?: ImportFormat | 'auto';
  mapping?: string;
  yes?: boolean;
  url?: string;
  token?: string;
  /** Each is `field=column`. */
  map?: string[];
  null?: string;
}

/** `import`: creates and updates the sprints, stories and tasks of a file on a board, all or none. */
export function defineImport(command: Command): void {
  command
    .argument('<file>', 'a file that another tool or Sprintline exported; - reads standard input')
    .requiredOption('--board <name>', 'the board; it is created if it does not exist')
    .option('--format <format>', `${IMPORT_FORMATS.join(', ')}; detected by default`)
    .option('--mapping <file>', 'a JSON file that maps columns, statuses, priorities, …')
    .option('--yes', 'do not ask for confirmation')
    .option('--url <url>', 'import into the service at this URL instead of the database')
    .addOption(new Option('--token <token>', 'the token for that service').env('SPRINTLINE_TOKEN'))
    .option('--map <field=column>', 'read a field from a column of the file (repeatable)', collect)
    .option('--null <text>', 'our own CSV: treat a cell with this text as empty; not with --url')
    .option('--update', 'no effect: stories whose external_id is on the board are always updated')
    .addHelpText(
      'after',
      `\nOn a terminal it shows what it would do and asks for confirmation; in a script, and from standard input, it imports at once.
A second import of the same file changes nothing, except that rows of a table without an id are always new stories.
Columns of our own CSV: ${CSV_COLUMNS.join(', ')}.

Examples:
  sprintline import jira.csv --board rocket
  sprintline import trello.json --board rocket --mapping statuses.json --yes
  sprintline import stories.csv --board rocket --map points='Story Points' --map title=Summary
  SPRINTLINE_TOKEN=spl_… sprintline import - --board rocket --url https://plan.example.org < taiga.json`,
    )
    .action(importFile);
}

const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

async function importFile(path: string, flags: ImportFlags): Promise<void> {
  const board = readNewBoardName(flags.board);
  const { format = flags.null === undefined ? 'auto' : 'csv', url, token } = flags;
  if (!(['auto', ...IMPORT_FORMATS] as string[]).includes(format)) {
    throw new ExpectedError(`--format must be one of ${IMPORT_FORMATS.join(', ')}.`);
  }
  if (format !== 'csv' && flags.null !== undefined) {
    throw new ExpectedError('--null can be used only with our own CSV, --format csv.');
  }
  if (url !== undefined && flags.null !== undefined) {
    throw new ExpectedError('--null cannot be used with --url.');
  }
  try {
    const mapping = await parseMapping(await readMapping(flags.mapping));
    if (flags.map) mapping.columns = { ...mapping.columns, ...readMap(flags.map) };
    const name = path === '-' ? '' : basename(path);
    // The command cannot ask for confirmation: standard input contains the file.
    const yes = flags.yes || path === '-';
    const use = (one: Import): Promise<void> => importInto(board, one, yes);
    await withFile(path, (file) => {
      const source = { board, path: file, name, format, mapping, nullText: flags.null };
      return url === undefined
        ? importHere(source, use)
        : importRemotely(source, { url, token }, use);
    });
  } catch (error) {
    throw readable(error);
  }
}

/** Imports the file; on a terminal it shows the plan first, and asks. */
async function importInto(board: string, one: Import, yes: boolean): Promise<void> {
  const asks = !yes && process.stdin.isTTY && process.stdout.isTTY;
  if (asks) {
    const plan = await one.dryRun();
    console.log(planTable(plan));
    printNotes(plan);
    if (!(await confirm(`Import into ${board}? [y/N] `))) {
      console.log('Nothing was imported.');
      return;
    }
  }
  const bar = new SingleBar({
    format: 'importing {bar} {percentage}% of {total}, {duration_formatted}',
    stopOnComplete: false,
    hideCursor: true,
  });
  // On a terminal only: cli-progress shows nothing elsewhere.
  if (one.stories !== undefined) bar.start(one.stories, 0);
  try {
    const done = await one.run((stories) => bar.update(stories));
    bar.stop();
    console.log(summary(board, done));
    if (!asks) printNotes(done);
  } finally {
    bar.stop();
  }
}

const printNotes = (view: ImportView): void => {
  for (const line of notes(view)) console.error(printable(line));
};

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    // Ctrl+D and Ctrl+C reject the question; if the input just ends, it never settles.
    const answer = terminal.question(question).catch(() => '');
    const closed = once(terminal, 'close').then(() => '');
    return /^y(es)?$/i.test((await Promise.race([answer, closed])).trim());
  } finally {
    terminal.close();
  }
}

/**
 * Runs `use` with a file that can be read again: an export of a board may be too large for memory, and is read
 * more than once. Standard input and pipes are copied to a temporary file.
 */
async function withFile(path: string, use: (path: string) => Promise<void>): Promise<void> {
  const source = path === '-' ? undefined : await readingOf('file', () => open(path));
  if (source && (await source.stat()).isFile()) {
    await source.close();
    return use(path);
  }
  const cannotCopy = (error: NodeJS.ErrnoException): never => {
    // A directory, for example, can be opened but not read.
    if (error.syscall === 'read') throw unreadable('file', error);
    throw new ExpectedError(`The input cannot be copied to ${tmpdir()}: ${error.message}.`);
  };
  const folder = await mkdtemp(join(tmpdir(), 'sprintline-')).catch(cannotCopy);
  try {
    const copy = join(folder, 'input');
    const input = source?.createReadStream() ?? process.stdin;
    await pipeline(input, createWriteStream(copy, { mode: 0o600 })).catch(cannotCopy);
    await use(copy);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const readMapping = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : readingOf('mapping', () => readFile(path, 'utf8'));

const unreadable = (what: string, { message }: Error): ExpectedError =>
  new ExpectedError(`The ${what} cannot be read: ${message}.`);

async function readingOf<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw unreadable(what, error as Error);
  }
}

/** Converts a problem of lines of the file to an error that lists them. */
function readable(error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  const byLine = new Map<number, string[]>();
  for (const { line, detail } of error.options.errors ?? []) {
    if (line !== undefined) byLine.set(line, [...(byLine.get(line) ?? []), detail]);
  }
  if (byLine.size === 0) return error;
  const lines = [...byLine].map(([line, details]) => `line ${line}: ${details.join('; ')}`);
  return new ExpectedError([...lines, 'Nothing was imported.'].join('\n'));
}

/** Parses the values of `--map`: columns of the file by field. @throws ExpectedError */
function readMap(maps: readonly string[]): Record<string, string> {
  const columns: Record<string, string> = {};
  for (const map of maps) {
    const at = map.indexOf('=');
    const [field, column] = [map.slice(0, at), map.slice(at + 1)];
    if (at < 1 || column === '')
      throw new ExpectedError(`--map ${map} does not have the form field=column.`);
    if (Object.hasOwn(columns, field))
      throw new ExpectedError(`--map names the field ${field} twice.`);
    columns[field] = column;
  }
  return columns;
}
