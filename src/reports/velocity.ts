import { fromHundredths, hundredths } from './points';
import { daysFromTo } from './calendar';
import type { Report } from './report';
import type { VelocitySprintView, VelocityView } from './report.dto';

/** The totals of a report that velocity and forecast use. */
export function totals({ committed, completed, unfinished }: Report) {
  return {
    committed_points: committed.points,
    completed_points: completed.points,
    unfinished_points: unfinished.points,
    committed_count: committed.count,
    completed_count: completed.count,
    unfinished_count: unfinished.count,
  };
}

export type SprintTotals = ReturnType<typeof totals>;

/** The velocity of completed sprints. @param sprints oldest first */
export function velocity(sprints: VelocitySprintView[]): VelocityView {
  const points = sprints.map(({ completed_points }) => hundredths(completed_points));
  const counts = sprints.map(({ completed_count }) => completed_count * 100);
  return {
    sprints,
    average_points: rounded(average(points)),
    median_points: rounded(median(points)),
    average_count: rounded(average(counts)),
    median_count: rounded(median(counts)),
  };
}

const rounded = (value: number | null): number | null => value && fromHundredths(value);

function average(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => a + b) / values.length;
}

/**
 * Returns the median of the days from the start of one sprint to that of the next, weekends between sprints
 * included. Sprints with the same start count once; if all have the same start, it is the median of their lengths.
 * @param sprints at least one, in the order of their starts, with their lengths in days
 */
export function cadence(sprints: { start_date: string; days: number }[]): number {
  const starts = [...new Set(sprints.map(({ start_date }) => start_date))];
  const steps = starts.slice(1).map((start, i) => daysFromTo(starts[i] as string, start) - 1);
  const lengths = sprints.map(({ days }) => days);
  return Math.round(median(steps.length > 0 ? steps : lengths) as number);
}

/** The middle value, or the mean of the two middle values; null of an empty array. */
export function median(values: number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
