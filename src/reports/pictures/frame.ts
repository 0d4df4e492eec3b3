import { scaleLinear } from 'd3-scale';
import type { Attributes } from './svg';
import { COLOURS, element, end, isolated, middle, segment, semibold, text, tspan } from './svg';
import { measure, number, shorten, wrap } from './text';

/** The space around the content of a picture. */
export const paddingOf = (width: number): number => (width < 480 ? 16 : 24);

export interface LegendEntry {
  label: string;
  /** How its mark is drawn; a filled mark is a square, others are lines. */
  mark: Attributes;
}

interface Heading {
  board: string;
  /** The name of a sprint, or the kind of the picture. */
  subject: string;
  /** The period that is shown. */
  dates: string;
  /** The main result in words. */
  headline: string;
  legend: LegendEntry[];
}

const NAME = 13;
const LEGEND = 12;

/** Draws the text above a chart; `bottom` is the y at which the chart may begin. */
export function heading(of: Heading, width: number): { content: string; bottom: number } {
  const x = paddingOf(width);
  const available = width - 2 * x;
  let y = x + NAME - 1;
  let content = '';

  const names = `${isolated(of.board)} · ${isolated(of.subject)}`;
  if (measure(names, NAME, 600) + measure(`\u2003${of.dates}`, NAME) <= available) {
    content += nameLine(x, y, names, of.dates);
  } else {
    content += nameLine(x, y, fittingNames(of.board, of.subject, available), '');
    if (of.dates !== '') {
      y += NAME + 6;
      content += text(x, y, of.dates, { 'font-size': NAME });
    }
  }

  const size = width < 600 ? 18 : 22;
  y += 6;
  for (const words of wrapped(of.headline, (value) => measure(value, size, 600) <= available)) {
    y += size + 6;
    content += text(x, y, words, { 'font-size': size, fill: COLOURS.ink, ...semibold });
  }

  if (of.legend.length > 0) {
    y += LEGEND + 14;
    let left = x;
    for (const { label, mark } of of.legend) {
      const wide = 22 + measure(label, LEGEND);
      if (left > x && left + wide > x + available) [left, y] = [x, y + LEGEND + 8];
      content += swatch(left, y - 4, mark) + text(left + 22, y, label, { 'font-size': LEGEND });
      left += wide + 18;
    }
  }
  return { content, bottom: y + 14 };
}

function nameLine(x: number, y: number, names: string, dates: string): string {
  const muted = { fill: COLOURS.muted, 'font-weight': 400 };
  return element(
    'text',
    { x, y, 'font-size': NAME, fill: COLOURS.ink, ...semibold },
    tspan(names) + (dates && tspan(`\u2003${dates}`, muted)),
  );
}

/** Breaks a headline into lines, at its last comma if possible. */
function wrapped(headline: string, fits: (value: string) => boolean): string[] {
  const parts = headline.split(/(?<=,) (?!.*, )/);
  return !fits(headline) && parts.every(fits) ? parts : wrap(headline, fits);
}

/** Shortens the names of a board and a subject so that both fit. */
function fittingNames(board: string, subject: string, available: number): string {
  const width = (value: string): number => measure(value, NAME, 600);
  const free = available - width(' · ');
  const ofBoard = Math.max(free * 0.4, free - width(subject));
  const first = shorten(board, (value) => width(value) <= ofBoard);
  const second = shorten(subject, (value) => width(value) <= free - width(first));
  return `${isolated(first)} · ${isolated(second)}`;
}

function swatch(x: number, y: number, mark: Attributes): string {
  if (mark.stroke === undefined) {
    return element('rect', { x: x + 2, y: y - 6, width: 12, height: 12, rx: 2, ...mark });
  }
  return segment([x, y], [x + 15, y], mark);
}

/** The area of a chart in pixels. */
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The plot of a chart of values, its scale, and its horizontal lines with their values. */
export function valuePlot(
  width: number,
  top: number,
  values: readonly number[],
): { plot: Plot; y: (value: number) => number; content: string } {
  const padding = paddingOf(width);
  const height = Math.round(Math.min(420, Math.max(170, (width - 2 * padding) * 0.4)));
  const most = Math.max(0, ...values);
  // No more ticks than the greatest value: three stories have no use for a tick at 0.5.
  const count = Math.min(4, Math.ceil(most) || 1);
  const scale = scaleLinear([0, most || 1], [top + height, top + 8]).nice(count);
  const ticks = most === 0 ? [] : scale.ticks(count);
  const labels = Math.max(0, ...ticks.map((tick) => measure(number(tick), 12)));
  const plot = {
    left: padding + (labels && labels + 8),
    right: width - padding,
    top: top + 8,
    bottom: top + height,
  };
  const lines = (most === 0 ? [0] : ticks).map((tick) => {
    const y = Math.round(scale(tick)) + 0.5;
    const stroke = tick === 0 ? COLOURS.faint : COLOURS.grid;
    return segment([plot.left, y], [plot.right, y], { stroke });
  });
  const numbers = ticks.map((tick) => text(plot.left - 8, scale(tick) + 4, number(tick), end));
  return { plot, y: scale, content: lines.join('') + numbers.join('') };
}

/** Words in the middle of an empty plot. */
export function emptyPlot({ left, right, top, bottom }: Plot, words: string): string {
  const lines = wrap(words, (value) => measure(value, 14) <= right - left);
  const first = (top + bottom) / 2 - (lines.length - 1) * 10;
  return lines
    .map((each, index) =>
      text((left + right) / 2, first + index * 20, each, { 'font-size': 14, ...middle }),
    )
    .join('');
}
