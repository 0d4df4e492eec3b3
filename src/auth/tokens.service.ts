import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { Repository } from 'typeorm';
import type { Change } from '../database/change';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import type { Caller } from '../http/caller';
import { column } from '../http/lists/keyset';
import { Listing } from '../http/lists/listing';
import type { PageQuery } from '../http/lists/page.dto';
import { fieldError, Problem } from '../http/problem';
import { requireMatch } from '../http/responses/etag';
import type { Deleted } from '../http/responses/schema';
import { Clock, toRfc3339 } from '../time/clock';
import { Authenticator } from './authenticator';
import { createSecret } from './secret';
import type { CreateToken, NewTokenView, TokenView } from './token.dto';
import { Token } from './token.entity';
import type { TokenRow } from './token.queries';
import { isExpired } from './token.queries';

const COLUMNS = 't.id, t.name, t.scope, t.boards, t.expires_at, t.created_at, t.last_used_at';

/** A row of these columns, as plain SQL reads it. */
type ListedRow = Omit<TokenRow, 'hash'> & { created_at: string };

/** Creates, lists and deletes tokens. If any exist, at least one of them has the scope `admin`. */
@Injectable()
export class TokensService {
  private readonly logger = new Logger('Tokens');

  constructor(
    @InjectRepository(Token) private readonly tokens: Repository<Token>,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly authenticator: Authenticator,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a token. Only this response contains the secret.
   * @throws Problem `invalid_request`, including when the first token is not `admin`
   */
  async create({ actor }: Caller, body: CreateToken): Promise<NewTokenView> {
    const { name, scope, boards = null, expires_at = null } = body;
    const now = this.clock.now();
    const { secret: token, lookup, hash } = createSecret();
    const id = await this.unitOfWork.maintain(async (manager) => {
      if (scope !== 'admin') {
        await lockAdmins(manager);
        if (!(await manager.existsBy(Token, { scope: 'admin' }))) {
          const error = 'must be admin for the first token';
          throw Problem.invalid([fieldError('pointer', 'scope', 'not_admin', error)]);
        }
      }
      const { identifiers } = await manager.insert(Token, {
        lookup,
        hash,
        name,
        scope,
        boards: boards && JSON.stringify(boards),
        expires_at: expires_at === null ? null : new Date(expires_at),
        created_at: now,
        last_used_at: null,
      });
      return identifiers[0]?.id as number;
    });
    this.authenticator.reset();
    this.logger.log({ actor, token_id: id, name, scope, boards }, 'token created');
    const created_at = now.toISOString();
    return { id, name, scope, boards, expires_at, created_at, last_used_at: null, token };
  }

  /** All tokens, for the command line. */
  async all(): Promise<TokenView[]> {
    const query = this.select().orderBy('t.id');
    const rows = await this.database.read(() => query.getRawMany<ListedRow>());
    return rows.map(represent);
  }

  list(page: PageQuery): Listing {
    return new Listing(
      this.database,
      {
        // The condition of a page is appended to the SQL with AND.
        query: () => this.select().where('1 = 1'),
        order: [column('id', 't', 'integer')],
        indexed: true,
        represent,
      },
      page,
    );
  }

  /** @throws Problem `token_not_found` */
  async show(id: number): Promise<TokenView> {
    const query = this.select().where('t.id = :id', { id });
    const row = await this.database.read(() => query.getRawOne<ListedRow>());
    if (!row) throw new Problem('token_not_found');
    return represent(row);
  }

  /** Deletes a token, which is invalid from then on. @throws Problem `token_not_found`, `last_admin` */
  async delete(caller: Caller, id: number): Promise<Deleted> {
    const now = this.clock.now();
    const isValidAdmin = (token: ListedRow): boolean =>
      token.scope === 'admin' && !isExpired(token, now);
    const name = await this.unitOfWork.maintain(async (manager) => {
      await lockAdmins(manager);
      const all = await lockTokens(manager);
      const token = all.find((one) => one.id === id);
      if (!token) throw new Problem('token_not_found');
      requireMatch(caller, represent(token));
      const others = all.filter((one) => one.id !== id);
      if (token.scope === 'admin' && others.length > 0 && !others.some(isValidAdmin)) {
        throw new Problem('last_admin');
      }
      await manager.delete(Token, id);
      return token.name;
    });
    this.logger.log({ actor: caller.actor, token_id: id, name }, 'token deleted');
    return { deleted: true, id };
  }

  /**
   * Renames a board in the tokens that give access to it. With `null`, for a deleted board, removes its
   * name from them, because a new board with that name is another board.
   */
  async renameBoard(change: Change, from: string, to: string | null): Promise<void> {
    for (const { id, boards } of await lockTokens(change.manager, 't.boards IS NOT NULL')) {
      const names = JSON.parse(boards as string) as string[];
      if (!names.includes(from)) continue;
      const renamed = names.flatMap((name) => (name === from ? (to ?? []) : name));
      await change.manager.update(Token, id, { boards: JSON.stringify([...new Set(renamed)]) });
    }
  }

  private select(): SelectQueryBuilder<Token> {
    return this.tokens.createQueryBuilder('t').select(COLUMNS);
  }
}

/**
 * Locks the admin tokens for a change that depends on them. The nodes of a cluster have locks of their own, and only
 * changes of the same row conflict, so each row is changed.
 */
async function lockAdmins(manager: EntityManager): Promise<void> {
  await manager.increment(Token, { scope: 'admin' }, 'revision', 1);
}

/** Reads tokens and locks their rows; SQLite has one writer and no row locks. */
function lockTokens(manager: EntityManager, condition = '1 = 1'): Promise<ListedRow[]> {
  const query = manager
    .createQueryBuilder(Token, 't')
    .select(COLUMNS)
    .where(condition)
    .orderBy('t.id');
  if (manager.dataSource.options.type !== 'better-sqlite3') query.setLock('pessimistic_write');
  return query.getRawMany<ListedRow>();
}

function represent(row: ListedRow): TokenView {
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
