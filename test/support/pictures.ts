import { addDays } from '../../src/reports/calendar';
import { forecastPaths } from '../../src/reports/forecast-paths';
import { forecast } from '../../src/reports/forecast';
import type { BurndownPicture } from '../../src/reports/pictures/burndown.words';
import type { ForecastPicture } from '../../src/reports/pictures/forecast';
import { measure } from '../../src/reports/pictures/text';
import type { Unit } from '../../src/reports/pictures/text';
import type { BurndownDayView } from '../../src/reports/report.dto';
import type { Velocity } from '../../src/reports/reports.service';
import { velocity } from '../../src/reports/velocity';
import { atOnce } from './at-once';

export const LONG_NAME =
  'Platform Infrastructure and Developer Experience Sprint 12 – Checkout hardening, second attempt';
export const HOSTILE_NAMES = [
  'スプリント十二 – 決済機能の改善とテスト自動化',
  'ספרינט 12 – שיפור הביצועים',
  '\u202Eevil\u202C 🎉🚀👩‍👩‍👧‍👦 party',
  '<b> & "\u0001\uFFFF\uD800 \']]>',
  'x'.repeat(200),
  'M'.repeat(200),
];

interface Days {
  /** The remaining work at the end of each day. */
  remaining: number[];
  /** The scope at the end of each day, or of all days. */
  scope: number[] | number;
  committed?: number;
  unit?: Unit;
}

/** Returns the input of the picture of a burndown. */
export function burndownOf(
  { remaining, scope, committed = 0, unit = 'points' }: Days,
  sprint: Partial<BurndownPicture['sprint']> = {},
  more: Partial<BurndownPicture> = {},
): BurndownPicture {
  const start_date = sprint.start_date ?? '2026-11-16';
  const scopeOf = (index: number): number =>
    typeof scope === 'number' ? scope : (scope[index] as number);
  const none = { scope_points: 0, completed_points: 0, remaining_points: 0, ideal_points: null };
  const rows = remaining.map((left, index) => ({
    date: addDays(start_date, index) as string,
    ...none,
    scope_count: 4,
    completed_count: 1,
    remaining_count: 3,
    [`scope_${unit}`]: scopeOf(index),
    [`completed_${unit}`]: scopeOf(index) - left,
    [`remaining_${unit}`]: left,
  })) as BurndownDayView[];
  const total = remaining.length > 0 ? scopeOf(remaining.length - 1) : 0;
  const sums = (value: number, count: number): Record<Unit, number> =>
    unit === 'points' ? { points: value, count } : { points: 0, count: value };
  return {
    sprint: {
      board_name: 'rocket',
      name: 'Sprint 12',
      start_date,
      end_date: '2026-11-27',
      state: 'active',
      ...sprint,
    },
    days: {
      length: rows.length,
      at: (indices) => Array.from(indices, (index) => rows[index] as BurndownDayView),
      committed: sums(committed, 3),
      isWorking: (index) => new Date(addDays(start_date, index) as string).getUTCDay() % 6 !== 0,
    },
    date: addDays(start_date, Math.max(0, remaining.length - 1)) as string,
    scope: sums(total, 4),
    kind: 'burndown',
    ...more,
  };
}

const MIDDLE = { remaining: [28, 26, 26, 24, 21], scope: [28, 28, 31, 31, 31], committed: 28 };
const later = { start_date: '2026-11-23', end_date: '2026-12-04', state: 'planned' } as const;
const nothing = { remaining: [], scope: 0 };

