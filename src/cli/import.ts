import type { Command } from 'commander';
import { SingleBar } from 'cli-progress';
import { createReadStream } from 'node:fs';
import { Received, readDto } from '../http/read-only';
import { fieldsOf } from '../http/validation';
import { readNewBoardName } from '../http/path';
import { Problem } from '../http/problem';
import { CreateStory, UpdateStory } from '../stories/story.dto';
import type { ImportedStory } from '../stories/story-import.service';
import { StoryImportService } from '../stories/story-import.service';
import { OPERATOR, Refusal, withApplication } from './application';
import { readCsv } from './csv';

const MOST_ROWS = 20_000;

/** The columns that a file may have: what a story may be made of. */
const COLUMNS = [...new Set(['title', 'description', 'seq', ...fieldsOf(CreateStory).keys()])];

export interface ImportFlags {
  board: string;
  /** `ours=theirs` */
  map: string[];
  null?: string;
  update?: boolean;
}

/** `import`: brings stories from a CSV file to a board, all or none. */
export function registerImport(program: Command): void {
  program
    .command('import')
    .description(`put the stories of a CSV file into a board's backlog: all of them, or none`)
    .argument('<file>', 'CSV in UTF-8 with a header; - reads standard input')
    .requiredOption('--board <name>', 'the board; it is made where it is not there yet')
    .option('--map <ours=theirs>', 'take ours from the column theirs (repeatable)', collect, [])
    .option('--null <text>', 'a cell that holds this text holds nothing')
    .option('--update', 'change the stories whose external_id is on the board already')
    .addHelpText(
      'after',
      `\nColumns: ${COLUMNS.join(', ')}. An empty cell means none; labels are separated by commas.`,
    )
    .action(async (file: string, flags: ImportFlags) => {
      const board = readNewBoardName(flags.board);
      const { bodies, lines } = await readStories(file, flags);
      const imported = await withApplication(async (app) => {
        const bar = new SingleBar({
          format: 'importing {bar} {percentage}% of {total} stories, {duration_formatted}',
          stopOnComplete: false,
          hideCursor: true,
        });
        // On a terminal only: cli-progress shows nothing elsewhere.
        bar.start(bodies.length, 0);
        try {
          return await app.get(StoryImportService).load(OPERATOR, board, bodies, {
            update: flags.update,
            progress: (done) => bar.update(Math.floor(done)),
          });
        } catch (error) {
          throw toRefusal(error, lines, flags);
        } finally {
          bar.stop();
        }
      });
      const { created, updated, unchanged } = imported;
      console.log(
        `${board}: ${created} ${created === 1 ? 'story' : 'stories'} created` +
          (flags.update ? `, ${updated} updated, ${unchanged} as before.` : '.'),
      );
    });
}

const collect = (value: string, previous: string[]): string[] => [...previous, value];

/**
 * Reads the stories of a file through the validation of the HTTP door, as it reads a form.
 * @throws Refusal that names every fault with its line
 */
export async function readStories(
  file: string,
  flags: Pick<ImportFlags, 'map' | 'null' | 'update'>,
): Promise<{ bodies: ImportedStory[]; lines: number[] }> {
  const faults = new Faults();
  const bodies: ImportedStory[] = [];
  const lines: number[] = [];
  const Dto: new () => ImportedStory = flags.update ? UpdateStory : CreateStory;
  let columns: string[] | undefined;
  const input = file === '-' ? process.stdin : createReadStream(file);
  const reading = readCsv(input, ({ line, cells }) => {
    if (!columns) {
      columns = readHeader(cells, flags);
      return;
    }
    if (bodies.length === MOST_ROWS) {
      throw new Refusal(`The file has more than ${MOST_ROWS} rows; split it.`);
    }
    lines.push(line);
    if (cells.length !== columns.length) {
      faults.add(line, `has ${cells.length} cells, but the header has ${columns.length}`);
      bodies.push({});
      return;
    }
    try {
      bodies.push(readDto(Dto, membersOf(Dto, columns, cells, flags.null), 'pointer'));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      for (const { detail } of error.options.errors ?? []) faults.add(line, detail);
      bodies.push({});
    }
  });
  try {
    await reading;
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall ? new Refusal(`The file cannot be read: ${message}.`) : error;
  }
  if (!columns) throw new Refusal('The file is empty; its first line must name the columns.');
  if (lines.length === 0) throw new Refusal('The file has a header, but no stories.');
  const refusal = faults.refusal();
  if (refusal) throw refusal;
  return { bodies, lines };
}

