import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { hundredths } from './points';
import { addDays } from './calendar';
import type { ForecastView } from './report.dto';
import type { Steps } from './steps';

/** The maximum number of completed sprints, the last ones, that a forecast draws from; see docs/forecast.md. */
export const HISTORY = 10;
/** The minimum number of completed sprints for a forecast. */
export const MIN_HISTORY = 3;
/** Forecasts that need more sprints have no date. */
const HORIZON = 1000;

const PERCENTS = [50, 85, 95];

/** The work that one sprint completed. */
export interface Throughput {
  points: number;
  count: number;
}

/** An amount of work, in points or in stories. */
export interface Work {
  unit: keyof Throughput;
  amount: number;
}

export interface ForecastQuestion {
  /** The throughput of the last completed sprints, at least `MIN_HISTORY` and at most `HISTORY` of them. */
  history: Throughput[];
  /** The work to be done. */
  work: Work;
  /** A signed 32-bit integer. The same seed gives the same forecast. */
  seed: number;
  trials: number;
  /** The first day of the first future sprint, YYYY-MM-DD. */
  from: string;
  /** Calendar days from the start of one sprint to that of the next. */
  sprint_days: number;
}

/**
 * A Monte Carlo simulation: each future sprint completes as much as one of the past sprints, which are
 * drawn with equal probability. The distribution of a single sprint is that of the past sprints, so it needs no trial.
 */
export function* forecast(
  question: ForecastQuestion,
): Steps<Pick<ForecastView, 'when' | 'next_sprint'>> {
  const { history, from, sprint_days, trials } = question;
  const trialsBySprints = yield* simulate(question);
  return {
    when: PERCENTS.map((percent) => {
      const sprints = firstReaching(trialsBySprints, (percent * trials) / 100);
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

/** Counts the trials that took 0, 1, 2 … sprints; the last item counts the trials beyond the horizon. */
function* simulate({ history, work, seed, trials }: ForecastQuestion): Steps<Uint32Array> {
  // In hundredths, so that a rounding error does not prolong a trial.
  const amount = hundredths(work.amount);
  const completed = Float64Array.from(history, (sprint) => hundredths(sprint[work.unit]));
  const scale = completed.length / 2 ** 32;
  const trialsBySprints = new Uint32Array(HORIZON + 2);
  if (Math.max(...completed) * HORIZON < amount) return trialsBySprints.fill(trials, HORIZON + 1);
  const generator = xoroshiro128plus(seed);
  for (let trial = 0; trial < trials; trial++) {
    yield;
    let sprints = 0;
    for (let left = amount; left > 0 && sprints <= HORIZON; sprints++) {
      left -= completed[((generator.next() >>> 0) * scale) >>> 0] as number;
    }
    trialsBySprints[sprints] = (trialsBySprints[sprints] as number) + 1;
  }
  return trialsBySprints;
}

/** Returns the first index at which the sum of the counts reaches a number. */
function firstReaching(counts: Uint32Array, number: number): number {
  let sum = 0;
  return counts.findIndex((count) => (sum += count) >= number);
}

/** The largest value that `percent` percent of the past sprints reached. */
function atLeast(history: Throughput[], unit: keyof Throughput, percent: number): number {
  const best = history.map((sprint) => sprint[unit]).sort((a, b) => b - a);
  return best[Math.ceil((percent * best.length) / 100) - 1] as number;
}
