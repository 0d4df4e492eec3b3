import { LRUCache } from 'lru-cache';
import type { FieldPacket } from 'mysql2';
import type { Parameter, Row } from './engine';

/** Statements that a connection keeps prepared, and the server for it; it ends the oldest by itself. */
export const MOST_PREPARED = 200;

/** A statement with more parameters carries rows by the hundred, and hardly comes again as it is. */
const MOST_PARAMETERS = 64;

/**
 * Errors of a server, or of a proxy before it, that does not have or take a prepared statement; it was
 * not executed: unknown, not supported, too many, to be prepared again.
 */
export const NOT_PREPARED = new Set([1243, 1295, 1461, 1615]);

/** Rows up to which an answer is small. */
const FEW = 10;

/**
 * Tells which statements are worth preparing. A server that need not read and plan a small statement
 * again is done an eighth sooner; but the first time costs a round trip more, and rows are read more
 * slowly from the protocol of prepared statements, above all the times in them. So it is done from
 * the second time on that a text comes, as long as its answers are small. Statements without
 * parameters control transactions, which MySQL does not prepare.
 */
export class Recurring {
  private readonly seen = new LRUCache<string, Seen>({ max: 5 * MOST_PREPARED });

  private never = false;

  /**
   * A node of a Galera cluster that undoes a transaction, for the sake of one that came from another
   * node, tells so at the next statement, but to nobody when that is being prepared (MariaDB 10.11):
   * what comes after it would be done outside of any transaction.
   */
  prepareNone(): void {
    this.never = true;
  }

  /** What is known of a text, where it comes with so many values that it may be worth it. */
  of(sql: string, values: readonly Parameter[]): Seen | undefined {
    if (this.never || values.length === 0 || values.length > MOST_PARAMETERS) return undefined;
    let seen = this.seen.get(sql);
    if (!seen) this.seen.set(sql, (seen = new Seen()));
    return seen;
  }
}

/** A text that was sent. */
class Seen {
  /** The most rows that it was answered with. */
  private rows = Infinity;

  get isWorthPreparing(): boolean {
    return this.rows <= FEW;
  }

  answered(result: unknown): void {
    const rows = Array.isArray(result) ? result.length : 0;
    if (this.rows === Infinity || this.rows < rows) this.rows = rows;
  }
}

/** The protocol's number of the type. */
const DATETIME = 12;
const WHOLE_SECONDS = 'YYYY-MM-DD HH:MM:SS'.length;

/**
 * Makes the times of rows from a prepared statement what they are from any other: its protocol leaves
 * out a fraction of a second that is zero.
 */
export function restoreFractions(rows: Row[], fields: readonly FieldPacket[]): void {
  for (const { name, type, decimals } of fields) {
    if (type !== DATETIME || !decimals) continue;
    for (const row of rows) {
      const time = row[name];
      if (typeof time === 'string' && time.length === WHOLE_SECONDS) {
        row[name] = `${time}.${'0'.repeat(decimals)}`;
      }
    }
  }
}
