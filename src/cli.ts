import 'reflect-metadata';
import { Command } from 'commander';
import { Refusal } from './cli/application';
import { registerBackup } from './cli/backup';
import { registerImport } from './cli/import';
import { registerMigrate } from './cli/migrate';
import { registerSeed } from './cli/seed';
import { registerTokens } from './cli/tokens';
import { Problem } from './http/problem';
import { ConfigError } from './config/config';

/** The command line: every command of it is registered here, and is a file of `cli/`. */
export function commandLine(): Command {
  const program = new Command('sprintline')
    .description(
      'Works on the database that DATABASE_URL names, beside a running service or without.',
    )
    .showHelpAfterError('Try --help.');
  registerBackup(program);
  registerImport(program);
  registerMigrate(program);
  registerSeed(program);
  registerTokens(program);
  return program;
}

/** Runs a command, tells what is wrong with it on standard error, and returns its exit code. */
export async function run(command: readonly string[]): Promise<number> {
  try {
    await commandLine().parseAsync(command, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Problem) console.error(error.detail);
    else if (error instanceof Refusal || error instanceof ConfigError) console.error(error.message);
    else console.error(error);
    return 1;
  }
}

if (require.main === module) {
  void run(process.argv.slice(2)).then((code) => (process.exitCode = code));
}
