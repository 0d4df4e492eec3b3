import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { hundredths } from './points';
import type { Throughput, Work } from './forecast';
import type { ForecastView } from './report.dto';
import type { Steps } from './steps';

/** Enough for a smooth line; the dates come from the forecast. */
const TRIALS = 2000;
/** The maximum number of points of a path. */
const POINTS = 40;

/** The work that is left, at most, after a number of sprints, with a confidence of `percent`. */
export interface ForecastPath {
  percent: number;
  /** The sprints until nothing is left; null beyond the horizon of the forecast. */
  sprints: number | null;
  date: string | null;
  points: { sprints: number; left: number }[];
}

/** Simulates a path for each confidence of a forecast; it ends at the number of sprints that the forecast names. */
export function* forecastPaths(
  history: readonly Throughput[],
  work: Work,
  { when, seed }: Pick<ForecastView, 'when' | 'seed'>,
): Steps<ForecastPath[]> {
  const known = when.flatMap(({ sprints }) => sprints ?? []);
  const longest = Math.max(0, ...known);
  const last = known.length < when.length ? Math.ceil(longest * 1.25) : longest;
  const step = Math.max(1, Math.ceil(last / POINTS));
  const completed = history.map((sprint) => hundredths(sprint[work.unit]));
  const generator = xoroshiro128plus(seed);
  const left = new Float64Array(TRIALS).fill(hundredths(work.amount));
  const sampled = [{ sprints: 0, left: left.slice() }];
  for (let sprints = 1; sprints <= last; sprints++) {
    for (let trial = 0; trial < TRIALS; trial++) {
      const drawn = completed[(generator.next() >>> 0) % completed.length] as number;
      left[trial] = Math.max(0, (left[trial] as number) - drawn);
    }
    if (sprints % step > 0 && sprints < last) continue;
    sampled.push({ sprints, left: left.toSorted() });
    yield;
  }
  return when.map(({ percent, sprints: end, date }) => {
    const points = sampled
      .filter(({ sprints }) => sprints < (end ?? Infinity))
      .map(({ sprints, left }) => ({
        sprints,
        left: (left[Math.ceil((percent / 100) * TRIALS) - 1] as number) / 100,
      }));
    if (end !== null) points.push({ sprints: end, left: 0 });
    return { percent, sprints: end, date, points };
  });
}
