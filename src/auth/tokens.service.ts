import { Injectable, Logger } from '@nestjs/common';
import type { Scope } from '../http/access';
import type { Caller } from '../http/caller';
import { Clock, toRfc3339, stored } from '../time/clock';
import { requireMatch } from '../http/etag';
import type { PageQuery } from '../http/listing';
import { column, Listing } from '../http/listing';
import { Problem } from '../http/problem';
import type { Deleted } from '../http/schema';
import { Database } from '../database/database';
import type { Writer } from '../database/engine';
import { forUpdate } from '../database/engine';
import { UnitOfWork } from '../database/unit-of-work';
import { Authenticator } from './authenticator';
import { makeToken } from './secret';
import type { CreateToken, NewTokenView, TokenView } from './token.dto';
import type { Token } from './token.entity';

const COLUMNS = 't.id, t.name, t.scope, t.boards, t.expires_at, t.created_at, t.last_used_at';

type TokenRow = Omit<Token, 'lookup' | 'hash'> & { scope: Scope };

function represent(row: TokenRow): TokenView {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    boards: row.boards === null ? null : (JSON.parse(row.boards) as string[]),
    expires_at: row.expires_at && toRfc3339(row.expires_at),
    created_at: toRfc3339(row.created_at),
    last_used_at: row.last_used_at && toRfc3339(row.last_used_at),
  };
}

/** Makes, lists and deletes tokens. As long as there is one, there is one with the scope `admin`. */
@Injectable()
export class TokensService {
  private readonly logger = new Logger('Tokens');

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly authenticator: Authenticator,
    private readonly clock: Clock,
  ) {}

  /** Makes a token, which is told this once. @throws Problem where the first is not for an admin */
  async create({ actor }: Caller, body: CreateToken): Promise<NewTokenView> {
    const { name, scope, boards = null, expires_at: expires = null } = body;
    const now = this.clock.now();
    const { token, lookup, hash } = makeToken();
    const row = {
      name,
      scope,
      boards: boards && JSON.stringify(boards),
      expires_at: expires && stored(new Date(expires)),
      created_at: stored(now),
      last_used_at: null,
    };
    const id = await this.unitOfWork.maintain(async (writer) => {
      if (scope !== 'admin' && (await this.hold(writer, `WHERE scope = 'admin'`)).length === 0) {
        const detail = 'scope must be admin for the first token';
        throw Problem.invalid([{ pointer: '/scope', code: 'not_admin', detail }]);
      }
      const written = await writer.run(
        `INSERT INTO tokens (lookup, hash, name, scope, boards, expires_at, created_at, last_used_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`,
        [lookup, hash, name, scope, row.boards, row.expires_at, row.created_at],
      );
      return written.id;
    });
    this.authenticator.forget();
    this.logger.log({ actor, token_id: id, name, scope, boards }, 'a token was made');
    return { ...represent({ id, ...row }), token };
  }

  /** All tokens, for the command line. */
  async all(): Promise<TokenView[]> {
    const rows = await this.database.query<TokenRow>(
      `SELECT ${COLUMNS} FROM tokens t ORDER BY t.id`,
    );
    return rows.map(represent);
  }

  async list(page: PageQuery): Promise<Listing> {
    return new Listing(
      this.database,
      {
        columns: COLUMNS,
        from: 'tokens t',
        where: '1 = 1',
        parameters: [],
        order: [column('id', 't', 'integer')],
        represent: (row) => represent(row as unknown as TokenRow),
      },
      page,
    );
  }

  /** @throws Problem `token_not_found` */
  async show(id: number): Promise<TokenView> {
    const row = await this.database.first<TokenRow>(
      `SELECT ${COLUMNS} FROM tokens t WHERE t.id = ?`,
      [id],
    );
    if (!row) throw new Problem('token_not_found');
    return represent(row);
  }

  /** Deletes a token, which is of no use from then on. @throws Problem `token_not_found`, `last_admin` */
  async delete(caller: Caller, id: number): Promise<Deleted> {
    const name = await this.unitOfWork.maintain(async (writer) => {
      const all = await this.hold(writer);
      const token = all.find((one) => one.id === id);
      if (!token) throw new Problem('token_not_found');
      requireMatch(caller, represent(token));
      const others = all.filter((one) => one.id !== id);
      if (others.length > 0 && !others.some(({ scope }) => scope === 'admin')) {
        throw new Problem('last_admin');
      }
      await writer.run('DELETE FROM tokens WHERE id = ?', [id]);
      return token.name;
    });
    this.authenticator.forget();
    this.logger.log({ actor: caller.actor, token_id: id, name }, 'a token was deleted');
    return { deleted: true, id };
  }

  /** Reads tokens, and keeps them as they are until the end of the transaction. */
  private hold(writer: Writer, condition = ''): Promise<TokenRow[]> {
    const { dialect } = this.database.engine;
    return writer.query<TokenRow>(
      `SELECT ${COLUMNS} FROM tokens t ${condition} ORDER BY id${forUpdate(dialect)}`,
    );
  }
}
