import type { ForecastQuestion } from '../../../src/reports/forecast';
import { forecast as forecastSteps } from '../../../src/reports/forecast';
import type { ForecastPath } from '../../../src/reports/forecast-paths';
import { forecastPaths } from '../../../src/reports/forecast-paths';
import type { ForecastView } from '../../../src/reports/report.dto';
import { inSteps } from '../../../src/reports/steps';
import { cadence } from '../../../src/reports/velocity';
import { atOnce } from '../../support/at-once';

const forecast = (of: ForecastQuestion) => atOnce(forecastSteps(of));

const history = [13, 8, 21, 5, 10, 13, 12, 9, 17, 11].map((points, index) => ({
  points,
  count: 3 + (index % 4),
}));
const question: ForecastQuestion = {
  history,
  work: { unit: 'points', amount: 100 },
  seed: 7,
  trials: 10_000,
  from: '2026-03-15',
  sprint_days: 14,
};

describe('a forecast', () => {
  it('is the same for the same seed', () => {
    expect(forecast(question)).toEqual(forecast(question));
    const answers = Array.from({ length: 20 }, (_, seed) =>
      JSON.stringify(forecast({ ...question, seed, trials: 10 }).when),
    );
    expect(new Set(answers).size).toBeGreaterThan(1);
  });

  it('is the same amount at every percentage for a team that always completes the same', () => {
    const same = Array.from({ length: 3 }, () => ({ points: 10, count: 4 }));
    const { when, next_sprint } = forecast({
      ...question,
      history: same,
      work: { unit: 'points', amount: 30 },
    });
    for (const row of when) expect(row).toMatchObject({ sprints: 3, date: '2026-04-26' });
    for (const row of next_sprint) expect(row).toMatchObject({ points: 10, count: 4 });
  });

  it('has for the next sprint the amount that the percentage of the past sprints reached', () => {
    expect(forecast(question).next_sprint.map(({ points }) => points)).toEqual([12, 8, 5]);
  });

  it('needs more sprints for a higher percentage', () => {
    const sprints = forecast(question).when.map((row) => row.sprints as number);
    expect(sprints).toEqual([...sprints].sort((a, b) => a - b));
    // The mean of the history is 11.9 points.
    expect(sprints[0]).toBe(9);
  });

  it('can measure the work in stories', () => {
    const { when } = forecast({ ...question, work: { unit: 'count', amount: 45 } });
    expect(when[0]?.sprints).toBe(11);
  });

  it('adds the points of sprints exactly', () => {
    const tenths = Array.from({ length: 3 }, () => ({ points: 0.1, count: 1 }));
    const { when } = forecast({
      ...question,
      history: tenths,
      work: { unit: 'points', amount: 0.3 },
    });
    expect(when[2]?.sprints).toBe(3);
  });

  it('needs no sprint for no work', () => {
    const { when } = forecast({ ...question, work: { unit: 'points', amount: 0 } });
    expect(when[2]).toEqual({ percent: 95, sprints: 0, date: '2026-03-15' });
  });

  it.each([0, 1])('has no date beyond a thousand sprints (history of %d points)', (points) => {
    const slow = Array.from({ length: 3 }, () => ({ points, count: 1 }));
    const ask = (amount: number) =>
      forecast({ ...question, trials: 100, history: slow, work: { unit: 'points', amount } })
        .when[0];
    expect(ask(1001)).toEqual({ percent: 50, sprints: null, date: null });
    expect(ask(1000)?.sprints).toBe(points === 0 ? null : 1000);
  });

  it('has no date if a thousand sprints are enough for too few trials', () => {
    const rare = [0, 0, 1].map((points) => ({ points, count: 1 }));
    const { when } = forecast({
      ...question,
      trials: 100,
      history: rare,
      work: { unit: 'points', amount: 1000 },
    });
    expect(when[0]).toEqual({ percent: 50, sprints: null, date: null });
  });

  it('reaches a percentage with exactly that share of the trials', () => {
    const sprintsOf = (seed: number) =>
      forecast({
        ...question,
        seed,
        trials: 2,
        history: [10, 5].map((points) => ({ points, count: 1 })),
        work: { unit: 'points', amount: 10 },
      }).when.map(({ sprints }) => sprints);
    // In one of the two trials one sprint is enough, in the other two are.
    expect(Array.from({ length: 20 }, (_, seed) => sprintsOf(seed))).toContainEqual([1, 2, 2]);
  });

  it('has the same result if other work runs between its steps', async () => {
    const long = { ...question, work: { unit: 'points', amount: 10_000 } } as const;
    expect(await inSteps(forecastSteps(long))).toEqual(forecast(long));
    // Each trial has about 840 draws.
    expect([...forecastSteps(long)].length).toBeGreaterThan(50);
  });

  it('takes less than 50 ms for 10,000 trials', () => {
    // CPU time, because other programs do not affect it; the best of a few runs, because the first ones
    // include the compilation.
    const times = Array.from({ length: 5 }, () => {
      const started = process.cpuUsage();
      forecast(question);
      return process.cpuUsage(started).user / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });
});

describe('a path of a forecast', () => {
  const paths = (unit: 'points' | 'count', amount: number, when: ForecastView['when']) =>
    atOnce(forecastPaths([{ points: 4, count: 1 }], { unit, amount }, { when, seed: 1 }));
  const leftOf = (path: ForecastPath | undefined) => path?.points.map(({ left }) => left);

  it('counts stories if the work is in stories', () => {
    const [path] = paths('count', 3, [{ percent: 50, sprints: 3, date: null }]);
    expect(leftOf(path)).toEqual([3, 2, 1, 0]);
  });

  it('does not fall below zero', () => {
    const [path] = paths('points', 6, [{ percent: 50, sprints: 4, date: null }]);
    expect(leftOf(path)).toEqual([6, 2, 0, 0, 0]);
  });

  it('has at most 41 points, and goes on for a quarter longer if it does not end', () => {
    const all = paths('points', 1000, [
      { percent: 50, sprints: 80, date: null },
      { percent: 95, sprints: null, date: null },
    ]);
    expect(all.map(({ points }) => points.at(-1)?.sprints)).toEqual([80, 100]);
    for (const { points } of all) expect(points.length).toBeLessThanOrEqual(41);
    expect(all[1]?.points.length).toBeGreaterThan(20);
  });
});

describe('the cadence of sprints', () => {
  const sprint = (start_date: string, days: number) => ({ start_date, days });

  it('is the median from start to start, weekends between them included', () => {
    const starts = ['2026-01-05', '2026-01-19', '2026-02-02', '2026-03-02'];
    expect(cadence(starts.map((start) => sprint(start, 12)))).toBe(14);
    expect(cadence([sprint('2026-01-05', 12), sprint('2026-01-16', 12)])).toBe(11);
    const even = ['2026-01-01', '2026-01-08', '2026-01-18'];
    expect(cadence(even.map((start) => sprint(start, 3)))).toBe(9);
  });

  it('counts sprints that start on one day once', () => {
    const starts = ['2026-01-05', '2026-01-05', '2026-01-05', '2026-01-19', '2026-01-19'];
    expect(cadence(starts.map((start) => sprint(start, 3)))).toBe(14);
  });

  it('is the median length if all sprints start on one day', () => {
    expect(cadence([10, 14, 30].map((days) => sprint('2026-01-05', days)))).toBe(14);
  });
});
