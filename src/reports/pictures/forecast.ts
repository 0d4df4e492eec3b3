import type { Work } from '../forecast';
import type { ForecastPath } from '../forecast-paths';
import type { Plot } from './frame';
import { heading, valuePlot } from './frame';
import type { Picture, Point } from './svg';
import { COLOURS, element, line, middle, path, segment, semibold, text } from './svg';
import { counted, day, dayOfYear, measure, noun, number } from './text';

/** The data that the picture of a forecast shows, with the work to be done. */
export interface ForecastPicture extends Work {
  board: string;
  /** The number of completed sprints that the forecast draws from. */
  history: number;
  /** The first day of the first sprint, YYYY-MM-DD. */
  from: string;
  /** For the confidences of 50, 85 and 95 percent. */
  paths: ForecastPath[];
}

const MARKS = [
  { stroke: COLOURS.accent, 'stroke-width': 1.5, 'stroke-dasharray': '5 4' },
  { stroke: COLOURS.accent, 'stroke-width': 2.5 },
  { stroke: COLOURS.accent, 'stroke-width': 1.5, 'stroke-dasharray': '1 4' },
];
/** The index of the path that the headline names. */
const LIKELY = 1;

/** Draws how the work shrinks over the coming sprints, for three confidences. */
export function forecastPicture(of: ForecastPicture, width: number): Picture {
  const { board, unit, amount, paths, from } = of;
  const headline = headlineOf(of);
  const left = `${counted(amount, unit)} left`;
  const legend = paths.map(({ percent }, index) => ({
    label: `${percent} % sure`,
    mark: MARKS[index] as (typeof MARKS)[number],
  }));
  const known = paths.filter(({ sprints }) => sprints !== null);
  const isDrawn = amount > 0 && known.length > 0;
  const dates = isDrawn ? `${left}, from ${dayOfYear(from)}` : amount > 0 ? left : '';
  const head = heading(
    { board, subject: 'Forecast', dates, headline, legend: isDrawn ? legend : [] },
    width,
  );
  const chart = isDrawn ? fanChart(of, width, head.bottom) : { content: '', bottom: head.bottom };
  return {
    width,
    height: chart.bottom + 20,
    title: `${board}, forecast: ${headline}`,
    description: [
      `${left}, drawn from the last ${of.history} completed sprints`,
      ...paths.map((each) => `${each.percent} % sure: ${endOf(each)}`),
    ].join('; '),
    content: head.content + chart.content,
  };
}

function headlineOf({ unit, amount, paths }: ForecastPicture): string {
  if (amount === 0) return `No ${noun(unit, 0)} left in the backlog`;
  const likely = paths[LIKELY] as ForecastPath;
  if (likely.sprints === null) return 'Not done within 1,000 sprints';
  const end = likely.date === null ? `in ${endOf(likely)}` : `by ${dayOfYear(likely.date)}`;
  return `Done ${end}, ${likely.percent} % sure`;
}

function endOf({ sprints, date }: ForecastPath): string {
  if (sprints === null) return 'beyond 1,000 sprints';
  return date === null ? sprintsOf(sprints) : `${dayOfYear(date)}, ${sprintsOf(sprints)}`;
}

const sprintsOf = (count: number): string =>
  `${number(count)} ${count === 1 ? 'sprint' : 'sprints'}`;

function fanChart(
  { paths, from, amount }: ForecastPicture,
  width: number,
  top: number,
): { content: string; bottom: number } {
  const { plot, y, content: axis } = valuePlot(width, top, [amount]);
  const last = Math.max(...paths.map(({ points }) => points.at(-1)?.sprints ?? 0));
  const x = (sprints: number): number => plot.left + (sprints / last) * (plot.right - plot.left);
  const placed = paths.map(({ points }) =>
    points.map(({ sprints, left }): Point => [x(sprints), y(left)]),
  );
  let content = axis;
  // A grid line for each sprint, if they fit.
  if (x(1) - x(0) >= 6) {
    for (let sprint = 1; sprint <= last; sprint++) {
      const at = Math.round(x(sprint)) + 0.5;
      content += segment([at, plot.top], [at, plot.bottom], { stroke: COLOURS.grid });
    }
  }
  const wedge = [...(placed[0] as Point[]), ...(placed.at(-1) as Point[]).toReversed()];
  content += element('path', { d: path(wedge), fill: COLOURS.accent, 'fill-opacity': 0.1 });
  placed.forEach((points, index) => {
    content += line(points, MARKS[index] as (typeof MARKS)[number]);
  });
  const ends = endLabels(paths, from, plot, x);
  return { content: content + ends.content, bottom: ends.bottom };
}

/** Draws the start date and, below the end of each path, its confidence and date, in as many rows as needed. */
function endLabels(
  paths: readonly ForecastPath[],
  from: string,
  plot: Plot,
  x: (sprints: number) => number,
): { content: string; bottom: number } {
  let content = text(plot.left, plot.bottom + 20, day(from));
  const rows = [plot.left + measure(day(from), 12) + 12];
  const lengths = new Set(paths.flatMap(({ sprints }) => sprints ?? []));
  for (const sprints of lengths) {
    const group = paths.filter((each) => each.sprints === sprints);
    const likely = group.includes(paths[LIKELY] as ForecastPath);
    const title = `${group.map(({ percent }) => percent).join(', ')} %, ${sprintsOf(sprints)}`;
    const [{ date }] = group as [ForecastPath];
    const label = date === null ? 'after the year 9999' : dayOfYear(date);
    const half = Math.max(measure(title, 12, 600), measure(label, 12)) / 2;
    const at = x(sprints);
    const centre = Math.max(plot.left + half, Math.min(plot.right - half, at));
    let row = rows.findIndex((free) => free <= centre - half);
    if (row < 0) row = rows.length;
    rows[row] = centre + half + 12;
    const top = plot.bottom + 20 + row * 38;
    const colour = likely ? COLOURS.accent : COLOURS.ink;
    const dot = { cx: at, cy: plot.bottom, r: 4.5, stroke: COLOURS.paper, 'stroke-width': 2 };
    content += element('circle', { ...dot, fill: COLOURS.accent });
    content += text(centre, top, title, { fill: colour, ...middle, ...semibold });
    content += text(centre, top + 16, label, { ...middle });
  }
  return { content, bottom: plot.bottom + 20 + (rows.length - 1) * 38 + 16 };
}
