import type { Command } from 'commander';
import { TokensService } from '../auth/tokens.service';
import { CreateToken } from '../auth/token.dto';
import { Received, readDto } from '../http/read-only';
import { readId } from '../http/path';
import { OPERATOR, withApplication } from './application';

interface CreateFlags {
  name: string;
  scope: string;
  board?: string[];
  expires?: string;
}

/** `tokens`: makes, lists and deletes the tokens that clients are known by. */
export function registerTokens(program: Command): void {
  const tokens = program
    .command('tokens')
    .description('make, list and delete the tokens that clients are known by');

  tokens
    .command('create')
    .description('make a token, and print it this once; from the first one on the service asks')
    .requiredOption('--name <name>', 'what the log calls whoever uses it')
    .requiredOption('--scope <scope>', 'read, write or admin; the first one must be admin')
    .option('--board <name...>', 'the only boards that it may see')
    .option('--expires <time>', 'a time, as in 2027-01-31T00:00:00Z')
    .action(async ({ name, scope, board, expires }: CreateFlags) => {
      const members = { name, scope, boards: board ?? null, expires_at: expires ?? null };
      const body = readDto(CreateToken, new Received(members, false), 'pointer');
      const made = await withApplication((app) => app.get(TokensService).create(OPERATOR, body));
      console.error(`Token ${made.id}, "${made.name}" (${made.scope}). It is not shown again:`);
      console.log(made.token);
    });

  tokens
    .command('list')
    .description('list the tokens, one a line: id, scope, boards, expiry, last use and name')
    .action(async () => {
      const all = await withApplication((app) => app.get(TokensService).all());
      for (const { id, scope, boards, expires_at, last_used_at, name } of all) {
        const cells = [
          id,
          scope,
          boards === null ? 'all boards' : JSON.stringify(boards),
          expires_at ?? 'never expires',
          last_used_at ?? 'never used',
          name,
        ];
        console.log(cells.join('\t'));
      }
    });

  tokens
    .command('delete')
    .description('delete a token; it is of no use from then on')
    .argument('<id>')
    .action(async (text: string) => {
      const id = readId(text, 'token_not_found');
      await withApplication((app) => app.get(TokensService).delete(OPERATOR, id));
      console.error(`Token ${id} is deleted.`);
    });
}
