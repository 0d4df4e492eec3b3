import { fromHundredths, hundredths } from './points';
import type { Report } from './report';

/** The totals of a report that velocity and forecast use. */
export interface Totals {
  committed_points: number;
  completed_points: number;
  unfinished_points: number;
  committed_count: number;
  completed_count: number;
  unfinished_count: number;
}

export interface VelocitySprint extends Totals {
  id: number;
  name: string | null;
  start_date: string;
  end_date: string | null;
  completed_at: string;
}

export interface Velocity {
  /** Oldest first. */
  sprints: VelocitySprint[];
  /** Of the completed stories, to two decimals; null without a sprint, like the three below. */
  average_points: number | null;
  median_points: number | null;
  average_count: number | null;
  median_count: number | null;
}

/** Reads the totals of a report. */
export function totals({ committed, completed, unfinished }: Report): Totals {
  return {
    committed_points: committed.points,
    completed_points: completed.points,
    unfinished_points: unfinished.points,
    committed_count: committed.count,
    completed_count: completed.count,
    unfinished_count: unfinished.count,
  };
}

/** The velocity of completed sprints. @param sprints oldest first */
export function velocity(sprints: VelocitySprint[]): Velocity {
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

/** The middle value, or the mean of the two middle values; null of an empty array. */
export function median(values: number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
