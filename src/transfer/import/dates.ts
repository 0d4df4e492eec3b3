import { isDate } from '../../http/validation/dates';
import { calendarDate, wallClock } from '../../time/clock';
import { InvalidFile } from '../files/invalid-file';
import type { DateText } from '../files/source';
import type { DateOrder } from './import.dto';
import { DATE_ORDERS } from './import.dto';

/** A date or an instant as it is written. */
interface WrittenDate {
  date: string;
  /** Milliseconds since midnight; null if only the date is written. */
  time: number | null;
  /** Minutes; null if the time is local. */
  offset: number | null;
}

const DAY_MS = 86_400_000;
/** Longer texts are not dates. */
const MAX_LENGTH = 100;

/** Reads the dates of a file, all in the same order of day, month and year. */
export class Dates {
  constructor(
    private readonly order: DateOrder,
    private readonly timeZone: string,
  ) {}

  /** Returns the calendar date `YYYY-MM-DD`; null if the text is not a date in the years 1000 to 9999. */
  day(text: DateText): string | null {
    const written = readDate(text, this.order);
    if (!written || written.time === null || written.offset === null) return written?.date ?? null;
    const instant = this.instant(text);
    const date = instant && calendarDate(instant, this.timeZone);
    // In the time zone, the instant may be in the year 999 or 10000.
    return date && /^[1-9]\d{3}-/.test(date) ? date : null;
  }

  /** Returns the instant; of a date without a time, its last millisecond. Null in the same cases as `day`. */
  instant(text: DateText): Date | null {
    const written = readDate(text, this.order);
    if (!written) return null;
    const wall = Date.parse(`${written.date}T00:00:00Z`) + (written.time ?? DAY_MS - 1);
    const instant =
      written.offset === null
        ? toUtc(wall, this.timeZone)
        : new Date(wall - written.offset * 60_000);
    const year = instant.getUTCFullYear();
    return year >= 1000 && year <= 9999 ? instant : null;
  }
}

interface Example {
  line?: number;
  detail: string;
}

/** Finds the order of day, month and year in which all dates of a file are possible. */
export class OrderFinder {
  private readonly seen = new Set<DateText>();
  /** For each order, the first date that is not possible in it. */
  private readonly excluded = new Map<DateOrder, Example>();
  /** For each two orders, texts that are different dates in them. */
  private readonly different = new Map<string, Example[]>();

  /** Adds a date; ignores a text that is not a date in any order. */
  add(text: DateText, line?: number): void {
    if (text.length > MAX_LENGTH || /^\d{4}-/.test(text) || this.seen.has(text)) return;
    this.seen.add(text);
    const days = DATE_ORDERS.map((order) => possibleDate(text, order));
    const readings = new Set(days.filter((day) => day !== undefined));
    if (readings.size === 0) return;
    const example = { line, detail: `"${text}" is ${[...readings].join(' or ')}` };
    DATE_ORDERS.forEach((order, i) => {
      if (days[i] === undefined && !this.excluded.has(order)) this.excluded.set(order, example);
      DATE_ORDERS.slice(i + 1).forEach((other, j) => {
        const day = days[i + 1 + j];
        if (days[i] === undefined || day === undefined || days[i] === day) return;
        const examples = this.different.get(`${order} ${other}`) ?? [];
        if (examples.length < 5) examples.push(example);
        this.different.set(`${order} ${other}`, examples);
      });
    });
  }

  /** Whether a date depends on the order. */
  get matters(): boolean {
    return this.excluded.size > 0 || this.different.size > 0;
  }

  /** Whether several orders are possible and give different dates. */
  get isOpen(): boolean {
    return this.differentIn(this.possible()) !== undefined;
  }

