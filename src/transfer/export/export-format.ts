import type { BoardView } from '../../boards/board.dto';

/** The media type of an export: a JSON value on each line. */
export const EXPORT_MEDIA_TYPE = 'application/x-ndjson';

/** The version of the format; a reader of another version rejects it. */
export const EXPORT_VERSION = 1;

/** The first line. */
export interface ExportHeader {
  sprintline_export: typeof EXPORT_VERSION;
  board: BoardView;
  revision: number;
  /** Whether the events follow. */
  log: boolean;
}

export const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

/** The last line. @param lines number of the lines before it @param sha256 of their bytes */
export const lastLine = (lines: number, sha256: string): string =>
  lineOf({ end: true, lines, sha256 });