/** What each column is of a story. @throws Refusal */
function readHeader(
  header: string[],
  { map: maps, update = false }: Pick<ImportFlags, 'map' | 'update'>,
): string[] {
  const ours = new Map<string, string>();
  for (const map of maps) {
    const at = map.indexOf('=');
    const [member, column] = [map.slice(0, at), map.slice(at + 1)];
    if (at < 1 || column === '') throw new Refusal(`--map ${map} is not like ours=theirs.`);
    if (!COLUMNS.includes(member)) {
      throw new Refusal(`--map ${map}: a story has ${COLUMNS.join(', ')}, but no ${member}.`);
    }
    if (ours.has(column)) throw new Refusal(`--map takes the column ${column} twice.`);
    ours.set(column, member);
  }
  const names = header.map((name) => name.trim());
  const missing = [...ours.keys()].filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new Refusal(`The file has no column ${missing.join(', ')}; it has ${names.join(', ')}.`);
  }
  const columns = names.map((name) => ours.get(name) ?? name);
  const unknown = names.filter((_, i) => !COLUMNS.includes(columns[i] ?? ''));
  if (unknown.length > 0) {
    throw new Refusal(
      `The first line must name the columns, but these are unknown: ${unknown.join(', ')}.\n` +
        `Known are ${COLUMNS.join(', ')}; --map ours=theirs takes one of them from another column.` +
        (names.length === 1 && /[;\t]/.test(names[0] ?? '') ? '\nCommas must separate them.' : ''),
    );
  }
  const twice = columns.filter((name, i) => columns.indexOf(name) !== i);
  if (twice.length > 0) throw new Refusal(`More than one column is ${twice.join(', ')}.`);
  const [needed, reason] = update
    ? ['external_id', '--update finds stories by their external_id']
    : ['title', 'a story must have a title'];
  if (!columns.includes(needed)) {
    throw new Refusal(`No column is ${needed}, but ${reason}; --map ${needed}=theirs names one.`);
  }
  return columns;
}

/**
 * The members of a row, as a form has them. A cell without anything is null where the story may have
 * nothing there; else the member is left out, so that it is what it is without such a column.
 */
function membersOf(
  Dto: new () => ImportedStory,
  columns: string[],
  cells: string[],
  nothing: string | undefined,
): Received {
  const fields = fieldsOf(Dto);
  const members: Record<string, string[]> = {};
  columns.forEach((name, i) => {
    const cell = cells[i] ?? '';
    const field = fields.get(name);
    if (cell === '' || cell === nothing) {
      if (field?.nullable || field?.kind.list) members[name] = [''];
    } else if (field?.kind.list) {
      members[name] = cell
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    } else {
      members[name] = [cell];
    }
  });
  return new Received(members, true);
}

/** Faults of a file, by line. */
class Faults {
  private readonly byLine = new Map<number, string[]>();

  add(line: number, fault: string): void {
    this.byLine.set(line, [...(this.byLine.get(line) ?? []), fault]);
  }

  /** All of them, where there is any. */
  refusal(hint = ''): Refusal | undefined {
    if (this.byLine.size === 0) return undefined;
    const lines = [...this.byLine].map(([line, faults]) => `line ${line}: ${faults.join('; ')}`);
    return new Refusal([...lines, `Nothing was imported.${hint}`].join('\n'));
  }
}

/** A refusal by the service, which counts stories, as one of the file, which has lines. */
function toRefusal(error: unknown, lines: number[], { update }: ImportFlags): unknown {
  if (!(error instanceof Problem) || !error.options.errors) return error;
  const faults = new Faults();
  let taken = false;
  for (const { pointer = '', code, detail } of error.options.errors) {
    faults.add(lines[Number(pointer.split('/')[1])] ?? 0, detail);
    taken ||= code === 'taken';
  }
  return faults.refusal(
    taken && !update ? ' --update changes the stories that are there already.' : '',
  );
}
