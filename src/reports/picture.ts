import type { Axis, Legend, Mark, Scale, Spec } from 'vega';
import type { BurndownDays } from './burndown';
import { addDays, daysFromTo } from './calendar';
import type { BurndownDayView, VelocityView } from './report.dto';

// Each role has a colour of its own, so that the style sheet can replace it in dark mode.
const light = {
  paper: '#ffffff',
  ink: '#1f2328',
  muted: '#59636e',
  grid: '#e4e8ec',
  main: '#0b6bcb',
  second: '#b5c9dd',
  scope: '#b35c00',
  today: '#c4314b',
};
const dark: typeof light = {
  paper: '#0d1117',
  ink: '#e6edf3',
  muted: '#9aa4b0',
  grid: '#262c34',
  main: '#58a6ff',
  second: '#35506d',
  scope: '#f0a04b',
  today: '#ff7b8a',
};

const roles = Object.keys(light) as (keyof typeof light)[];

/** The style sheet of every picture; constant, so that a content security policy can allow its hash. */
export const PICTURE_STYLE = `@media (prefers-color-scheme: dark) {${roles
  .flatMap((role) =>
    ['fill', 'stroke'].map((kind) => `[${kind}="${light[role]}"]{${kind}:${dark[role]}}`),
  )
  .join('')}}`;

const FONT = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const WIDTH = 720;
const HEIGHT = 320;
// More days have no pixel of their own.
const MAX_DAYS = WIDTH;
/** Days up to which each has a dot. */
const MAX_DOTS = 45;

interface BurndownPicture {
  title: string;
  start_date: string;
  end_date: string | null;
  days: BurndownDays;
  /** The date of the line of today; null if the sprint is completed. */
  today: string | null;
}

/** A burndown as SVG: the remaining work, the scope and the ideal line by day. */
export async function burndownSvg(picture: BurndownPicture): Promise<string> {
  const { title, start_date, days } = picture;
  const shown = [...days.at(sample(days.length))];
  const unit = unitOf(shown.some((day) => day.scope_points > 0));
  const last = picture.end_date ?? shown.at(-1)?.date ?? start_date;
  const remaining = shown.map((day) => ({ date: day.date, value: day[`remaining_${unit}`] }));
  const scope = shown.map((day) => ({ date: day.date, value: day[`scope_${unit}`] }));
  const lines = [
    ...scope.map((point) => ({ ...point, line: 'Scope' })),
    ...ideal(picture, shown[0], unit).map((point) => ({ ...point, line: 'Ideal' })),
    ...remaining.map((point) => ({ ...point, line: 'Remaining' })),
  ];
  const styles = [
    { line: 'Remaining', colour: light.main, dash: [1, 0], weight: 3 },
    { line: 'Ideal', colour: light.muted, dash: [6, 4], weight: 1.5 },
    { line: 'Scope', colour: light.scope, dash: [1, 0], weight: 1.5 },
  ].filter(({ line }) => line !== 'Ideal' || lines.some((point) => point.line === line));
  const styled = (property: 'colour' | 'dash' | 'weight'): Scale =>
    ordinal(
      property,
      styles.map(({ line }) => line),
      styles.map((style) => style[property]),
    );
  const today =
    picture.today !== null && picture.today >= start_date && picture.today <= last
      ? [{ date: picture.today }]
      : [];
  return draw(title, {
    data: [
      { name: 'lines', values: lines, format: { parse: { date: 'utc:"%Y-%m-%d"' } } },
      { name: 'today', values: today, format: { parse: { date: 'utc:"%Y-%m-%d"' } } },
    ],
    scales: [
      // Half a day of margin on both sides.
      {
        name: 'x',
        type: 'utc',
        domain: [Date.parse(start_date) - 43_200_000, Date.parse(last) + 43_200_000],
        range: 'width',
      },
      valueScale(lines.map(({ value }) => value)),
      styled('colour'),
      styled('dash'),
      styled('weight'),
    ],
    axes: [
      { ...axis, orient: 'bottom', scale: 'x', ...dateTicks(start_date, last) },
      { ...axis, ...horizontalGrid, orient: 'left', scale: 'y', title: label(unit) },
    ],
    legends: [
      {
        ...legend,
        stroke: 'colour',
        strokeDash: 'dash',
        strokeWidth: 'weight',
        symbolType: 'stroke',
      },
    ],
    marks: [
      {
        type: 'group',
        from: { facet: { name: 'line', data: 'lines', groupby: 'line' } },
        marks: [
          {
            type: 'line',
            from: { data: 'line' },
            encode: {
              enter: {
                ...POINT,
                stroke: { scale: 'colour', field: 'line' },
                strokeDash: { scale: 'dash', field: 'line' },
                strokeWidth: { scale: 'weight', field: 'line' },
                ...constants({ strokeCap: 'round', strokeJoin: 'round' }),
              },
            },
          },
          {
            type: 'symbol',
            from: { data: 'line' },
            encode: {
              enter: {
                ...POINT,
                fill: { value: light.main },
                size: {
                  signal: `datum.line === 'Remaining' && ${days.length} <= ${MAX_DOTS} ? 45 : 0`,
                },
              },
            },
          },
        ],
      },
      ...verticalLine('today', light.today),
    ],
  });
}

