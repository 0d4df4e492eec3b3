import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { addDays } from './calendar';
import { hundredths } from '../reports/points';

/** How many of the last completed sprints a forecast draws from; docs/forecast.md tells why. */
export const HISTORY = 10;
/** With fewer completed sprints than this there is no forecast. */
export const LEAST_HISTORY = 3;
/** Beyond so many sprints no date is told. */
export const HORIZON = 1000;

const PERCENTS = [50, 85, 95];

/** What one sprint completed. */
export interface Throughput {
  points: number;
  count: number;
}

export interface ForecastQuestion {
  /** What the last completed sprints did: `HISTORY` of them at most, `LEAST_HISTORY` at least. */
  history: Throughput[];
  /** The work to be done, in points or as a count of stories. */
  work: { unit: keyof Throughput; amount: number };
  /** A signed 32-bit integer. The same seed gives the same answer. */
  seed: number;
  trials: number;
  /** The day before the first of the sprints to come, YYYY-MM-DD. */
  from: string;
  /** How many calendar days a sprint takes. */
  sprint_days: number;
}

export interface ForecastAnswer {
  /** With that confidence the work is done in so many sprints, by that date; null beyond `HORIZON`. */
  when: { percent: number; sprints: number | null; date: string | null }[];
  /** With that confidence at least so much is done in the next sprint. */
  next_sprint: { percent: number; points: number; count: number }[];
}

/**
 * Monte Carlo over past sprints: each sprint to come does what one of them did, any with the same
 * chance. For a single sprint the answer is known without a trial.
 */
export function forecast(question: ForecastQuestion): ForecastAnswer {
  const { history, from, sprint_days, trials } = question;
  const took = simulate(question);
  return {
    when: PERCENTS.map((percent) => {
      const sprints = firstReaching(took, (percent * trials) / 100);
      if (sprints > HORIZON) return { percent, sprints: null, date: null };
      return { percent, sprints, date: addDays(from, sprints * sprint_days) };
    }),
    next_sprint: PERCENTS.map((percent) => ({
      percent,
      points: atLeast(history, 'points', percent),
      count: atLeast(history, 'count', percent),
    })),
  };
}

/** How many trials took 0, 1, 2 … sprints; the last place counts those beyond the horizon. */
function simulate({ history, work, seed, trials }: ForecastQuestion): Uint32Array {
  // Whole hundredths, so that no trial stops short for a sum that is not exact.
  const amount = hundredths(work.amount);
  const done = Float64Array.from(history, (sprint) => hundredths(sprint[work.unit]));
  const chance = done.length / 2 ** 32;
  const took = new Uint32Array(HORIZON + 2);
  if (Math.max(...done) * HORIZON < amount) return took.fill(trials, HORIZON + 1);
  const generator = xoroshiro128plus(seed);
  for (let trial = 0; trial < trials; trial++) {
    let sprints = 0;
    for (let left = amount; left > 0 && sprints <= HORIZON; sprints++) {
      left -= done[((generator.next() >>> 0) * chance) >>> 0] as number;
    }
    took[sprints] = (took[sprints] as number) + 1;
  }
  return took;
}

/** The first place up to which the counts add up to a number. */
function firstReaching(counts: Uint32Array, number: number): number {
  let sum = 0;
  return counts.findIndex((count) => (sum += count) >= number);
}

/** The most that so many percent of the past sprints reached. */
function atLeast(history: Throughput[], unit: keyof Throughput, percent: number): number {
  const best = history.map((sprint) => sprint[unit]).sort((a, b) => b - a);
  return best[Math.ceil((percent * best.length) / 100) - 1] as number;
}
