import type { Command } from 'commander';
import type { TokenView } from '../auth/token.dto';
import { CreateToken } from '../auth/token.dto';
import { TokensService } from '../auth/tokens.service';
import { readId } from '../http/input/path';
import { validate } from '../http/validation/validation.pipe';
import { OPERATOR, withApplication } from './application';
import { toStandardOutput } from './standard-output';

interface CreateFlags {
  name: string;
  scope: string;
  board?: string[];
  expires?: string;
}

/** `tokens`: creates, lists and deletes API tokens. */
export function defineTokens(tokens: Command): void {
  tokens.addHelpText(
    'after',
    `
Examples:
  sprintline tokens create --name ada --scope admin
  sprintline tokens create --name ci --scope write --board rocket --expires 2027-06-30T00:00:00Z
  sprintline tokens list --json
  sprintline tokens delete 2`,
  );

  tokens
    .command('create')
    .description('create a token and print it once; the first token enables authentication')
    .requiredOption('--name <name>', 'the name, which is the actor of its events in the log')
    .requiredOption('--scope <scope>', 'read, write or admin; the first token must be admin')
    .option('--board <name...>', 'the boards that it gives access to; all by default')
    .option('--expires <time>', 'a time, as in 2027-01-31T00:00:00Z')
    .action(async ({ name, scope, board, expires }: CreateFlags) => {
      const fields = { name, scope, boards: board ?? null, expires_at: expires ?? null };
      const body = await validate(CreateToken, fields);
      await withApplication(
        async (app) => {
          const tokens = app.get(TokensService);
          const { id, name, scope, token } = await tokens.create(OPERATOR, body);
          console.error(`Token ${id}, "${name}" (${scope}). It is not shown again:`);
          try {
            await toStandardOutput([`${token}\n`]);
          } catch (error) {
            await tokens.delete(OPERATOR, id);
            throw error;
          }
        },
        { createsDatabase: true },
      );
    });

  tokens
    .command('list')
    .description('list the tokens')
    .option('--json', 'as JSON, for programs')
    .action(async ({ json = false }: { json?: boolean }) => {
      const all = await withApplication((app) => app.get(TokensService).all());
      console.log(json ? JSON.stringify(all, null, 2) : table(HEADERS, all.map(cellsOf)));
    });

  tokens
    .command('delete')
    .description('delete a token; it is rejected from then on')
    .argument('<id>')
    .action(async (text: string) => {
      const id = readId(text, 'token_not_found');
      await withApplication((app) => app.get(TokensService).delete(OPERATOR, id));
      console.error(`Token ${id} is deleted.`);
    });
}

const HEADERS = ['ID', 'SCOPE', 'BOARDS', 'EXPIRES', 'LAST USED', 'NAME'];

const cellsOf = (token: TokenView): string[] => [
  String(token.id),
  token.scope,
  token.boards === null ? 'all' : token.boards.join(', '),
  token.expires_at ?? 'never',
  token.last_used_at ?? 'never',
  token.name,
];

/** Rows under headers, in columns that are as wide as their longest cell. */
function table(headers: string[], rows: string[][]): string {
  const lines = [headers, ...rows];
  const widths = headers.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
