import type { ForecastView } from '../../../src/reports/report.dto';
import { forecast, HISTORY, MIN_HISTORY } from '../../../src/reports/forecast';
import { median } from '../../../src/reports/velocity';
import { atOnce } from '../../support/at-once';
import { realSprints, withRealSprints } from './real-sprints';

const PERCENTS = [50, 85, 95];

/** A forecast from the previous sprints, and what the next sprints completed. */
interface Trial {
  next_sprint: ForecastView['next_sprint'];
  when: ForecastView['when'];
  work: number;
  /** The points of the next sprint and of those after it. */
  done: number[];
}

/** Forecasts each sprint of a board from the previous sprints only. */
function forecastAll(delivered: number[]): Trial[] {
  const trials: Trial[] = [];
  for (let next = MIN_HISTORY; next < delivered.length; next++) {
    const past = delivered.slice(Math.max(0, next - HISTORY), next);
    // Three sprints of work.
    const work = 3 * (median(past) as number);
    const { next_sprint, when } = atOnce(
      forecast({
        history: past.map((points) => ({ points, count: 0 })),
        work: { unit: 'points', amount: work },
        seed: 1,
        trials: 1000,
        from: '2026-03-02',
        sprint_days: 14,
      }),
    );
    trials.push({ next_sprint, when, work, done: delivered.slice(next) });
  }
  return trials;
}

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
const share = (trials: Trial[], kept: (trial: Trial) => boolean): number =>
  (100 * trials.filter(kept).length) / trials.length;

withRealSprints('the forecast on 13 real boards', () => {
  let trials: Trial[] = [];
  beforeAll(() => {
    const boards = new Map<string, number[]>();
    for (const { board, delivered } of realSprints()) {
      boards.set(board, [...(boards.get(board) ?? []), delivered]);
    }
    trials = [...boards.values()].flatMap(forecastAll);
  });

  const pointsAt = ({ next_sprint }: Trial, percent: number): number =>
    next_sprint.find((row) => row.percent === percent)?.points as number;
  /** The percentage of sprints that completed at least the forecast. */
  const reached = (percent: number): number =>
    share(trials, (trial) => (trial.done[0] as number) >= pointsAt(trial, percent));

  const sprintsAt = ({ when }: Trial, percent: number): number =>
    when.find((row) => row.percent === percent)?.sprints ?? Infinity;
  /** The forecasts with a date within the published sprints. */
  const dated = (percent: number): Trial[] =>
    trials.filter((trial) => sprintsAt(trial, percent) <= trial.done.length);
  /** The percentage of forecast dates by which the work was done. */
  const kept = (percent: number): number =>
    share(
      dated(percent),
      (trial) => sum(trial.done.slice(0, sprintsAt(trial, percent))) >= trial.work,
    );

  it('of the next sprint at 85 % is reached by 80 to 90 % of the sprints', () => {
    expect(trials).toHaveLength(437);
    expect(reached(85)).toBeGreaterThanOrEqual(80);
    expect(reached(85)).toBeLessThanOrEqual(90);
  });

  it('has the figures of docs/forecast.md', () => {
    expect(PERCENTS.map((percent) => reached(percent).toFixed(1))).toEqual([
      '53.8',
      '86.7',
      '92.9',
    ]);
    const promised = sum(trials.map((trial) => pointsAt(trial, 85)));
    const done = sum(trials.map((trial) => trial.done[0] as number));
    expect(((100 * promised) / done).toFixed(1)).toBe('44.0');
    expect(PERCENTS.map((percent) => dated(percent).length)).toEqual([414, 401, 398]);
    expect(PERCENTS.map((percent) => kept(percent).toFixed(1))).toEqual(['69.8', '88.8', '91.7']);
  });
});
