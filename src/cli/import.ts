import type { Command } from 'commander';
import { SingleBar } from 'cli-progress';
import { createReadStream } from 'node:fs';
import { readNewBoardName } from '../http/path';
import { Problem } from '../http/problem';
import { StoryImportService } from '../stories/story-import.service';
import type { StoryColumn, StoryFile } from '../transfer/story-file';
import { isStoryColumn, LineErrors, readStoryFile, FILE_COLUMNS } from '../transfer/story-file';
import { OPERATOR, withApplication } from './application';
import { CommandError } from './command-error';

interface ImportFlags {
  board: string;
  /** Each is `ours=theirs`. */
  map: string[];
  null?: string;
  update: boolean;
}

/** `import`: creates the stories of a CSV file in the backlog of a board: all of them, or none. */
export function defineImport(command: Command): void {
  command
    .argument('<file>', 'CSV in UTF-8 with a header; - reads standard input')
    .requiredOption('--board <name>', 'the board; it is created if it does not exist')
    .option('--map <ours=theirs>', 'read our column from their column (repeatable)', collect, [])
    .option('--null <text>', 'treat a cell with this text as empty')
    .option('--update', 'update the stories whose external_id is on the board already', false)
    .addHelpText(
      'after',
      `\nColumns: ${FILE_COLUMNS.join(', ')}. An empty cell means no value; labels are separated by commas.

Examples:
  sprintline import stories.csv --board rocket
  sprintline import jira.csv --board rocket --map points='Story Points' --map title=Summary --update`,
    )
    .action(importStories);
}

const collect = (value: string, previous: string[]): string[] => [...previous, value];

async function importStories(path: string, flags: ImportFlags): Promise<void> {
  const board = readNewBoardName(flags.board);
  const file = await readFile(path, flags);
  const imported = await withApplication(async (app) => {
    const bar = new SingleBar({
      format: 'importing {bar} {percentage}% of {total} stories, {duration_formatted}',
      stopOnComplete: false,
      hideCursor: true,
    });
    // On a terminal only: cli-progress shows nothing elsewhere.
    bar.start(file.stories.length, 0);
    try {
      return await app.get(StoryImportService).load(OPERATOR, board, file.stories, {
        update: flags.update,
        progress: (done) => bar.update(Math.floor(done)),
      });
    } catch (error) {
      throwByLine(error, file, flags);
      throw error;
    } finally {
      bar.stop();
    }
  });
  const { created, updated, unchanged } = imported;
  console.log(
    `${board}: ${created} ${created === 1 ? 'story' : 'stories'} created` +
      (flags.update ? `, ${updated} updated, ${unchanged} as before.` : '.'),
  );
}

async function readFile(path: string, flags: ImportFlags): Promise<StoryFile> {
  const options = { renamed: readMap(flags.map), update: flags.update, nullText: flags.null };
  try {
    return await readStoryFile(path === '-' ? process.stdin : createReadStream(path), options);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall ? new CommandError(`The file cannot be read: ${message}.`) : error;
  }
}

/** The values of `--map`, by the name of the column in the file. @throws CommandError */
function readMap(maps: readonly string[]): Map<string, StoryColumn> {
  const renamed = new Map<string, StoryColumn>();
  for (const map of maps) {
    const at = map.indexOf('=');
    const [ours, theirs] = [map.slice(0, at), map.slice(at + 1)];
    if (at < 1 || theirs === '') throw new CommandError(`--map ${map} is not like ours=theirs.`);
    if (!isStoryColumn(ours)) {
      throw new CommandError(
        `--map ${map}: a story has ${FILE_COLUMNS.join(', ')}, but no ${ours}.`,
      );
    }
    if (renamed.has(theirs)) throw new CommandError(`--map takes the column ${theirs} twice.`);
    renamed.set(theirs, ours);
  }
  return renamed;
}

/** Throws the errors of the service with the lines of the file instead of the indices of stories. */
function throwByLine(error: unknown, { lines }: StoryFile, { update }: ImportFlags): void {
  if (!(error instanceof Problem) || !error.options.errors) return;
  const errors = new LineErrors();
  for (const { pointer = '', detail } of error.options.errors) {
    errors.add(lines[Number(pointer.split('/')[1])] ?? 0, detail);
  }
  const isTaken = error.options.errors.some(({ code }) => code === 'taken');
  errors.throwAny(isTaken && !update ? ' --update changes existing stories.' : '');
}