/** Burndowns of every kind. */
export const burndowns: Record<string, BurndownPicture> = {
  middle: burndownOf(MIDDLE),
  burnup: burndownOf(MIDDLE, {}, { kind: 'burnup' }),
  planned: burndownOf(nothing, later, { scope: { points: 34, count: 9 } }),
  'planned without a story': burndownOf(nothing, later, { scope: { points: 0, count: 0 } }),
  'completed before its start': burndownOf(
    nothing,
    { ...later, state: 'completed' },
    { scope: { points: 34, count: 9 }, date: '2026-11-20' },
  ),
  'started before its first day': burndownOf(
    { ...nothing, committed: 34 },
    { ...later, state: 'active' },
    { scope: { points: 34, count: 9 }, date: '2026-11-20' },
  ),
  'done early': burndownOf({ remaining: [31, 0], scope: 31, committed: 31 }),
  empty: burndownOf({ remaining: [0, 0, 0], scope: 0, unit: 'count' }),
  'first day': burndownOf({ remaining: [31], scope: 31, committed: 31 }),
  'first day, burnup': burndownOf(
    { remaining: [31], scope: 31, committed: 31 },
    {},
    { kind: 'burnup' },
  ),
  ended: burndownOf(
    { remaining: [31, 28, 26, 26, 24, 21, 21, 21, 18, 16, 9, 7], scope: 31, committed: 28 },
    { state: 'ended' },
  ),
  completed: burndownOf(
    { remaining: [28, 26, 26, 24, 21, 21, 21, 18, 12, 5, 0], scope: 28, committed: 28 },
    { state: 'completed' },
  ),
  'completed, burnup': burndownOf(
    { remaining: [28, 26, 26, 24, 21, 21, 21, 18, 12, 5, 0], scope: 28, committed: 28 },
    { state: 'completed' },
    { kind: 'burnup' },
  ),
  'planned late': burndownOf({ remaining: [0, 0, 31, 30], scope: [0, 0, 31, 31], committed: 31 }),
  'without an end': burndownOf(
    { remaining: [13, 13, 10, 8.5], scope: [13, 13, 13, 15.5], committed: 13 },
    { end_date: null },
  ),
  unestimated: burndownOf({ remaining: [8, 8, 6, 5], scope: 8, committed: 8, unit: 'count' }),
  large: burndownOf(
    { remaining: [100_000, 98_000, 99_999.75, 64_000.25], scope: 100_000, committed: 100_000 },
    { board_name: 'a-board-with-a-name-that-is-as-long-as-a-name-may-be', name: LONG_NAME },
  ),
  small: burndownOf({ remaining: [3.5, 3, 2.25, 1.75], scope: 3.5, committed: 3.5 }),
  month: burndownOf(
    { remaining: Array.from({ length: 16 }, (_, day) => 40 - day), scope: 40, committed: 40 },
    { end_date: '2026-12-13', name: null },
  ),
  quarter: burndownOf(
    {
      remaining: Array.from({ length: 60 }, (_, day) => 200 - 2 * day),
      scope: 200,
      committed: 200,
    },
    { start_date: '2026-09-01', end_date: '2026-11-30' },
  ),
  'until the last date': burndownOf(MIDDLE, { end_date: '9999-12-31' }),
  decades: burndownOf(
    { remaining: Array.from({ length: 12_000 }, () => 5), scope: 5, committed: 5 },
    { start_date: '1995-01-09', end_date: null },
  ),
  'one day': burndownOf({ remaining: [3], scope: 3, committed: 3 }, { end_date: '2026-11-16' }),
  ...Object.fromEntries(
    HOSTILE_NAMES.map((name) => [name, burndownOf(MIDDLE, { board_name: name, name })]),
  ),
};

/** Returns a velocity of sprints with these names; `work` is what each committed to and completed. */
export const velocityOf = (
  names: (string | null)[],
  work: (index: number) => [committed: number, completed: number] = (index) => [
    20 + ((index * 7) % 9),
    16 + ((index * 5) % 13),
  ],
): Velocity => ({
  board: 'rocket',
  view: velocity(
    names.map((name, index) => ({
      id: index + 7,
      name,
      start_date: addDays('2026-03-02', index * 14) as string,
      end_date: index % 4 === 3 ? null : addDays('2026-03-13', index * 14),
      completed_at: `${addDays('2026-03-13', index * 14)}T16:00:00.000Z`,
      committed_points: work(index)[0],
      completed_points: work(index)[1],
      unfinished_points: 0,
      committed_count: 8,
      completed_count: 7,
      unfinished_count: 1,
    })),
  ),
  lastDays: names.map((_, index) => addDays('2026-03-13', index * 14) as string),
});

