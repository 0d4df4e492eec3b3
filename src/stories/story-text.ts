/**
 * The column `labels`: a JSON array with a line break on both sides of each label. JSON never contains
 * a bare line break, so `labelPattern` finds exactly that label with INSTR, on every database.
 */
export function storedLabels(labels: readonly string[]): string {
  if (labels.length === 0) return '[]';
  return `[\n${labels.map((label) => JSON.stringify(label)).join('\n,\n')}\n]`;
}

/** The labels of a stored column. */
export const parseLabels = (stored: string): string[] =>
  stored === '[]' ? [] : (JSON.parse(stored) as string[]);

/** The substring that a stored column contains if the story has the label. */
export const labelPattern = (label: string): string => `\n${JSON.stringify(label)}\n`;

/** More combining marks than follow each other in any language (UAX #15, Stream-Safe Text Format). */
const LONG_RUN = /\p{M}{30}(?=\p{M})/gu;

/* eslint-disable-next-line no-control-regex -- these are the code points of ASCII */
const ASCII = /^[\x00-\x7f]*$/;

/** Joins the characters on both sides of it, and has no glyph. */
const COMBINING_GRAPHEME_JOINER = '\u034f';

/** Converts a string to the form that `q` compares: upper case in Unicode NFC, with SS for `ß` and `ẞ`. */
export function folded(text: string): string {
  // ASCII needs no normalization, and most strings are ASCII.
  if (ASCII.test(text)) return text.toUpperCase();
  // The time of normalization is quadratic in the length of a run of combining marks.
  return (
    text
      .replace(LONG_RUN, `$&${COMBINING_GRAPHEME_JOINER}`)
      .normalize('NFC')
      .toUpperCase()
      // In Unicode the upper case of ß is SS, but ẞ is an upper case letter, too.
      .replaceAll('ẞ', 'SS')
      // The upper case of `ΐ` is decomposed, but that letter in upper case may come composed.
      .normalize('NFC')
  );
}

/** The value of the column `search`, which `q` searches. */
export const searchable = (title: string, description: string | null): string =>
  folded(description === null ? title : `${title}\n${description}`);
