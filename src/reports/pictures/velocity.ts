import type { Velocity } from '../reports.service';
import { heading, paddingOf } from './frame';
import type { Picture } from './svg';
import { COLOURS, element, end, isolated, segment, semibold, text, tspan } from './svg';
import type { Unit } from './text';
import { counted, days, distinctNames, measure, noun, number, range } from './text';

const MARKS = {
  completed: { fill: COLOURS.accent },
  committed: { fill: COLOURS.soft },
  average: { stroke: COLOURS.ink, 'stroke-width': 1.5, 'stroke-dasharray': '5 4' },
};

/** Space between the columns. */
const GAP = 12;

/** The committed and completed work of each sprint as a bar, and the average. */
export function velocityPicture(velocity: Velocity, width: number): Picture {
  const { board, view, lastDays } = velocity;
  const { sprints } = view;
  const unit: Unit = sprints.some((each) => each.committed_points + each.completed_points > 0)
    ? 'points'
    : 'count';
  const average = view[`average_${unit}`];
  const headline = headlineOf(average, unit, sprints.length);
  const [first, last] = [sprints[0], lastDays.at(-1)];
  const dates = first && last ? range(first.start_date, last) : '';
  const legend = [
    { label: 'Completed', mark: MARKS.completed },
    { label: 'Committed', mark: MARKS.committed },
    { label: `Average ${number(average ?? 0)}`, mark: MARKS.average },
  ];
  const head = heading(
    { board, subject: 'Velocity', dates, headline, legend: average === null ? [] : legend },
    width,
  );
  const rows = rowsOf(velocity, unit);
  const chart = bars(rows, average, width, head.bottom);
  return {
    width,
    height: chart.bottom + paddingOf(width),
    title: `${board}, velocity${dates && `, ${dates}`}: ${headline}`,
    description: [
      `Completed and committed ${noun(unit, 2)} of each sprint`,
      ...sprints.map(({ name, id }, index) => `${name ?? `#${id}`}: ${rows[index]?.label}`),
    ].join('; '),
    content: head.content + chart.content,
  };
}

function headlineOf(average: number | null, unit: Unit, sprints: number): string {
  if (average === null) return 'No completed sprint yet';
  if (sprints === 1) return `${counted(average, unit)} in one sprint`;
  return `${counted(average, unit)} per sprint, average of ${sprints}`;
}

const rowsOf = ({ view, lastDays }: Velocity, unit: Unit) =>
  view.sprints.map((sprint, index) => {
    const { id, name, start_date } = sprint;
    const completed = sprint[`completed_${unit}`];
    const committed = sprint[`committed_${unit}`];
    const dates = days(start_date, lastDays[index] as string);
    const label = `${number(completed)} of ${number(committed)}`;
    return { id, name, dates, completed, committed, label };
  });

/** A row for each sprint: its name, its dates if they fit, a bar, and its numbers. */
function bars(
  rows: ReturnType<typeof rowsOf>,
  average: number | null,
  width: number,
  top: number,
): { content: string; bottom: number } {
  if (average === null) return { content: '', bottom: top };
  const padding = paddingOf(width);
  const height = rows.length <= 12 ? 30 : rows.length <= 30 ? 24 : 18;
  const size = height < 20 ? 11 : 12;
  const widest = (texts: string[]): number => Math.max(...texts.map((each) => measure(each, size)));
  const available = (width - 2 * padding) * (width < 480 ? 0.36 : 0.3);
  const names = distinctNames(rows, (name) => measure(name, size) <= available);
  const ofDates = width < 720 ? 0 : widest(rows.map(({ dates }) => dates)) + GAP;
  const dated = padding + widest(names) + GAP;
  const left = dated + ofDates;
  const right = width - padding - widest(rows.map(({ label }) => label)) * 1.05 - GAP;
  const most = Math.max(1e-9, ...rows.flatMap((row) => [row.completed, row.committed]));
  const x = (value: number): number => left + (value / most) * (right - left);

  let content = '';
  const y = top + 4;
  rows.forEach((row, index) => {
    const middle = y + (index + 0.5) * height;
    const bar = { x: left, y: middle - height * 0.3, height: height * 0.6, rx: 2 };
    const baseline = middle + size * 0.35;
    const drawBar = (value: number, mark: { fill: string }): string =>
      value > 0 ? element('rect', { ...bar, width: Math.max(1, x(value) - left), ...mark }) : '';
    content += text(padding, baseline, isolated(names[index] as string), {
      'font-size': size,
      fill: COLOURS.ink,
    });
    if (ofDates > 0) content += text(dated, baseline, row.dates, { 'font-size': size });
    content += drawBar(row.committed, MARKS.committed) + drawBar(row.completed, MARKS.completed);
    if (row.completed > row.committed && row.committed > 0) {
      content += element('rect', {
        ...bar,
        x: x(row.committed),
        width: 1.5,
        rx: 0,
        fill: COLOURS.paper,
      });
    }
    content += element(
      'text',
      { x: width - padding, y: baseline, 'font-size': size, fill: COLOURS.muted, ...end },
      tspan(number(row.completed), { fill: COLOURS.ink, ...semibold }) +
        tspan(` of ${number(row.committed)}`),
    );
  });
  const bottom = y + rows.length * height;
  const at = Math.round(x(average)) + 0.5;
  content += segment([at, y - 2], [at, bottom + 2], MARKS.average);
  return { content, bottom: bottom + 2 };
}
