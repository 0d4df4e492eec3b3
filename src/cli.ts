// See main.ts.
process.env.TZ = 'UTC';
import 'reflect-metadata';
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from './cli/printable';
import { Problem } from './http/problem';
import { ExpectedError } from './logging/expected-error';

type Define = (command: Command) => void;

/**
 * The commands. Each is a file of `cli/` that is loaded only when the command runs: loading the application
 * takes most of a second, and `--help` does not need it.
 */
const COMMANDS: Record<string, [description: string, load: () => Promise<Define>]> = {
  seed: [
    'create a demo board with six completed sprints, a current and a planned one',
    async () => (await import('./cli/seed.ts')).defineSeed,
  ],
  import: [
    'import a file from another tool, or our own CSV, into a board, completely or not at all',
    async () => (await import('./cli/import.ts')).defineImport,
  ],
  export: [
    'write a board to a file, with or without its event log, or its stories as CSV',
    async () => (await import('./cli/export.ts')).defineExport,
  ],
  tokens: [
    'create, list and delete API tokens',
    async () => (await import('./cli/tokens.ts')).defineTokens,
  ],
  backup: [
    'copy an SQLite database, even while the service runs',
    async () => (await import('./cli/backup.ts')).defineBackup,
  ],
  migrate: [
    'run the pending migrations, as every start of the service does',
    async () => (await import('./cli/migrate.ts')).defineMigrate,
  ],
};

/** Builds the command line, and loads the commands that these words name. */
async function commandLine(words: readonly string[]): Promise<Command> {
  const packageFile = readFileSync(join(__dirname, '../package.json'), 'utf8');
  const { version } = JSON.parse(packageFile) as { version: string };
  const program = new Command('sprintline')
    .description(
      'Works on the database that DATABASE_URL names, whether or not the service is running.',
    )
    .version(version)
    .showHelpAfterError('Try --help.')
    .addHelpText(
      'after',
      `
Examples:
  sprintline seed
  sprintline import stories.csv --board rocket
  sprintline tokens create --name ada --scope admin
  sprintline backup data/backup.db
  DATABASE_URL=mysql://user:password@host/database sprintline migrate

In a clone, sprintline is node dist/cli.js. docs/configuration.md lists the settings.`,
    );
  for (const [name, [description, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(description);
    if (words.includes(name)) (await load())(command);
  }
  return program;
}

/** Runs a command, prints its error to standard error, and returns its exit code. */
export async function run(command: readonly string[]): Promise<number> {
  try {
    await (await commandLine(command)).parseAsync(command, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Problem) console.error(printable(error.detail));
    else if (error instanceof ExpectedError) console.error(printable(error.message));
    else console.error(error);
    return 1;
  }
}

if (require.main === module) {
  void run(process.argv.slice(2)).then((code) => {
    // `console.log` ignores errors.
    const { errored } = process.stdout;
    if (errored && code === 0)
      console.error(`Standard output cannot be written: ${errored.message}.`);
    process.exitCode = errored ? 1 : code;
  });
}
