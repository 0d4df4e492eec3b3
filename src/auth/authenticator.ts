import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { performance } from 'node:perf_hooks';
import type { Access, Scope } from '../http/access';
import { OPEN } from '../http/access';
import { Clock, stored } from '../time/clock';
import { Problem } from '../http/problem';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import { isToken, lookupOf } from './secret';

/** Milliseconds for which it is believed that there is no token; another process may make the first. */
const BELIEVED = 100;
/** Milliseconds in which the use of a token is noted once. */
const NOTED = 60_000;

interface TokenRow {
  id: number;
  hash: string;
  name: string;
  scope: Scope;
  boards: string | null;
  expires_at: string | null;
  last_used_at: string | null;
}

/** What is looked at of a request. */
interface Asking {
  id: string;
  /** The address that it came from. */
  ip: string;
  headers: { authorization?: string };
}

/** Why a request is not let in, for the log. */
type Refusal = 'missing' | 'malformed' | 'unknown' | 'wrong' | 'expired';

/**
 * Says on whose behalf a request is made. Tokens are looked up for every request, so that a deleted one
 * is of no use from then on, whichever instance it is shown to.
 */
@Injectable()
export class Authenticator {
  private readonly logger = new Logger('Authenticator');
  private readonly uses = new LRUCache<number, true>({ max: 10_000, ttl: NOTED });
  private wasOpen = false;
  private openUntil = 0;
  private looking: Promise<boolean> | undefined;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @param always the request must be answered while the database is away, too: then, where nobody was
   *   asked for a token before, it is believed that nobody is
   * @throws Problem `unauthorized`, `database_unavailable`
   */
  authenticate(request: Asking, always = false): Access | Promise<Access> {
    const { auth, onLoopback } = this.config;
    if (auth === 'off') return OPEN;
    return onLoopback && performance.now() < this.openUntil ? OPEN : this.ask(request, always);
  }

  /** Whether there is a token at all. @throws Problem `database_unavailable` */
  async anyToken(): Promise<boolean> {
    return (await this.database.first('SELECT id FROM tokens LIMIT 1')) !== undefined;
  }

  /** Forgets what it believes; for whoever makes or deletes tokens. */
  forget(): void {
    this.wasOpen = false;
    this.openUntil = 0;
    this.looking = undefined;
  }

  private async ask(request: Asking, always: boolean): Promise<Access> {
    let found: Access | Refusal;
    try {
      found = await this.find(request.headers.authorization);
      if (typeof found !== 'string') return found;
      // With no token in the database the header is not looked at.
      if (this.config.onLoopback && (await this.isOpen())) return OPEN;
    } catch (error) {
      if (always && this.wasOpen) return OPEN;
      throw error;
    }
    throw this.unauthorized(request, found);
  }

  private async find(authorization: string | undefined): Promise<Access | Refusal> {
    if (authorization === undefined) return 'missing';
    const text = /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1] ?? '';
    const lookup = lookupOf(text);
    if (lookup === undefined) return 'malformed';
    const row = await this.database.first<TokenRow>(
      'SELECT id, hash, name, scope, boards, expires_at, last_used_at FROM tokens WHERE lookup = ?',
      [lookup],
    );
    if (!row) return 'unknown';
    if (!isToken(text, row.hash)) return 'wrong';
    const now = this.clock.now();
    if (row.expires_at !== null && row.expires_at <= stored(now)) return 'expired';
    this.noteUse(row, now);
    const access: Access = { actor: row.name, tokenId: row.id, scope: row.scope };
    if (row.boards !== null) access.boards = new Set(JSON.parse(row.boards) as string[]);
    return access;
  }

  /** One look for all who ask at the same time. */
  private isOpen(): Promise<boolean> {
    if (this.looking) return this.looking;
    const looking = this.anyToken()
      .then((any) => {
        // What was forgotten meanwhile must not be believed again.
        if (this.looking === looking) {
          this.wasOpen = !any;
          this.openUntil = any ? 0 : performance.now() + BELIEVED;
        }
        return !any;
      })
      .finally(() => {
        if (this.looking === looking) this.looking = undefined;
      });
    this.looking = looking;
    return looking;
  }

  /** Behind the scenes: no request waits for it, or fails with it. */
  private noteUse({ id, last_used_at: last }: TokenRow, now: Date): void {
    const before = stored(new Date(now.getTime() - NOTED));
    if ((last !== null && last > before) || this.uses.has(id)) return;
    this.uses.set(id, true);
    this.unitOfWork
      .maintain((writer) =>
        writer.run('UPDATE tokens SET last_used_at = ? WHERE id = ?', [stored(now), id]),
      )
      .catch((error: unknown) => this.logger.debug(error));
  }

  private unauthorized(request: Asking, reason: Refusal): Problem {
    const shown = request.headers.authorization?.replace(/^Bearer +/i, '') ?? '';
    this.logger.warn(
      { request_id: request.id, address: request.ip, reason, lookup: lookupOf(shown) },
      'a request was not let in',
    );
    // What was wrong with it is for the log: a client is only told that it was (RFC 6750, section 3).
    const error = reason === 'missing' ? '' : ', error="invalid_token"';
    return new Problem('unauthorized', undefined, {
      headers: { 'WWW-Authenticate': `Bearer realm="sprintline"${error}` },
    });
  }
}
