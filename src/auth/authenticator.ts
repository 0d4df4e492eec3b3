import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { performance } from 'node:perf_hooks';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import type { Access, Scope } from '../http/access';
import { OPEN } from '../http/access';
import { Problem } from '../http/problem';
import { Clock, toStored } from '../time/clock';
import { isToken, lookupOf } from './secret';
import { Token } from './token.entity';

/** Milliseconds that "there is no token" is remembered; another process may create the first. */
const REMEMBERED_MS = 100;
/** Milliseconds in which the use of a token is recorded once. */
const RECORDED_MS = 60_000;

// Plain SQL: it precedes every request that brings a token.
const TOKEN =
  'SELECT id, hash, name, scope, boards, expires_at, last_used_at FROM tokens WHERE lookup = ?';

interface TokenRow {
  id: number;
  hash: string;
  name: string;
  scope: Scope;
  boards: string | null;
  expires_at: string | null;
  last_used_at: string | null;
}

/** Why a request is not authenticated, for the log. */
type Reason = 'missing' | 'malformed' | 'unknown' | 'wrong' | 'expired';

/** Headers that a proxy adds. */
const PROXIED = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/;

/**
 * Finds out who makes a request. Tokens are read for every request, so a deleted one is of no use from
 * then on, whichever instance it is shown to.
 */
@Injectable()
export class Authenticator {
  private readonly logger = new Logger('Authenticator');
  private readonly recorded = new LRUCache<number, true>({ max: 10_000, ttl: RECORDED_MS });
  private wasOpen = false;
  private openUntil = 0;
  private counting: Promise<boolean> | undefined;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @param always the request is answered while the database is away, too: where no token was asked
   *   for before, none is asked for then
   * @throws Problem `unauthorized`, `proxied`, `database_unavailable`
   */
  authenticate(request: FastifyRequest, always = false): Access | Promise<Access> {
    const { auth, onLoopback } = this.config;
    if (auth === 'off') return OPEN;
    return onLoopback && performance.now() < this.openUntil
      ? openTo(request)
      : this.find(request, always);
  }

  /** Whether there is a token at all. @throws Problem `database_unavailable` */
  async anyToken(): Promise<boolean> {
    return (await this.database.first('SELECT id FROM tokens LIMIT 1')) !== undefined;
  }

  /** Forgets what it remembers, after a token was created or deleted. */
  forget(): void {
    this.wasOpen = false;
    this.openUntil = 0;
    this.counting = undefined;
  }

  private async find(request: FastifyRequest, always: boolean): Promise<Access> {
    let found: Access | Reason;
    try {
      found = await this.byToken(request.headers.authorization);
      if (typeof found !== 'string') return found;
      // Without a token in the database the header is ignored.
      if (this.config.onLoopback && (await this.isOpen())) return openTo(request);
    } catch (error) {
      if (always && this.wasOpen && !(error instanceof Problem && error.code === 'proxied')) {
        return OPEN;
      }
      throw error;
    }
    throw this.unauthorized(request, found);
  }

  private async byToken(authorization: string | undefined): Promise<Access | Reason> {
    if (authorization === undefined) return 'missing';
    const text = /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1] ?? '';
    const lookup = lookupOf(text);
    if (lookup === undefined) return 'malformed';
    const row = await this.database.first<TokenRow>(TOKEN, [lookup]);
    if (!row) return 'unknown';
    if (!isToken(text, row.hash)) return 'wrong';
    const now = this.clock.now();
    if (row.expires_at !== null && row.expires_at <= toStored(now)) return 'expired';
    this.recordUse(row, now);
    const access: Access = { actor: row.name, tokenId: row.id, scope: row.scope };
    if (row.boards !== null) access.boards = new Set(JSON.parse(row.boards) as string[]);
    return access;
  }

  /** Whether there is no token; concurrent requests share one SELECT. */
  private isOpen(): Promise<boolean> {
    if (this.counting) return this.counting;
    const counting = this.anyToken()
      .then((any) => {
        // A token may have been created meanwhile.
        if (this.counting === counting) {
          this.wasOpen = !any;
          this.openUntil = any ? 0 : performance.now() + REMEMBERED_MS;
        }
        return !any;
      })
      .finally(() => {
        if (this.counting === counting) this.counting = undefined;
      });
    this.counting = counting;
    return counting;
  }

  /** In the background: no request waits for it or fails with it. */
  private recordUse({ id, last_used_at: last }: TokenRow, now: Date): void {
    const before = toStored(new Date(now.getTime() - RECORDED_MS));
    if ((last !== null && last > before) || this.recorded.has(id)) return;
    this.recorded.set(id, true);
    this.unitOfWork
      .maintain((manager) => manager.update(Token, id, { last_used_at: now }))
      .catch((error: unknown) => this.logger.debug(error));
  }

  private unauthorized(request: FastifyRequest, reason: Reason): Problem {
    const shown = request.headers.authorization?.replace(/^Bearer +/i, '') ?? '';
    this.logger.warn(
      { request_id: request.id, address: request.ip, reason, lookup: lookupOf(shown) },
      'a request was not authenticated',
    );
    // The reason is for the log: clients only learn that the token is invalid (RFC 6750, section 3).
    const error = reason === 'missing' ? '' : ', error="invalid_token"';
    return new Problem('unauthorized', undefined, {
      headers: { 'WWW-Authenticate': `Bearer realm="sprintline"${error}` },
    });
  }
}

/**
 * The access to a service on loopback that has no token yet.
 * @throws Problem `proxied` where a proxy passed the request on, so that it may come from anywhere
 */
function openTo({ headers }: FastifyRequest): Access {
  for (const name of Object.keys(headers)) if (PROXIED.test(name)) throw new Problem('proxied');
  return OPEN;
}
