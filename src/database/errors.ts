import { QueryFailedError } from 'typeorm';
import { Problem } from '../http/problem';

/** A statement, or a free connection of the pool, took too long. */
export class DatabaseTimeout extends Error {}

/** The kinds of errors of a statement or a transaction. */
type Failure =
  /** Rolled back; the same transaction may succeed when it runs again. */
  | 'retry'
  /** The database is unreachable, too slow or full, or the outcome of a COMMIT is unknown. */
  | 'unavailable'
  /** A UNIQUE constraint rejected a row. */
  | 'duplicate'
  /** A statement or a value is larger than the database accepts. */
  | 'too_large'
  /** A defect of the program. */
  | 'other';

/**
 * MySQL errors after which the transaction may succeed when it runs again: deadlock and Galera certification (1213),
 * lock wait timeout (1205), record changed (1020), group replication certification (3101), Galera
 * without quorum (1047), and a server that has just become read-only (1290, 1836).
 */
const RETRY = new Set([1213, 1205, 1020, 3101, 1047, 1290, 1836]);

/** Errors of a statement that exceeds its time, of MariaDB and of MySQL. */
const LATE = new Set([1969, 3024]);

/**
 * MySQL errors of a server that cannot serve at present: disk full, too many connections, access,
 * unknown database, shutdown, network, interrupted, failed commit, no group.
 */
const UNAVAILABLE = new Set([
  1021, 1040, 1041, 1044, 1045, 1049, 1077, 1114, 1129, 1152, 1158, 1159, 1160, 1161, 1180, 1203,
  1226, 1317, 3032, 3100, 3572,
]);

/** MySQL errors of a packet, a result or a column that is too large. */
const TOO_LARGE = new Set([1153, 1301, 1406]);

interface DriverError {
  errno?: number;
  code?: string;
  fatal?: boolean;
  message?: string;
}

const driverErrorOf = (error: unknown): DriverError =>
  ((error instanceof QueryFailedError ? error.driverError : error) ?? {}) as DriverError;

/** Returns the kind of an error of a statement or a transaction, or of the problem that it became. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Problem)
    return error.options.cause ? failureOf(error.options.cause) : 'other';
  const driverError = driverErrorOf(error);
  if (driverError instanceof DatabaseTimeout) return 'unavailable';
  const { errno = 0, code = '', message = '' } = driverError;
  if (RETRY.has(errno) || /^SQLITE_(BUSY|LOCKED)/.test(code)) return 'retry';
  // MySQL checks the lock wait timeout only once a second, so the limit of a statement may come before it.
  if (LATE.has(errno)) return waitsForLock(error) ? 'retry' : 'unavailable';
  if (errno === 1062 || /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/.test(code)) return 'duplicate';
  if (TOO_LARGE.has(errno) || /^SQLITE_TOOBIG/.test(code)) return 'too_large';
  if (isConnectionLost(driverError)) {
    const sentCommit = error instanceof QueryFailedError && error.query === 'COMMIT';
    return sentCommit ? 'unavailable' : 'retry';
  }
  if (UNAVAILABLE.has(errno)) return 'unavailable';
  if (/^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|PROTOCOL)/.test(code)) {
    return 'unavailable';
  }
  // Errors of the operating system (no such host, connection refused), an exhausted pool queue, and a
  // SQLite file that cannot be opened, for which the driver gives no code.
  const ofSystem = /^E[A-Z]+(_[A-Z]+)?$/.test(code) && errno < 0;
  if (ofSystem || /^(Queue limit reached|Pool is closed|ConnectionFailed)/.test(message)) {
    return 'unavailable';
  }
  return 'other';
}

/** Whether a statement is a SELECT that locks its rows. */
const waitsForLock = (error: unknown): boolean =>
  error instanceof QueryFailedError && error.query.endsWith(' FOR UPDATE');

/** Whether the connection was lost, and its open transaction with it. */
function isConnectionLost({ errno, code = '', fatal }: DriverError): boolean {
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return false;
  return (
    fatal === true ||
    errno === 1053 ||
    errno === 1927 ||
    /^(PROTOCOL_|ECONNRESET|EPIPE|ETIMEDOUT)/.test(code)
  );
}

export const unavailable = (cause?: unknown): Problem =>
  new Problem('database_unavailable', undefined, { cause });

/** Converts a database error into the problem that a client gets. Returns any other error unchanged. */
export function toProblem(error: unknown): unknown {
  if (error instanceof Problem) return error;
  switch (failureOf(error)) {
    case 'too_large': {
      const detail = 'The database does not accept this much data at once; send less.';
      return new Problem('content_too_large', detail, { cause: error });
    }
    case 'retry':
    case 'unavailable':
      return unavailable(error);
    default:
      return error;
  }
}