const named = (count: number, name: (index: number) => string | null): (string | null)[] =>
  Array.from({ length: count }, (_, index) => name(index + 1));

/** Velocities of every kind. */
export const velocities: Record<string, Velocity> = {
  none: velocityOf([]),
  one: velocityOf(['Sprint 1']),
  three: velocityOf(named(3, (n) => `Sprint ${n}`)),
  'ten, differing at the end': velocityOf(
    named(10, (n) => `Platform Infrastructure and Developer Experience Sprint ${n}`),
  ),
  'ten, differing in the middle': velocityOf(
    named(10, (n) => `Platform Infrastructure Sprint ${n} of the developer experience programme`),
  ),
  twenty: velocityOf(named(20, (n) => (n % 3 === 0 ? null : `Sprint ${n}`))),
  hundred: velocityOf(named(100, (n) => `Sprint ${n}`)),
  equal: velocityOf(['Sprint', 'Sprint', 'Other']),
  unestimated: velocityOf(['A', 'B', 'C'], () => [0, 0]),
  hostile: velocityOf(HOSTILE_NAMES, (index) => [100_000 - index * 20_000, index * 19_999.99]),
};

/** Returns the input of the picture of a forecast from completed work per sprint. */
export function forecastOf(
  amount: number,
  completed: number[],
  unit: Unit = 'points',
): ForecastPicture {
  const history = completed.map((done) => ({ points: done, count: done }));
  const question = { history, work: { unit, amount }, seed: 1, trials: 10_000 };
  const { when } = atOnce(forecast({ ...question, from: '2026-11-30', sprint_days: 14 }));
  const paths = atOnce(forecastPaths(history, question.work, { when, seed: 1 }));
  return { board: 'rocket', unit, amount, history: history.length, from: '2026-11-30', paths };
}

const STEADY = [18, 23, 21, 27, 16, 24, 22, 30, 19, 25];

/** Forecasts of every kind. */
export const forecasts: Record<string, ForecastPicture> = {
  usual: forecastOf(134, STEADY),
  one: forecastOf(10, STEADY),
  'in stories': forecastOf(45, STEADY, 'count'),
  wide: forecastOf(134, [0, 5, 60, 0]),
  large: forecastOf(100_000, [1800.25, 2300, 2100.5]),
  'nothing left': forecastOf(0, STEADY),
  'no end': forecastOf(100_000, [1, 2, 3]),
  'end of some': forecastOf(16_700, [0, 20, 50, 1]),
  ...Object.fromEntries(
    HOSTILE_NAMES.map((board) => [board, { ...forecastOf(134, STEADY), board }]),
  ),
};

interface Box {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Returns the plain texts of a picture. */
export const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, content = '']) => plain(content));

/** Returns the bounding box of each text of a picture. */
export function textBoxes(svg: string): Box[] {
  return [...svg.matchAll(/<text ([^>]*)>(.*?)<\/text>/g)].map(
    ([, attributes = '', content = '']) => {
      const size = Number(attribute(attributes, 'font-size'));
      const weight = attribute(attributes, 'font-weight');
      const parts = [...content.matchAll(/<tspan([^>]*)>(.*?)<\/tspan>/g)];
      const width = (parts.length > 0 ? parts : [['', '', content]]).reduce(
        (sum, [, own = '', part = '']) =>
          sum + measure(plain(part), size, Number(attribute(own, 'font-weight') ?? weight ?? 400)),
        0,
      );
      const x = Number(attribute(attributes, 'x'));
      const y = Number(attribute(attributes, 'y'));
      const anchor = attribute(attributes, 'text-anchor') ?? 'start';
      const left = x - { start: 0, middle: width / 2, end: width }[anchor as 'start'];
      const box = { left, right: left + width, top: y - 0.75 * size, bottom: y + 0.2 * size };
      return { text: plain(content), ...box };
    },
  );
}

const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };
const plain = (content: string): string =>
  content
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+);/g, (_, entity: string) => ENTITIES[entity] as string);
