import type { Command } from 'commander';
import { CreateToken } from '../auth/token.dto';
import { TokensService } from '../auth/tokens.service';
import { readId } from '../http/path';
import { validate } from '../http/validation.pipe';
import { OPERATOR, withApplication } from './application';

interface CreateFlags {
  name: string;
  scope: string;
  board?: string[];
  expires?: string;
}

/** `tokens`: creates, lists and deletes API tokens. */
export function registerTokens(program: Command): void {
  const tokens = program.command('tokens').description('create, list and delete API tokens');

  tokens
    .command('create')
    .description('create a token and print it once; the first token enables authentication')
    .requiredOption('--name <name>', 'the actor of its events in the log')
    .requiredOption('--scope <scope>', 'read, write or admin; the first token must be admin')
    .option('--board <name...>', 'the only boards that it gives access to')
    .option('--expires <time>', 'a time, as in 2027-01-31T00:00:00Z')
    .action(async ({ name, scope, board, expires }: CreateFlags) => {
      const fields = { name, scope, boards: board ?? null, expires_at: expires ?? null };
      const body = await validate(CreateToken, fields);
      const created = await withApplication((app) => app.get(TokensService).create(OPERATOR, body));
      console.error(
        `Token ${created.id}, "${created.name}" (${created.scope}). It is not shown again:`,
      );
      console.log(created.token);
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
    .description('delete a token; it is rejected from then on')
    .argument('<id>')
    .action(async (text: string) => {
      const id = readId(text, 'token_not_found');
      await withApplication((app) => app.get(TokensService).delete(OPERATOR, id));
      console.error(`Token ${id} is deleted.`);
    });
}
