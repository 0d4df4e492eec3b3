import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { In, LessThanOrEqual } from 'typeorm';
import { Database } from '../database/database';
import { placeholders } from '../database/reader';
import { UnitOfWork } from '../database/unit-of-work';
import type { Access } from '../http/access';
import { Problem } from '../http/problem';
import type { Sender } from '../http/request-log';
import { senderOf } from '../http/request-log';
import { Clock, toStored } from '../time/clock';
import { challenge } from './challenge';
import { LastUse } from './last-use';
import { createSecret, lookupOf, matches } from './secret';
import { Session } from './session.entity';
import { Token } from './token.entity';
import type { Rejection, TokenRow } from './token.queries';
import { accessOfToken, findToken, isExpired, TOKEN_COLUMNS } from './token.queries';

/** Seconds that a session lasts after its last use. */
export const SESSION_SECONDS = 30 * 86_400;
/** Limit on the sessions of one token, so that repeated sign-ins cannot fill the database. */
const MAX_SESSIONS = 100;
/** Milliseconds between two updates of `last_used_at`. */
const USE_MS = 3_600_000;
/** Milliseconds between two deletions of expired sessions. */
const DELETE_MS = 3_600_000;

const SESSION =
  `SELECT ${TOKEN_COLUMNS}, s.id AS session_id, s.hash AS session_hash, s.last_used_at AS session_used_at ` +
  'FROM sessions s JOIN tokens t ON t.id = s.token_id WHERE s.lookup = ?';

/** A session, joined with its token. */
interface SessionRow extends TokenRow {
  session_id: number;
  session_hash: string;
  session_used_at: string;
}

/** Creates, finds and ends the sessions of browsers. Each belongs to a token and has its access. */
@Injectable()
export class SessionsService {
  private readonly logger = new Logger('Sessions');
  private readonly uses: LastUse;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    this.uses = new LastUse(database, unitOfWork, Session, USE_MS);
  }

  /**
   * Creates a session. Deletes the former session of the browser and, if the token has too many, the least
   * recently used ones.
   * @returns its secret and its access
   * @throws Problem `unauthorized`
   */
  async create(token: string, request: SignIn): Promise<{ secret: string; access: Access }> {
    const former = request.access?.sessionId;
    const now = this.clock.now();
    const row = await findToken(this.database, token, now);
    if (typeof row === 'string') throw this.rejected(token, row, request);
    const { secret, lookup, hash } = createSecret();
    const times = { created_at: now, last_used_at: now };
    const sessionId = await this.unitOfWork.maintain(async (manager) => {
      // Locks the row, so that concurrent sign-ins count each other's sessions and the token cannot be deleted.
      const { affected } = await manager.update(Token, row.id, { last_used_at: now });
      if (!affected) throw this.rejected(token, 'unknown', request);
      if (former !== undefined) await manager.delete(Session, former);
      const { identifiers } = await manager.insert(Session, {
        token_id: row.id,
        lookup,
        hash,
        ...times,
      });
      const surplus = await manager.find(Session, {
        select: { id: true },
        where: { token_id: row.id },
        order: { last_used_at: 'DESC', id: 'DESC' },
        skip: MAX_SESSIONS,
        take: MAX_SESSIONS,
      });
      if (surplus.length > 0)
        await manager.delete(Session, { id: In(surplus.map(({ id }) => id)) });
      return identifiers[0]?.id as number;
    });
    this.logger.log({ ...senderOf(request), actor: row.name, token_id: row.id }, 'signed in');
    return { secret, access: { ...accessOfToken(row), sessionId } };
  }

  /** Finds the session with this secret, joined with its token, if both are valid. */
  async find(secret: string): Promise<SessionRow | undefined> {
    const lookup = lookupOf(secret);
    if (lookup === undefined) return undefined;
    const [row] = await this.database.query<SessionRow>(SESSION, [lookup]);
    const now = this.clock.now();
    if (!row || !matches(secret, row.session_hash) || isExpired(row, now)) return undefined;
    if (row.session_used_at <= toStored(oldestUsed(now))) return undefined;
    this.uses.record(row.session_id, row.session_used_at, now);
    return row;
  }

  /** Returns the ids of the sessions that still exist. */
  async existing(ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const rows = await this.database.query<{ id: number }>(
      `SELECT id FROM sessions WHERE id IN (${placeholders(ids)})`,
      ids,
    );
    return new Set(rows.map(({ id }) => id));
  }

  async end(id: number): Promise<void> {
    await this.unitOfWork.maintain((manager) => manager.delete(Session, id));
  }

  /** Deletes the expired sessions. */
  @Interval(DELETE_MS)
  async deleteExpired(): Promise<void> {
    const last_used_at = LessThanOrEqual(oldestUsed(this.clock.now()));
    await this.unitOfWork
      .maintain((manager) => manager.delete(Session, { last_used_at }))
      .catch((error: unknown) => this.database.logFailure(this.logger, error));
  }

  private rejected(token: string, reason: Rejection, request: SignIn): Problem {
    this.logger.warn({ ...senderOf(request), reason, lookup: lookupOf(token) }, 'sign-in rejected');
    const headers = challenge('invalid_token');
    return new Problem('unauthorized', 'The token is not valid.', { headers });
  }
}

/** The request that signs in, with the access of its former session. */
type SignIn = Sender & { access?: Access };

/** A session that was last used at this time, or before, has expired. */
const oldestUsed = (now: Date): Date => new Date(now.getTime() - SESSION_SECONDS * 1000);
