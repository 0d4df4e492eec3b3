import { daysFromTo } from '../calendar';
import type { BurndownDayView } from '../report.dto';
import type { BurndownPicture } from './burndown.words';
import {
  burndownDescription,
  burndownHeadline,
  sprintName,
  startOrCompletion,
} from './burndown.words';
import type { Days } from './days';
import { dayLabels, shading, SHADED, workingDaysBefore } from './days';
import type { LegendEntry, Plot } from './frame';
import { emptyPlot, heading, paddingOf, valuePlot } from './frame';
import type { Picture, Point } from './svg';
import { COLOURS, element, end, halo, isolated, line, path, semibold, text } from './svg';
import type { Unit } from './text';
import { measure, number, range } from './text';

/** The minimum number of days shown of an open sprint without an end date. */
const OPEN_DAYS = 14;
/** The last date; there is no label for a later day. */
const LAST_DATE = '9999-12-31';

const MARKS = {
  value: { stroke: COLOURS.accent, 'stroke-width': 2.5 },
  scope: { stroke: COLOURS.muted, 'stroke-width': 1.5 },
  ideal: { stroke: COLOURS.faint, 'stroke-width': 1.5, 'stroke-dasharray': '5 4' },
  dayOff: { fill: COLOURS.shade, stroke: undefined },
};

/** The remaining or the completed work of a sprint by day, with its scope and the ideal line. */
export function burndownPicture(of: BurndownPicture, width: number): Picture {
  const { sprint, days, scope } = of;
  const shown = [...days.at(sample(days.length, width))];
  // A team that does not estimate gets a picture in stories.
  const estimated = scope.points > 0 || shown.some(({ scope_points }) => scope_points > 0);
  const unit: Unit = estimated ? 'points' : 'count';
  const axis = axisOf(of);
  const headline = burndownHeadline(of, unit, shown.at(-1), workingDaysLeft(axis));
  const name = sprintName(sprint);
  const dates = range(sprint.start_date, sprint.end_date);
  const subject = of.kind === 'burnup' ? `${isolated(name)}, burn-up` : name;
  const lines = linesOf(of, unit, shown, axis, width);
  const legend = legendOf(of, unit, lines, axis, width);
  const head = heading({ board: sprint.board_name, subject, dates, headline, legend }, width);

  const values = Object.values(lines).flatMap((points) => points.map(([, value]) => value));
  const { plot, y, content } = valuePlot(width, head.bottom, values);
  const step = (plot.right - plot.left) / axis.count;
  const placed = (points: readonly Point[]): Point[] =>
    points.map(([days, value]) => [plot.left + days * step, y(value)]);

  let drawn = shading(axis, plot) + content + dayLabels(axis, plot);
  if (lines.value.length > 0) {
    const value = placed(lines.value);
    drawn += area(value, y(0)) + line(placed(lines.scope), MARKS.scope);
    if (lines.ideal.length > 0) drawn += line(placed(lines.ideal), MARKS.ideal);
    drawn += line(value, MARKS.value);
    drawn += lastValue(value.at(-1) as Point, number(lines.value.at(-1)?.[1] as number), plot);
  } else {
    const words = startOrCompletion(of);
    const starts = words.charAt(0).toUpperCase() + words.slice(1);
    drawn += emptyPlot(plot, days.length === 0 ? starts : 'There are no stories in this sprint.');
  }
  return {
    width,
    height: plot.bottom + 52,
    title: `${sprint.board_name}, ${name}, ${dates}: ${headline}`,
    description: burndownDescription(of, unit, shown),
    content: head.content + drawn,
  };
}

/** Selects the indices of the days to draw: at most one for each pixel, and always the last day. */
function sample(length: number, width: number): number[] {
  const count = Math.min(length, width);
  return Array.from(
    { length: count },
    (_, i) => length - 1 - Math.floor(((count - 1 - i) * length) / count),
  );
}

function axisOf({ sprint, days, date }: BurndownPicture): Days {
  const { start_date, end_date, state } = sprint;
  const isOpen = state !== 'completed';
  const openDays = Math.min(OPEN_DAYS, daysFromTo(start_date, LAST_DATE));
  const planned = end_date === null ? (isOpen ? openDays : 1) : daysFromTo(start_date, end_date);
  const count = Math.max(days.length, planned);
  const today = daysFromTo(start_date, date) - 1;
  return {
    first: start_date,
    count,
    today: isOpen && today >= 0 && today < count ? today : null,
    isWorking: (index) => days.isWorking(index),
  };
}

