import { toRfc3339 } from '../time/clock';
import { Problem } from '../http/problem';
import type { BoardRow } from '../database/change';
import type { Database } from '../database/database';
import type { Reader } from '../database/engine';
import type { Lookup } from '../database/lookup';
import type { BoardView } from './board.dto';

export const BOARD_COLUMNS =
  'b.id, b.name, b.time_zone, b.revision, b.created_at, b.updated_at, b.version';

export function representBoard(row: BoardRow): BoardView {
  return {
    id: row.id,
    name: row.name,
    time_zone: row.time_zone,
    revision: row.revision,
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
    version: row.version,
  };
}

const BOARD = `SELECT ${BOARD_COLUMNS} FROM boards b WHERE b.name`;
const BOARD_BY_NAME: Lookup = { sql: `${BOARD} IN`, key: 'name' };

/** The row of a board, for whoever needs no transaction. @throws Problem `board_not_found` */
export async function findBoard(database: Database, name: string): Promise<BoardRow> {
  return existing(await database.find<BoardRow>(BOARD_BY_NAME, name));
}

/** The row of a board, within a transaction. @throws Problem `board_not_found` */
export async function boardNamed(reader: Reader, name: string): Promise<BoardRow> {
  const [board] = await reader.query<BoardRow>(`${BOARD} = ?`, [name]);
  return existing(board);
}

function existing(board: BoardRow | undefined): BoardRow {
  if (!board) throw new Problem('board_not_found');
  return board;
}

/**
 * The entity tag of a collection that changes only with its board, and with what else its path may
 * mean another day: the date, or the sprint that a word stands for.
 */
export function collectionTag(
  board: { id: number; revision: number },
  also?: string | number,
): string {
  return `"${[board.id, board.revision, also].filter((part) => part !== undefined).join('.')}"`;
}
