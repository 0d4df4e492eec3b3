import { velocity } from '../../../src/reports/velocity';

const sprint = (id: number, completed_points: number, completed_count: number) => ({
  id,
  name: null,
  start_date: '2026-03-01',
  end_date: null,
  completed_at: '2026-03-02T12:00:00.000Z',
  committed_points: 0,
  completed_points,
  unfinished_points: 0,
  committed_count: 0,
  completed_count,
  unfinished_count: 0,
});

describe('velocity', () => {
  it('has the average and median of the completed work, to two decimals', () => {
    expect(velocity([sprint(1, 0.1, 1), sprint(2, 0.2, 5), sprint(3, 20, 2)])).toMatchObject({
      average_points: 6.77,
      median_points: 0.2,
      average_count: 2.67,
      median_count: 2,
    });
    expect(velocity([sprint(1, 10, 1), sprint(2, 5, 2)])).toMatchObject({
      median_points: 7.5,
      median_count: 1.5,
    });
    expect(velocity([sprint(1, 100, 9), sprint(2, 9, 10), sprint(3, 10, 100)])).toMatchObject({
      median_points: 10,
      median_count: 10,
    });
  });

  it('is null without a sprint, and 0 for a sprint that completed nothing', () => {
    expect(velocity([])).toEqual({
      sprints: [],
      average_points: null,
      median_points: null,
      average_count: null,
      median_count: null,
    });
    expect(velocity([sprint(1, 0, 0)])).toMatchObject({ average_points: 0, median_count: 0 });
  });
});
