import { replay } from '../../../src/reports/replay';
import type { Report } from '../../../src/reports/report';
import { report } from '../../../src/reports/report';
import { Log } from './log';

const of = (log: Log, sprint: number, now = log.now): Report =>
  report(replay(log.events, sprint, new Date(now)));
const ids = (group: { stories: { id: number }[] }): number[] => group.stories.map(({ id }) => id);

describe('commitment', () => {
  it('is what is in the sprint at 00:00 of its start date in the time zone of the board', () => {
    const log = new Log('America/New_York');
    const sprint = log.sprint('2026-03-02');
    const early = log.story(sprint, 3);
    log.now = '2026-03-02T05:00:00.000Z';
    const onTheStroke = log.story(sprint, 2);
    log.now = '2026-03-02T05:00:00.001Z';
    const late = log.story(sprint, 1);
    const told = of(log, sprint);
    expect(told.committed_at).toBe('2026-03-02T05:00:00.000Z');
    expect(told.commitment_rule).toBe('start');
    expect(ids(told.committed)).toEqual([early, onTheStroke]);
    expect(told.committed.points).toBe(5);
    expect(ids(told.added)).toEqual([late]);
  });

  it('does not exist before the sprint has started', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02', '2026-03-15');
    log.story(sprint, 3);
    const told = of(log, sprint);
    expect(told).toMatchObject({ committed_at: null, commitment_rule: null });
    expect([told.committed, told.added, told.removed].map(({ count }) => count)).toEqual([0, 0, 0]);
    expect(told.unfinished).toMatchObject({ count: 1, points: 3 });
  });

  it('does not exist in a sprint that never held a story', () => {
    const log = new Log();
    const sprint = log.sprint('2026-02-02');
    expect(of(log, sprint)).toMatchObject({ committed_at: null, commitment_rule: null });
  });

  it('is what is in it now, while the first day with a story lasts', () => {
    const log = new Log('Pacific/Kiritimati');
    const sprint = log.sprint('2026-02-23');
    log.now = '2026-03-01T10:00:00.000Z';
    const first = log.story(sprint, 5);
    log.now = '2026-03-02T09:59:59.999Z';
    const second = log.story(sprint, 8);
    expect(of(log, sprint)).toMatchObject({
      committed_at: '2026-03-02T09:59:59.999Z',
      commitment_rule: 'first_day',
      committed: { count: 2, points: 13 },
      added: { count: 0 },
    });
    log.now = '2026-03-02T10:00:00.000Z';
    const third = log.story(sprint, 1);
    log.delete(first);
    const told = of(log, sprint, '2026-03-04T00:00:00.000Z');
    expect(told.committed_at).toBe('2026-03-02T09:59:59.999Z');
    expect(ids(told.committed)).toEqual([first, second]);
    expect(ids(told.added)).toEqual([third]);
    expect(ids(told.removed)).toEqual([first]);
  });

  it('leaves out what came and went before it', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const gone = log.story(sprint, 5);
    log.story(sprint, 1);
    log.update(gone, { sprint_id: null });
    const told = of(log, sprint, '2026-03-05T00:00:00.000Z');
    expect(told.committed.count).toBe(1);
    expect(told.added.count + told.removed.count).toBe(0);
  });

  it('passes over a day that began and ended empty', () => {
    const log = new Log();
    const sprint = log.sprint('2026-02-20');
    const gone = log.story(sprint, 5);
    log.update(gone, { sprint_id: null });
    log.now = '2026-03-03T12:00:00.000Z';
    const kept = log.story(sprint, 2);
    const told = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(told.committed_at).toBe('2026-03-03T23:59:59.999Z');
    expect(ids(told.committed)).toEqual([kept]);
  });
});