/** A velocity as SVG: the committed and completed work of each sprint, and the average. */
export async function velocitySvg(title: string, velocity: VelocityView): Promise<string> {
  const { sprints } = velocity;
  const unit = unitOf(
    sprints.some((sprint) => sprint.committed_points > 0 || sprint.completed_points > 0),
  );
  const bars = sprints.flatMap((sprint) => [
    { sprint: sprint.id, bar: 'Committed', value: sprint[`committed_${unit}`] },
    { sprint: sprint.id, bar: 'Completed', value: sprint[`completed_${unit}`] },
  ]);
  const average = velocity[`average_${unit}`];
  const names = ['Committed', 'Completed', 'Average'];
  return draw(title, {
    signals: [
      {
        name: 'names',
        value: Object.fromEntries(sprints.map(({ id, name }) => [id, toXmlText(name ?? `#${id}`)])),
      },
    ],
    data: [
      { name: 'bars', values: bars },
      { name: 'average', values: average === null ? [] : [{ value: average }] },
    ],
    scales: [
      {
        name: 'x',
        type: 'band',
        domain: sprints.map(({ id }) => id),
        range: 'width',
        paddingInner: 0.35,
        paddingOuter: 0.2,
      },
      {
        name: 'side',
        type: 'band',
        domain: names.slice(0, 2),
        range: { signal: '[0, bandwidth("x")]' },
      },
      valueScale(bars.map(({ value }) => value)),
      ordinal('colour', names, [light.second, light.main, light.scope]),
      ordinal('shape', names, ['square', 'square', 'stroke']),
    ],
    axes: [
      {
        ...axis,
        orient: 'bottom',
        scale: 'x',
        labelLimit: sprints.length > 6 ? 110 : 640 / Math.max(1, sprints.length),
        ...(sprints.length > 6 && { labelAngle: -35, labelAlign: 'right', labelBaseline: 'top' }),
        encode: { labels: { update: { text: { signal: 'names[datum.value]' } } } },
      },
      { ...axis, ...horizontalGrid, orient: 'left', scale: 'y', title: label(unit) },
    ],
    legends: [
      { ...legend, fill: 'colour', stroke: 'colour', shape: 'shape', symbolStrokeWidth: 2 },
    ],
    marks: [
      {
        type: 'rect',
        from: { data: 'bars' },
        encode: {
          enter: {
            x: { scale: 'x', field: 'sprint', offset: { scale: 'side', field: 'bar' } },
            width: { scale: 'side', band: 1 },
            y: { scale: 'y', field: 'value' },
            y2: { scale: 'y', value: 0 },
            fill: { scale: 'colour', field: 'bar' },
          },
        },
      },
      {
        type: 'rule',
        from: { data: 'average' },
        encode: {
          enter: {
            x2: { signal: 'width' },
            y: { scale: 'y', field: 'value' },
            ...constants({ x: 0, stroke: light.scope, strokeWidth: 2, strokeDash: [6, 4] }),
          },
        },
      },
    ],
  });
}

/** The indices of the days to draw: of many, one for each pixel, the last one included. */
function sample(length: number): number[] {
  const count = Math.min(length, MAX_DAYS);
  return Array.from(
    { length: count },
    (_, i) => length - 1 - Math.floor(((count - 1 - i) * length) / count),
  );
}

type Unit = 'points' | 'count';

// A team that does not estimate gets a picture in stories.
const unitOf = (estimated: boolean): Unit => (estimated ? 'points' : 'count');
const label = (unit: Unit): string => (unit === 'points' ? 'Points' : 'Stories');

