import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { performance } from 'node:perf_hooks';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { placeholders } from '../database/reader';
import { UnitOfWork } from '../database/unit-of-work';
import type { Access } from '../http/access';
import { OPEN } from '../http/access';
import { Problem } from '../http/problem';
import { senderOf } from '../http/request-log';
import { Clock } from '../time/clock';
import { challenge } from './challenge';
import { LastUse } from './last-use';
import { lookupOf } from './secret';
import { readCookie } from './session-cookie';
import { SessionsService } from './sessions.service';
import { Token } from './token.entity';
import type { Rejection, TokenRow } from './token.queries';
import { accessOfToken, findToken, isExpired, TOKEN_COLUMNS } from './token.queries';

/** Milliseconds for which the absence of tokens is cached; another process may create the first one. */
const OPEN_MS = 100;
/** Milliseconds between two updates of `last_used_at`. */
const USE_MS = 60_000;

/** Headers that proxies add. */
const PROXY_HEADER = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/;

/**
 * Authenticates requests by a token or a session cookie. It reads the token from the database for every
 * request, so that a deleted token is invalid at once on every instance.
 */
@Injectable()
export class Authenticator {
  private readonly logger = new Logger('Authenticator');
  private readonly uses: LastUse;
  private wasOpen = false;
  private openUntil = 0;
  private counting: Promise<boolean> | undefined;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    unitOfWork: UnitOfWork,
    private readonly sessions: SessionsService,
    private readonly clock: Clock,
  ) {
    this.uses = new LastUse(database, unitOfWork, Token, USE_MS);
  }

  /**
   * Returns the access of a request; undefined if it needs a token, sends none, and its route is `anonymous`.
   * A route that is served `always`, even while the database is unavailable, then requires a token only if one
   * was required before.
   * @throws Problem `unauthorized`, `proxied`, `database_unavailable`
   */
  authenticate(request: FastifyRequest): Access | Promise<Access | undefined> {
    const { auth, onLoopback } = this.config;
    if (auth === 'off') return OPEN;
    return onLoopback && performance.now() < this.openUntil ? openTo(request) : this.find(request);
  }

  /** Whether any token exists. @throws Problem `database_unavailable` */
  async anyToken(): Promise<boolean> {
    return (await this.database.query('SELECT id FROM tokens LIMIT 1')).length > 0;
  }

  /**
   * Reads the current access of callers whose responses are still open; undefined for a caller whose
   * token or session is no longer valid.
   * @throws Problem `database_unavailable`
   */
  async currentAccess(callers: readonly Access[]): Promise<(Access | undefined)[]> {
    const ids = [...new Set(callers.map(({ tokenId }) => tokenId))].filter((id) => id > 0);
    const rows =
      ids.length === 0
        ? []
        : await this.database.query<TokenRow>(
            `SELECT ${TOKEN_COLUMNS} FROM tokens t WHERE t.id IN (${placeholders(ids)})`,
            ids,
          );
    const now = this.clock.now();
    const valid = rows.filter((row) => !isExpired(row, now)).map(accessOfToken);
    const byId = new Map(valid.map((access) => [access.tokenId, access]));
    const { auth, onLoopback } = this.config;
    const isOpen = auth === 'off' || (onLoopback && !(await this.anyToken()));
    if (isOpen) byId.set(OPEN.tokenId, OPEN);
    const sessions = await this.sessions.existing(
      callers.map(({ sessionId }) => sessionId).filter((id) => id !== undefined),
    );
    return callers.map(({ tokenId, sessionId }) =>
      sessionId === undefined || sessions.has(sessionId) ? byId.get(tokenId) : undefined,
    );
  }

  /** Reads the current access of a caller whose request took long. @throws Problem `unauthorized` */
  async requireCurrent(caller: Access): Promise<Access> {
    const [current] = await this.currentAccess([caller]);
    if (current) return current;
    throw new Problem('unauthorized', undefined, { headers: challenge('invalid_token') });
  }

  /** Clears the cached state after a token was created. */
  reset(): void {
    this.wasOpen = false;
    this.openUntil = 0;
    this.counting = undefined;
  }

  private async find(request: FastifyRequest): Promise<Access | undefined> {
    const { authorization } = request.headers;
    const { always, anonymous } = request.routeOptions.config;
    let found: Access | Rejection;
    try {
      found = await (authorization === undefined
        ? this.bySession(request)
        : this.byToken(authorization));
      if (typeof found !== 'string') {
        this.wasOpen = false;
        return found;
      }
      // Without a token in the database, the header is ignored.
      if (this.config.onLoopback && (await this.isOpen())) return openTo(request);
    } catch (error) {
      if (always && this.wasOpen) return openTo(request);
      throw error;
    }
    const mayBeAnonymous = anonymous === true && authorization === undefined;
    if (!mayBeAnonymous || found !== 'missing') this.log(request, found);
    if (mayBeAnonymous) return undefined;
    // The reason is for the log only: clients see that the token is invalid (RFC 6750, section 3).
    const error = authorization === undefined ? undefined : 'invalid_token';
    throw new Problem('unauthorized', undefined, { headers: challenge(error) });
  }

  private async byToken(authorization: string): Promise<Access | Rejection> {
    const secret = /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1] ?? '';
    const now = this.clock.now();
    const row = await findToken(this.database, secret, now);
    if (typeof row === 'string') return row;
    this.uses.record(row.id, row.last_used_at, now);
    return accessOfToken(row);
  }

  private async bySession(request: FastifyRequest): Promise<Access | Rejection> {
    const secret = readCookie(request);
    if (secret === undefined) return 'missing';
    const row = await this.sessions.find(secret);
    if (!row) return 'no session';
    this.uses.record(row.id, row.last_used_at, this.clock.now());
    return { sessionId: row.session_id, ...accessOfToken(row) };
  }

  /** Whether there is no token; concurrent requests share one SELECT. */
  private isOpen(): Promise<boolean> {
    if (this.counting) return this.counting;
    const counting = this.anyToken()
      .then((any) => {
        // A token may have been created meanwhile.
        if (this.counting === counting) {
          this.wasOpen = !any;
          this.openUntil = any ? 0 : performance.now() + OPEN_MS;
        }
        return !any;
      })
      .finally(() => {
        if (this.counting === counting) this.counting = undefined;
      });
    this.counting = counting;
    return counting;
  }

  private log(request: FastifyRequest, reason: Rejection): void {
    const shown = request.headers.authorization?.replace(/^Bearer +/i, '') ?? '';
    this.logger.warn(
      { ...senderOf(request), reason, lookup: lookupOf(shown) },
      'request not authenticated',
    );
  }
}

/**
 * The access of a request to a service on loopback that has no token yet.
 * @throws Problem `proxied` if a proxy forwarded the request, so that it may come from anywhere
 */
function openTo({ headers }: FastifyRequest): Access {
  for (const name of Object.keys(headers))
    if (PROXY_HEADER.test(name)) throw new Problem('proxied');
  return OPEN;
}
