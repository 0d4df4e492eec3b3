import { forecast, HISTORY, MIN_HISTORY } from '../../../src/reports/forecast';
import { realSprints, withRealSprints } from './real-sprints';

interface Score {
  forecasts: number;
  /** How many sprints did at least what was promised, by percent. */
  kept: Map<number, number>;
  /** Points promised at 85 %, and points done. */
  promised: number;
  done: number;
}

// Walks forward through the sprints of a board: each is forecast from those before it alone.
function score(delivered: number[]): Score {
  const total: Score = { forecasts: 0, kept: new Map(), promised: 0, done: 0 };
  for (let next = MIN_HISTORY; next < delivered.length; next++) {
    const done = delivered[next] as number;
    const { next_sprint } = forecast({
      history: delivered
        .slice(Math.max(0, next - HISTORY), next)
        .map((points) => ({ points, count: 0 })),
      work: { unit: 'points', amount: 0 },
      seed: 1,
      trials: 1,
      from: '2026-03-02',
      sprint_days: 14,
    });
    for (const { percent, points } of next_sprint) {
      if (done >= points) total.kept.set(percent, (total.kept.get(percent) ?? 0) + 1);
      if (percent === 85) total.promised += points;
    }
    total.forecasts++;
    total.done += done;
  }
  return total;
}

withRealSprints('the forecast of the next sprint on 13 real boards', () => {
  const boards = new Map<string, number[]>();
  for (const { board, delivered } of realSprints()) {
    boards.set(board, [...(boards.get(board) ?? []), delivered]);
  }
  const scores = [...boards.values()].map(score);
  const sum = (of: (each: Score) => number): number => scores.map(of).reduce((a, b) => a + b);
  const forecasts = sum((each) => each.forecasts);
  const kept = (percent: number): number =>
    (100 * sum((each) => each.kept.get(percent) ?? 0)) / forecasts;

  it('is kept at 85 % by 80 to 90 % of the sprints', () => {
    expect(forecasts).toBe(437);
    expect(kept(85)).toBeGreaterThanOrEqual(80);
    expect(kept(85)).toBeLessThanOrEqual(90);
  });

  it('has the figures that docs/forecast.md tells', () => {
    expect([50, 85, 95].map((percent) => kept(percent).toFixed(1))).toEqual([
      '53.8',
      '86.7',
      '92.9',
    ]);
    const share = sum((each) => each.promised) / sum((each) => each.done);
    expect((100 * share).toFixed(1)).toBe('44.0');
  });
});