/** Counts the working days from today on. */
function workingDaysLeft({ count, today, isWorking }: Days): number {
  const workingDays = workingDaysBefore(isWorking);
  return workingDays(count) - workingDays(today ?? count);
}

/** Points of lines: x in days since the beginning of the first day, y in the unit of the values. */
type Lines = Record<'value' | 'scope' | 'ideal', Point[]>;

function linesOf(
  { sprint, kind, days }: BurndownPicture,
  unit: Unit,
  shown: readonly BurndownDayView[],
  axis: Days,
  width: number,
): Lines {
  const up = kind === 'burnup';
  const committed = days.committed[unit];
  const isEmpty = committed === 0 && shown.every((row) => row[`scope_${unit}`] === 0);
  if (isEmpty || shown.length === 0) {
    return { value: [], scope: [], ideal: [] };
  }
  // The state at the end of a day is drawn at the end of its band. A sprint that had stories by the
  // end of its first day begins with what was committed.
  const first = shown[0]?.[`scope_${unit}`] ?? 0;
  const through = (begin: number, value: (row: BurndownDayView) => number): Point[] => [
    ...(first > 0 ? [[0, begin] as const] : []),
    ...shown.map((row) => [daysFromTo(sprint.start_date, row.date), value(row)] as const),
  ];
  const value = up ? (`completed_${unit}` as const) : (`remaining_${unit}` as const);
  return {
    value: through(up ? 0 : committed || first, (row) => row[value]),
    scope: through(committed || first, (row) => row[`scope_${unit}`]),
    ideal: sprint.end_date === null || committed === 0 ? [] : ideal(committed, up, axis, width),
  };
}

/** Returns the points of a line that changes evenly on working days, and is level on the others. */
function ideal(committed: number, up: boolean, { count, isWorking }: Days, width: number): Point[] {
  const workingDays = workingDaysBefore(isWorking);
  const passed = workingDays(count) > 0 ? workingDays : (index: number): number => index;
  const points: Point[] = [[0, up ? 0 : committed]];
  for (const index of sample(count, width)) {
    const done = (committed * passed(index + 1)) / passed(count);
    points.push([index + 1, up ? done : committed - done]);
  }
  return points;
}

function legendOf(
  { kind, days }: BurndownPicture,
  unit: Unit,
  { value, scope, ideal }: Lines,
  { count, isWorking }: Days,
  width: number,
): LegendEntry[] {
  const legend: LegendEntry[] = [];
  const last = (points: Point[]): string => number(points.at(-1)?.[1] ?? 0);
  if (value.length > 0) {
    const name = kind === 'burnup' ? 'Completed' : 'Remaining';
    legend.push({ label: `${name} ${last(value)}`, mark: MARKS.value });
    legend.push({ label: `Scope ${last(scope)}`, mark: MARKS.scope });
  }
  if (ideal.length > 0) {
    const committed = number(days.committed[unit]);
    legend.push({ label: `Ideal, ${committed} committed`, mark: MARKS.ideal });
  }
  const week = Array.from({ length: Math.min(count, 7) }, (_, index) => index);
  if ((width - 2 * paddingOf(width)) / count >= SHADED && !week.every(isWorking)) {
    legend.push({ label: 'Not a working day', mark: MARKS.dayOff });
  }
  return legend;
}

function area(points: readonly Point[], bottom: number): string {
  const [first, last] = [points[0] as Point, points.at(-1) as Point];
  const closed: Point[] = [[first[0], bottom], ...points, [last[0], bottom]];
  return element('path', { d: path(closed), fill: COLOURS.accent, 'fill-opacity': 0.1 });
}

/** Draws the dot at the end of a line, with its value to the right or, if it does not fit there, above or below. */
function lastValue([cx, cy]: Point, value: string, { right, top }: Plot): string {
  const dot = { cx, cy, r: 4.5, fill: COLOURS.accent, stroke: COLOURS.paper, 'stroke-width': 2 };
  const style = { 'font-size': 14, fill: COLOURS.accent, ...semibold, ...halo };
  const label =
    cx + 10 + measure(value, 14, 600) <= right
      ? text(cx + 10, cy + 5, value, style)
      : text(cx + 4, cy < top + 18 ? cy + 22 : cy - 10, value, { ...style, ...end });
  return element('circle', dot) + label;
}