  /**
   * @param others the finder for dates that are not used, which decides between several possible orders
   * @throws InvalidFile `ambiguous_dates` if several orders give different dates, or if none fits
   */
  order(others?: OrderFinder): DateOrder {
    const all = this.possible();
    const likely = all.filter((order) => !others?.excluded.has(order));
    const possible = likely.length > 0 ? likely : all;
    const different = this.differentIn(possible);
    if (possible[0] && !different) return possible[0];
    throw different
      ? ambiguous('The dates of the file can be read in more than one order', different, possible)
      : ambiguous(
          'No order of day, month and year fits all dates of the file',
          [...new Set(this.excluded.values())],
          DATE_ORDERS,
        );
  }

  private possible(): DateOrder[] {
    return DATE_ORDERS.filter((order) => !this.excluded.has(order));
  }

  /** Dates that are different in two of the orders. */
  private differentIn(orders: readonly DateOrder[]): Example[] | undefined {
    return orders
      .flatMap((order) => orders.map((other) => this.different.get(`${order} ${other}`)))
      .find((examples) => examples !== undefined);
  }
}

function ambiguous(
  problem: string,
  examples: readonly Example[],
  orders: readonly DateOrder[],
): InvalidFile {
  return new InvalidFile(
    `${problem}: ${examples.map(({ detail }) => detail).join('; ')}. Set date_order in the mapping ` +
      `to ${orders.join(' or ')}.`,
    'ambiguous_dates',
    examples.flatMap(({ line, detail }) =>
      line === undefined ? [] : [{ line, code: 'ambiguous_date', detail }],
    ),
  );
}

/** As `readDate`, but `10/Feb/26` is never in the order ymd: after the name of a month, a two-digit year is last. */
function possibleDate(text: DateText, order: DateOrder): string | undefined {
  if (order === 'ymd' && /^\D*\d{1,2}[^\d]*\p{L}{3,}[^\d]*\d{2}(\D|$)/u.test(text.trim())) {
    return undefined;
  }
  return readDate(text, order)?.date;
}

const YEAR_FIRST = /^(\d{4})([-/. ])(\d{1,2})\2(\d{1,2})(?!\d)/;
const NUMERIC = /^(\d{1,2})\s?[-/. ]\s?(\d{1,2})\s?[-/. ]\s?(\d{4}|\d{2})(?!\d)/;
/** `10/Feb/26`, `10. Februar 2026`, `10 de febrero de 2026`, `2026-Feb-10`. */
const MONTH_SECOND =
  /^(\d{4}|\d{1,2})(?:st|nd|rd|th|er)?[-/., ]*(?:de )?(\p{L}{3,})\.?[-/., ]*(?:de )?(\d{4}|\d{1,2})(?!\d)/u;
/** `Feb 10, 2026`. */
const MONTH_FIRST = /^(\p{L}{3,})\.?[- ](\d{1,2})(?:st|nd|rd|th)?,? (\d{4}|\d{2})(?![\d:])/u;
const TIME =
  /^(?:t|[, ]+(?:at |um |a las |as |a )?)(\d{1,2})(?:[:h](\d{2}))(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([ap]) ?m)?(?: ?(z|utc|gmt)?([+-]\d{2}:?(?:\d{2})?)?)$/;

function readDate(text: DateText, order: DateOrder): WrittenDate | null {
  if (text.length > MAX_LENGTH) return null;
  const plain = normalize(text);
  const found = yearMonthDay(plain, order) ?? yearMonthDay(withoutWeekday(plain), order);
  if (!found) return null;
  const { parts, rest } = found;
  const date = validDate(...parts);
  const time = rest === '' ? { time: null, offset: null } : readTime(rest);
  return date === null || time === null ? null : { date, ...time };
}

/** In lower case, without accents, full stops of abbreviations, and `(GMT)` at the end. */
function normalize(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/ ?\([^()]*\)$/, '')
    .replace(/([ap])\. ?m\.?/, '$1m')
    .trim();
}

const withoutWeekday = (text: string): string => text.replace(/^\p{L}{2,}\.?,? /u, '');

type YearMonthDay = [year: string, month: number, day: string];

