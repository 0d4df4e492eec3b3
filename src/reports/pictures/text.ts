const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Widths in em of the widest font that a picture may use, DejaVu Sans. */
const WIDTHS: [RegExp, number][] = [
  [/^[ijlI.,:;'|!`]$/, 0.34],
  [/^[\p{Mn}\p{Cf}]$/u, 0],
  [/^\u2003$/, 1],
  [/^[\s·]$/, 0.34],
  [/^[frtJ()[\]{}/\\"*-]$/, 0.5],
  [/^[mwMW@%…—+=<>~]$/, 1],
  [/^[\p{Lu}&#]$/u, 0.78],
  [/^[\p{Extended_Pictographic}\p{Regional_Indicator}]/u, 1.35],
  [
    /^[\u1100-\u11FF\u2E80-\uD7FF\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFFEF\u{20000}-\u{3FFFF}]/u,
    1.02,
  ],
];
const OTHER = 0.66;
const SEMIBOLD = 1.1;

/** Returns an upper bound of the width of a text, in pixels. */
export function measure(text: string, size: number, weight = 400): number {
  let em = 0;
  for (const { segment } of graphemes.segment(text)) {
    em += WIDTHS.find(([characters]) => characters.test(segment))?.[1] ?? OTHER;
  }
  return em * size * (weight > 400 ? SEMIBOLD : 1);
}

/** Shortens a text to its beginning and end if it does not fit. @param tail the end's share of what is kept */
export function shorten(text: string, fits: (text: string) => boolean, tail = 0.5): string {
  if (fits(text)) return text;
  const parts = Array.from(graphemes.segment(text), ({ segment }) => segment);
  for (let kept = Math.min(parts.length - 1, 200); kept > 0; kept--) {
    const end = Math.round(kept * tail);
    const first = parts.slice(0, kept - end).join('');
    const last = parts.slice(parts.length - end).join('');
    const cut = `${first.trimEnd()}…${last.trimStart()}`;
    if (fits(cut)) return cut;
  }
  return '…';
}

/** Values of `tail` for shortened names, the preferred one first. */
const TAILS = [0.4, 0.6, 0.8, 0.2];

/** Shortens names so that they fit and differ: it cuts equal parts, and adds the ids to equal names. */
export function distinctNames(
  named: readonly { id: number; name: string | null }[],
  fits: (text: string) => boolean,
): string[] {
  const names = named.map(({ id, name }) => name ?? `#${id}`);
  const distinct = new Set(names).size;
  const common = commonStart(names);
  for (const tail of TAILS) {
    const texts = names.map((name) => shorten(name, fits, tail));
    if (new Set(texts).size === distinct) return withIds(texts);
  }
  return withIds(
    names.map((name) => {
      if (fits(name) || common === 0) return shorten(name, fits, TAILS[0]);
      return shorten(`…${name.slice(common)}`, fits, 0);
    }),
  );

  function withIds(texts: string[]): string[] {
    return texts.map((text, index) => {
      if (texts.filter((other) => other === text).length === 1) return text;
      const id = ` #${named[index]?.id}`;
      return shorten(names[index] as string, (cut) => fits(cut + id), 0) + id;
    });
  }
}

/** Returns the length of the words that all texts begin with, except the last of these words. */
function commonStart(texts: readonly string[]): number {
  const [first = ''] = texts;
  let length = 0;
  while (length < first.length && texts.every((text) => text[length] === first[length])) length++;
  const word = first.lastIndexOf(' ', length - 1);
  return word < 0 ? 0 : first.lastIndexOf(' ', word - 1) + 1;
}

/** Breaks a text into lines at spaces. */
export function wrap(text: string, fits: (text: string) => boolean): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && fits(line)) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

/** Formats a number: "1,234.5". */
export const number = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 2 });

export type Unit = 'points' | 'count';

/** The noun of a unit: "point", "stories". */
export function noun(unit: Unit, value: number): string {
  if (unit === 'points') return value === 1 ? 'point' : 'points';
  return value === 1 ? 'story' : 'stories';
}

/** "1 story", "3.5 points" */
export const counted = (value: number, unit: Unit): string =>
  `${number(value)} ${noun(unit, value)}`;

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options });
const DAY = format({ month: 'short', day: 'numeric' });
const MONTH = format({ month: 'short' });

/** "Nov 16". @param date YYYY-MM-DD */
export const day = (date: string): string => DAY.format(Date.parse(date));
/** "Nov" */
export const month = (date: string): string => MONTH.format(Date.parse(date));
/** "Nov 16, 2026" */
export const dayOfYear = (date: string): string => `${day(date)}, ${Number(date.slice(0, 4))}`;

/** "Nov 16 – 27" */
export function days(first: string, last: string): string {
  if (first === last) return day(first);
  if (first.slice(0, 7) === last.slice(0, 7)) return `${day(first)} – ${Number(last.slice(8))}`;
  return `${day(first)} – ${day(last)}`;
}

/** "Nov 16 – 27, 2026"; "from Nov 16, 2026" without an end. */
export function range(first: string, last: string | null): string {
  if (last === null) return `from ${dayOfYear(first)}`;
  if (first === last) return dayOfYear(first);
  if (first.slice(0, 4) !== last.slice(0, 4)) return `${dayOfYear(first)} – ${dayOfYear(last)}`;
  return `${days(first, last)}, ${Number(last.slice(0, 4))}`;
}
