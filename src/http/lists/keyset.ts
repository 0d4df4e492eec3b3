import { hash } from 'node:crypto';
import type { Parameter } from '../../database/reader';
import { fieldError, Problem } from '../problem';
import { isDate } from '../validation/dates';

/** A row of a list, as the database returns it. */
export type Row = Record<string, unknown>;

/** Checks values of cursors, which clients send: a database must be able to compare them with a column. */
const VALID = {
  integer: Number.isSafeInteger,
  decimal: Number.isFinite,
  text: (value: unknown) => typeof value === 'string',
  date: isDate,
  instant: (value: unknown) =>
    typeof value === 'string' && isDate(value.slice(0, 10)) && TIME_OF_DAY.test(value.slice(10)),
} as const satisfies Record<string, (value: unknown) => boolean>;

const TIME_OF_DAY = /^ ([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}$/;

/** One of the keys that a list is sorted by; together they are unique. */
export interface SortKey {
  /** SQL expression that is never null. */
  sql: string;
  kind: keyof typeof VALID;
  descending?: boolean;
  /** Returns its value in a row. */
  of: (row: Row) => Parameter;
}

/** Returns the sort key of a column. */
export const column = (
  name: string,
  alias: string,
  kind: SortKey['kind'],
  descending = false,
): SortKey => ({
  sql: `${alias}.${name}`,
  kind,
  descending,
  of: (row) => row[name] as Parameter,
});

/** The path and the query of the request for a list. */
export interface Location {
  path: string;
  parameters: URLSearchParams;
  /** The `ownerId` of the list. */
  ownerId?: number;
}

export function locationOf(url: string, ownerId?: number): Location {
  const [path = '', query] = url.split(/[?#](.*)/s);
  return { path, parameters: new URLSearchParams(query), ownerId };
}

/** The digest that binds a cursor to the path with the owner of the list, the filters and the sort. */
function digestOf({ path, parameters, ownerId }: Location): string {
  const others = [...parameters]
    .filter(([name]) => !['limit', 'cursor', 'count', 'fields', 'format'].includes(name))
    .map((pair) => pair.join('='))
    .sort();
  const text = [path.replace(/\/$/, ''), ownerId, ...others].join('\n');
  return hash('sha1', text, 'base64url').slice(0, 12);
}

/** Encodes the beginning of a page: the keys of the last row of the page before. */
export function encodeCursor(order: readonly SortKey[], row: Row, location: Location): string {
  const keys = order.map((key) => key.of(row));
  return Buffer.from(JSON.stringify([digestOf(location), ...keys])).toString('base64url');
}

/** Decodes the keys of a cursor. @throws Problem `invalid_request` if it belongs to another list */
export function decodeCursor(
  order: readonly SortKey[],
  cursor: string,
  location: Location,
): Parameter[] {
  try {
    const [digest, ...keys] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const isValid = order.every(({ kind }, i) => VALID[kind](keys[i]));
    if (digest === digestOf(location) && keys.length === order.length && isValid) {
      return keys as Parameter[];
    }
  } catch {
    // Not a cursor of this service.
  }
  const text = 'does not belong to this list with these filters and this sort';
  throw Problem.invalid([fieldError('parameter', 'cursor', 'invalid_cursor', text)]);
}

/** Returns the SQL condition for the rows that follow a row with these keys. */
export function keyset(
  order: readonly SortKey[],
  keys: readonly Parameter[],
): { sql: string; parameters: Parameter[] } {
  const parameters: Parameter[] = [];
  const alternatives = order.map((key, i) => {
    const equal = order.slice(0, i).map((previous, j) => {
      parameters.push(keys[j] as Parameter);
      return `${previous.sql} = ? AND `;
    });
    parameters.push(keys[i] as Parameter);
    return `(${equal.join('')}${key.sql} ${key.descending ? '<' : '>'} ?)`;
  });
  const [first] = order as [SortKey];
  // The alternatives imply this condition, but neither engine finds the range of an index in them.
  const range = `${first.sql} ${first.descending ? '<=' : '>='} ?`;
  return {
    sql: ` AND ${range} AND (${alternatives.join(' OR ')})`,
    parameters: [keys[0] as Parameter, ...parameters],
  };
}