/** The first and last point of the ideal line, the only line that extends to future days. */
function ideal(
  { start_date, end_date }: BurndownPicture,
  first: BurndownDayView | undefined,
  unit: Unit,
): { date: string; value: number }[] {
  if (!first || first.ideal_points === null || end_date === null || unit === 'count') return [];
  return [
    { date: start_date, value: first.ideal_points },
    { date: end_date, value: 0 },
  ];
}

/** The position of a point of a line. */
const POINT = { x: { scale: 'x', field: 'date' }, y: { scale: 'y', field: 'value' } };

/** Properties of marks that have the same value for all data. */
const constants = (values: Record<string, unknown>): Record<string, { value: unknown }> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));

const axis = {
  domainColor: light.muted,
  tickColor: light.muted,
  labelColor: light.muted,
  titleColor: light.ink,
  labelFont: FONT,
  titleFont: FONT,
  labelFontSize: 12,
  titleFontSize: 12,
  titleFontWeight: 'normal',
  titlePadding: 10,
  labelPadding: 6,
} as const satisfies Partial<Axis>;

const horizontalGrid = {
  grid: true,
  gridColor: light.grid,
  domain: false,
  ticks: false,
  tickCount: 6,
  tickMinStep: 1,
} as const satisfies Partial<Axis>;

const legend = {
  orient: 'top-right',
  direction: 'horizontal',
  offset: -34,
  labelColor: light.ink,
  labelFont: FONT,
  labelFontSize: 12,
  symbolSize: 180,
  // Entries have the same height, whatever their symbols.
  clipHeight: 18,
} as const satisfies Partial<Legend>;

const valueScale = (values: number[]): Scale => ({
  name: 'y',
  type: 'linear',
  domain: [0, Math.max(1, ...values)],
  range: 'height',
  nice: true,
});

const ordinal = (name: string, domain: string[], range: (string | number | number[])[]): Scale => ({
  name,
  type: 'ordinal',
  domain,
  range,
});

/** Ticks on whole days, at distances that leave room for their labels. */
function dateTicks(first: string, last: string): Partial<Axis> {
  const days = daysFromTo(first, last);
  if (days > 366) return { tickCount: 8 };
  const step = Math.ceil(days / 10);
  const values = [];
  for (let day = 0; day < days; day += step) {
    values.push(Date.parse(addDays(first, day) as string));
  }
  return { values, format: '%b %-d', formatType: 'utc' };
}

/** A vertical line with a label at the date of the data. */
function verticalLine(data: string, colour: string): Mark[] {
  return [
    {
      type: 'rule',
      from: { data },
      encode: {
        enter: {
          x: POINT.x,
          y2: { signal: 'height' },
          ...constants({ y: 0, stroke: colour, strokeWidth: 1.5, strokeDash: [2, 3] }),
        },
      },
    },
    {
      type: 'text',
      from: { data },
      encode: {
        enter: {
          x: POINT.x,
          ...constants({ y: 4, dx: 6, text: 'Today', fill: colour }),
          ...constants({ baseline: 'top', font: FONT, fontSize: 12 }),
        },
      },
    },
  ];
}

// Characters that XML cannot contain, not even escaped.
const invalid = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const toXmlText = (value: string): string => value.replace(invalid, '\uFFFD');

let previous: Promise<unknown> = Promise.resolve();

/** Draws one picture at a time: Vega numbers elements globally, and equal data must give equal SVG. */
function draw(title: string, spec: Spec): Promise<string> {
  const drawing = previous.then(() => drawNow(title, spec));
  previous = drawing.catch(() => undefined);
  return drawing;
}

async function drawNow(title: string, spec: Spec): Promise<string> {
  // Imported late, because the library is large and only pictures need it.
  const vega = await import('vega');
  const view = new vega.View(
    vega.parse({
      width: WIDTH,
      height: HEIGHT,
      padding: 20,
      background: light.paper,
      title: {
        text: toXmlText(title),
        anchor: 'start',
        frame: 'group',
        offset: 18,
        limit: WIDTH,
        color: light.ink,
        font: FONT,
        fontSize: 16,
      },
      ...spec,
    }),
    { renderer: 'none' },
  );
  vega.resetSVGDefIds();
  const svg = await view.toSVG();
  view.finalize();
  return svg.replace('>', `><style>${PICTURE_STYLE}</style>`);
}