describe('a report', () => {
  const started = (): { log: Log; sprint: number; kept: number; other: number } => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02', '2026-03-15');
    const kept = log.story(sprint, 3);
    const other = log.story(sprint, 5);
    log.now = '2026-03-03T12:00:00.000Z';
    return { log, sprint, kept, other };
  };

  it('shows a story that was added and removed in both groups, once in each', () => {
    const { log, sprint } = started();
    const story = log.story(null, 8);
    for (const to of [sprint, null, sprint, null]) log.update(story, { sprint_id: to });
    const told = of(log, sprint);
    expect(ids(told.added)).toEqual([story]);
    expect(ids(told.removed)).toEqual([story]);
  });

  it('counts a committed story that left and came back as committed only', () => {
    const { log, sprint, kept } = started();
    log.update(kept, { sprint_id: null });
    log.update(kept, { points: 4 });
    log.update(kept, { sprint_id: sprint });
    const told = of(log, sprint);
    expect(told.added.count + told.removed.count).toBe(0);
    expect(told.re_estimated).toEqual({
      count: 1,
      points: 1,
      stories: [{ id: kept, title: `Story ${kept}`, from: 3, to: 4 }],
    });
  });

  it.each(['moved', 'deleted', 'on another board'] as const)(
    'counts a story %s as removed',
    (how) => {
      const { log, sprint, kept } = started();
      log.update(kept, { points: 13 });
      if (how === 'moved') log.update(kept, { sprint_id: null, points: 99 });
      if (how === 'deleted') log.delete(kept);
      if (how === 'on another board') log.moveOut(kept);
      const told = of(log, sprint);
      expect(told.removed).toMatchObject({ count: 1, points: 13, stories: [{ id: kept }] });
      expect(told.re_estimated).toMatchObject({ count: 1, points: 10 });
    },
  );

  it('takes a story that came from another board as it came in', () => {
    const { log, sprint } = started();
    log.moveIn(700, sprint, 2.25);
    log.update(700, { points: 2 });
    const told = of(log, sprint);
    expect(told.added).toMatchObject({ count: 1, points: 2.25, stories: [{ id: 700 }] });
    expect(told.re_estimated).toMatchObject({ points: -0.25 });
  });

  it('tells null points as null and counts them as 0', () => {
    const { log, sprint } = started();
    const story = log.story(sprint);
    log.update(story, { points: 0.5 });
    const told = of(log, sprint);
    expect(told.added).toMatchObject({ points: 0, stories: [{ id: story, points: null }] });
    expect(told.re_estimated.stories).toEqual([
      { id: story, title: `Story ${story}`, from: null, to: 0.5 },
    ]);
  });

  it('adds points exactly', () => {
    const { log, sprint } = started();
    for (let story = 0; story < 10; story++) log.story(sprint, 0.1);
    expect(of(log, sprint).added.points).toBe(1);
  });

  it('says where the completion carried what was not done', () => {
    const { log, sprint, kept, other } = started();
    const next = log.sprint('2026-03-16');
    log.update(kept, { status: 'done' });
    log.complete(sprint, next);
    log.update(other, { sprint_id: null });
    const told = of(log, sprint, '2026-05-01T00:00:00.000Z');
    expect(told.as_of).toBe('2026-03-03T12:00:00.000Z');
    expect(ids(told.completed)).toEqual([kept]);
    expect(told.unfinished.stories).toEqual([
      { id: other, title: `Story ${other}`, points: 5, carried_to: next },
    ]);
    expect(told.removed.count).toBe(0);
  });

  it('counts what was carried over as removed after a reopening, until it comes back', () => {
    const { log, sprint, kept, other } = started();
    log.complete(sprint);
    log.reopen(sprint);
    expect(ids(of(log, sprint).removed)).toEqual([kept, other]);
    log.update(kept, { sprint_id: sprint });
    expect(ids(of(log, sprint).removed)).toEqual([other]);
    expect(of(log, sprint).unfinished.stories).toEqual([
      { id: kept, title: `Story ${kept}`, points: 3 },
    ]);
    log.complete(sprint);
    const told = of(log, sprint);
    expect(ids(told.removed)).toEqual([other]);
    expect(told.unfinished.stories).toEqual([
      { id: kept, title: `Story ${kept}`, points: 3, carried_to: null },
    ]);
  });

  it('reads a completed sprint in the time zone and the dates at its completion', () => {
    const { log, sprint } = started();
    log.complete(sprint);
    const before = of(log, sprint);
    log.timeZone('Asia/Tokyo');
    expect(of(log, sprint)).toEqual(before);
    log.reopen(sprint);
    log.dates(sprint, { start_date: '2026-03-03' });
    expect(of(log, sprint).committed_at).toBe('2026-03-02T15:00:00.000Z');
  });

  it('goes by revisions where the clock stepped back', () => {
    const { log, sprint, kept } = started();
    log.update(kept, { points: 4 });
    log.now = '2026-02-01T00:00:00.000Z';
    log.update(kept, { sprint_id: null });
    const told = of(log, sprint, '2026-03-03T13:00:00.000Z');
    expect(told.committed.count).toBe(2);
    expect(told.removed.stories).toEqual([{ id: kept, title: `Story ${kept}`, points: 4 }]);
  });
});
