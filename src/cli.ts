// As in main.ts.
process.env.TZ = 'UTC';
import 'reflect-metadata';
import { Command } from 'commander';
import { CommandError } from './cli/application';
import { registerBackup } from './cli/backup';
import { registerImport } from './cli/import';
import { registerMigrate } from './cli/migrate';
import { registerSeed } from './cli/seed';
import { registerTokens } from './cli/tokens';
import { ConfigError } from './config/config';
import { Problem } from './http/problem';
import { InvalidFile } from './transfer/csv';

/** The command line. Each command is a file of `cli/` and is registered here. */
function commandLine(): Command {
  const program = new Command('sprintline')
    .description(
      'Works on the database that DATABASE_URL names, whether or not the service is running.',
    )
    .showHelpAfterError('Try --help.');
  registerBackup(program);
  registerImport(program);
  registerMigrate(program);
  registerSeed(program);
  registerTokens(program);
  return program;
}

/** Errors whose message is all that the user needs. */
const EXPECTED = [CommandError, ConfigError, InvalidFile];

/** Runs a command, prints its error to standard error, and returns its exit code. */
export async function run(command: readonly string[]): Promise<number> {
  try {
    await commandLine().parseAsync(command, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Problem) console.error(error.detail);
    else if (EXPECTED.some((kind) => error instanceof kind)) {
      console.error((error as Error).message);
    } else console.error(error);
    return 1;
  }
}

if (require.main === module) {
  void run(process.argv.slice(2)).then((code) => (process.exitCode = code));
}
