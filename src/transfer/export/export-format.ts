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

/** The number of the lines before the last one, and the SHA-256 of their bytes. */
interface Checksum {
  lines: number;
  sha256: string;
}

/** Writes the last line. */
export const lastLine = (checksum: Checksum): string => lineOf({ end: true, ...checksum });

/** The most characters of the last line. */
const MAX_LENGTH = 1000;

/** Reads the last line, with any white space in it; undefined if the text is none. */
export function readLastLine(text: string): Checksum | undefined {
  if (text.length > MAX_LENGTH || !/^[^\n]+\n$/.test(text)) return undefined;
  try {
    const line = JSON.parse(text) as (Checksum & { end?: unknown }) | null;
    return line?.end === true ? line : undefined;
  } catch {
    return undefined;
  }
}