function yearMonthDay(
  text: string,
  order: DateOrder,
): { parts: YearMonthDay; rest: string } | null {
  let match = YEAR_FIRST.exec(text);
  const rest = (): string => text.slice(match?.[0].length);
  if (match) {
    const [, year = '', , month, day = ''] = match;
    return { parts: [year, Number(month), day], rest: rest() };
  }
  if ((match = NUMERIC.exec(text))) {
    const [, a = '', b = '', c = ''] = match;
    if (order === 'ymd') {
      return c.length === 4 ? null : { parts: [a, Number(b), c], rest: rest() };
    }
    const parts: YearMonthDay = order === 'dmy' ? [c, Number(b), a] : [c, Number(a), b];
    return { parts, rest: rest() };
  }
  if ((match = MONTH_SECOND.exec(text))) {
    const [, a = '', name = '', c = ''] = match;
    const month = MONTHS.get(name);
    if (month === undefined || (a.length === 4 && c.length === 4)) return null;
    const yearFirst = a.length === 4 || (c.length !== 4 && order === 'ymd');
    return { parts: yearFirst ? [a, month, c] : [c, month, a], rest: rest() };
  }
  if ((match = MONTH_FIRST.exec(text))) {
    const [, name = '', day = '', year = ''] = match;
    const month = MONTHS.get(name);
    return month === undefined ? null : { parts: [year, month, day], rest: rest() };
  }
  return null;
}

/** Years of two digits are those from 1970 to 2069. */
function validDate(year: string, month: number, day: string): string | null {
  if (year.length === 1 || year.length === 3) return null;
  const full = year.length === 4 ? year : `${Number(year) < 70 ? '20' : '19'}${year}`;
  const date = `${full}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(date) ? date : null;
}

function readTime(text: string): { time: number; offset: number | null } | null {
  const match = TIME.exec(text);
  if (!match) return null;
  const [, hourText, minute, second = '0', fraction = '', half, zone, offset] = match;
  let hour = Number(hourText);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (half === 'p' ? 12 : 0);
  }
  if (hour > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const ms = Math.floor(Number(`0.${fraction || '0'}`) * 1000);
  return {
    time: ((hour * 60 + Number(minute)) * 60 + Number(second)) * 1000 + ms,
    offset: readOffset(zone, offset),
  };
}

function readOffset(zone: string | undefined, offset: string | undefined): number | null {
  if (offset === undefined) return zone === undefined ? null : 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(':', ''));
  return offset.startsWith('-') ? -minutes : minutes;
}

/** Returns the instant at which the clocks of a time zone show `wall`, a local time given as if it were UTC. */
function toUtc(wall: number, timeZone: string): Date {
  const first = wall - offsetAt(wall, timeZone);
  // The clocks may change between the two instants.
  return new Date(wall - offsetAt(first, timeZone));
}

/** The milliseconds by which the clocks of a time zone are ahead of UTC. */
function offsetAt(instant: number, timeZone: string): number {
  // A year of five digits needs a sign.
  const shown = wallClock(new Date(instant), timeZone)
    .replace(' ', 'T')
    .replace(/^\d{5}/, '+0$&');
  return Date.parse(`${shown}Z`) - Math.floor(instant / 1000) * 1000;
}

/** Months by their names and abbreviations in English, German, Spanish, French and Portuguese. */
const MONTHS = new Map(
  [
    'jan january januar jaenner janner ene enero janv janvier janeiro',
    'feb february februar febrero fev fevr fevrier fevereiro',
    'mar march mrz marz maerz marzo mars marco',
    'apr april abr abril avr avril',
    'may mai mayo maio',
    'jun june juni junio juin junho',
    'jul july juli julio juil juillet julho',
    'aug august ago agosto aout',
    'sep sept september septiembre setiembre septembre set setembro',
    'oct october okt oktober octubre octobre out outubro',
    'nov november noviembre novembre novembro',
    'dec december dez dezember dic diciembre decembre dezembro',
  ].flatMap((names, i) => names.split(' ').map((name) => [name, i + 1] as const)),
);
