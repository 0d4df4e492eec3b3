import { scaleUtc } from 'd3-scale';
import { addDays, daysFromTo } from '../calendar';
import type { Plot } from './frame';
import { COLOURS, element, end, middle, semibold, text } from './svg';
import { day, measure, month } from './text';

/** The days that a chart shows, from left to right. */
export interface Days {
  first: string;
  count: number;
  /** The index of today; null if today is not shown. */
  today: number | null;
  isWorking: (index: number) => boolean;
}

/** Days narrower than this have no label of their own. */
const LABELLED = 19;
/** Days narrower than this are not shaded. */
export const SHADED = 5;

/**
 * Returns a function that counts the working days before a day. It sums up one week, since all are the same, and
 * takes constant time: a sprint may last for millennia.
 */
export function workingDaysBefore(isWorking: Days['isWorking']): (index: number) => number {
  const passed = [0];
  for (let day = 0; day < 7; day++) passed.push((passed[day] as number) + (isWorking(day) ? 1 : 0));
  return (index) => Math.floor(index / 7) * (passed[7] as number) + (passed[index % 7] as number);
}

/** Draws the bands of the days that are not working days. */
export function shading({ count, isWorking }: Days, { left, right, top, bottom }: Plot): string {
  const width = (right - left) / count;
  if (width < SHADED) return '';
  let content = '';
  for (let from = 0; from < count; from++) {
    let to = from;
    while (to < count && !isWorking(to)) to++;
    if (to === from) continue;
    const area = { x: left + from * width, width: (to - from) * width };
    content += element('rect', { ...area, y: top, height: bottom - top, fill: COLOURS.shade });
    from = to;
  }
  return content;
}

/** The labels below the days. */
export function dayLabels(days: Days, plot: Plot): string {
  const width = (plot.right - plot.left) / days.count;
  return width < LABELLED ? longLabels(days, plot) : shortLabels(days, plot, width);
}

/** The day of the month of each day, and below it "Today" and the months. */
function shortLabels({ first, count, today }: Days, { left, bottom }: Plot, width: number): string {
  let content = '';
  let free = 0;
  const centre = (index: number): number => left + (index + 0.5) * width;
  const [start, stop] = today === null ? [0, 0] : [centre(today) - 22, centre(today) + 22];
  for (let index = 0; index < count; index++) {
    const date = addDays(first, index) as string;
    const x = centre(index);
    const style = index === today ? { ...middle, fill: COLOURS.ink, ...semibold } : middle;
    content += text(x, bottom + 18, String(Number(date.slice(8))), style);
    if (index === today) content += text(x, bottom + 34, 'Today', style);
    else if (index === 0 || date.endsWith('-01')) {
      const half = measure(month(date), 12) / 2;
      if (x - half < free || (x - half < stop && x + half > start)) continue;
      content += text(x, bottom + 34, month(date), middle);
      free = x + half + 6;
    }
  }
  return content;
}

/** Today, and some dates that overlap neither it nor each other. */
function longLabels({ first, count, today }: Days, { left, right, bottom }: Plot): string {
  const last = addDays(first, count - 1) as string;
  const ticks = scaleUtc([Date.parse(first), Date.parse(last)], [left, right]).ticks(
    Math.floor((right - left) / 80),
  );
  const gap = (Number(ticks[1] ?? ticks[0]) - Number(ticks[0])) / 86_400_000;
  const centre = (index: number): number => left + ((index + 0.5) / count) * (right - left);
  let content = '';
  let [start, stop] = [Infinity, -Infinity];
  if (today !== null) {
    const date = day(addDays(first, today) as string);
    const half = Math.max(measure('Today', 12, 600), measure(date, 12, 600)) / 2;
    const x = Math.min(right - half, Math.max(left + half, centre(today)));
    const style = { ...middle, ...semibold, fill: COLOURS.ink };
    content = text(x, bottom + 18, date, style) + text(x, bottom + 34, 'Today', style);
    [start, stop] = [x - half - 10, x + half + 10];
  }
  const isFree = (from: number, to: number): boolean => to < start || from > stop;
  const ofToday = content;
  let free = left;
  for (const tick of ticks) {
    const date = tick.toISOString().slice(0, 10);
    const year = String(Number(date.slice(0, 4)));
    const label = gap > 300 ? year : gap > 25 ? `${month(date)} ${year}` : day(date);
    const half = measure(label, 12) / 2;
    const x = centre(daysFromTo(first, date) - 1);
    if (x - half < free || x + half > right || !isFree(x - half, x + half)) continue;
    content += text(x, bottom + 18, label, middle);
    free = x + half + 10;
  }
  if (content !== ofToday) return content;
  const [begin, finish] = [day(first), day(last)];
  if (isFree(left, left + measure(begin, 12))) content += text(left, bottom + 18, begin);
  if (isFree(right - measure(finish, 12), right)) content += text(right, bottom + 18, finish, end);
  return content;
}
