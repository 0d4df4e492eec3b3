import type { Report } from '../../../src/reports/report';
import { Log } from './log';
import { replay, report } from '../../support/reports';

const of = (log: Log, sprint: number, now = log.now): Report =>
  report(replay(log.events, sprint, new Date(now)));
const ids = (group: { stories: { id: number }[] }): number[] => group.stories.map(({ id }) => id);

describe('commitment', () => {
  it('is what is in the sprint when it is started, not what comes in that millisecond', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02');
    const [early, gone] = [log.story(sprint, 3), log.story(sprint, 5)];
    log.now = '2026-03-02T09:00:00.000Z';
    log.update(gone, { sprint_id: null });
    const planned = log.story(sprint, 2);
    log.start(sprint);
    const late = log.story(sprint, 1);
    const told = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(told.committed_at).toBe('2026-03-02T09:00:00.000Z');
    expect(told.commitment_rule).toBe('started');
    expect(ids(told.committed)).toEqual([early, planned]);
    expect(ids(told.added)).toEqual([late]);
    expect(told.removed.count).toBe(0);
  });

  it('is fixed anew by each start', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const [one, two] = [log.story(sprint, 3), log.story(sprint, 5)];
    log.start(sprint);
    log.update(one, { sprint_id: null });
    log.update(two, { points: 8 });
    const three = log.story(sprint, 1);
    log.now = '2026-03-03T09:00:00.000Z';
    log.start(sprint);
    const told = of(log, sprint);
    expect(told.committed_at).toBe('2026-03-03T09:00:00.000Z');
    expect(ids(told.committed)).toEqual([two, three]);
    expect(told.committed.points).toBe(9);
    expect([told.added, told.removed, told.re_estimated].map(({ count }) => count)).toEqual([
      0, 0, 0,
    ]);
  });

  it('of a sprint that was started empty is nothing', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    log.start(sprint);
    const story = log.story(sprint, 3);
    const told = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(told).toMatchObject({ committed_at: log.now, commitment_rule: 'started' });
    expect([told.committed.count, ids(told.added)]).toEqual([0, [story]]);
  });

  it('stays where it was started, whatever its start date becomes', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const story = log.story(sprint, 3);
    log.start(sprint);
    log.story(sprint, 5);
    log.dates(sprint, { start_date: '2026-03-09' });
    const told = of(log, sprint, '2026-03-02T00:00:00.000Z');
    expect(told).toMatchObject({ committed_at: log.now, commitment_rule: 'started' });
    expect(ids(told.committed)).toEqual([story]);
  });

  it('is, without a start, what is in it at the end of its first day in the time zone of the board', () => {
    const log = new Log('America/New_York');
    const sprint = log.sprint('2026-03-02');
    const carried = log.story(sprint, 3);
    const dropped = log.story(sprint, 13);
    log.now = '2026-03-03T04:59:59.999Z';
    const planned = log.story(sprint, 2);
    log.update(dropped, { sprint_id: null });
    log.now = '2026-03-03T05:00:00.000Z';
    const late = log.story(sprint, 1);
    const told = of(log, sprint);
    expect(told.committed_at).toBe('2026-03-03T04:59:59.999Z');
    expect(told.commitment_rule).toBe('first_day');
    expect(ids(told.committed)).toEqual([carried, planned]);
    expect(told.committed.points).toBe(5);
    expect(ids(told.added)).toEqual([late]);
    expect(told.removed.count).toBe(0);
  });

  it('is what is in it now, while the first day lasts', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02');
    const story = log.story(sprint, 3);
    log.now = '2026-03-02T00:00:00.000Z';
    expect(of(log, sprint)).toMatchObject({
      ...{ committed_at: log.now, commitment_rule: 'first_day' },
      ...{ committed: { count: 1, points: 3 } },
    });
    log.now = '2026-03-02T18:00:00.000Z';
    log.update(story, { sprint_id: null });
    expect(of(log, sprint)).toMatchObject({ committed_at: null, committed: { count: 0 } });
  });

  it('passes over a first day that began with stories and ended empty', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02');
    const gone = log.story(sprint, 3);
    log.now = '2026-03-02T12:00:00.000Z';
    log.update(gone, { sprint_id: null });
    log.now = '2026-03-04T12:00:00.000Z';
    const kept = log.story(sprint, 2);
    const told = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(told.committed_at).toBe('2026-03-04T23:59:59.999Z');
    expect(ids(told.committed)).toEqual([kept]);
  });

  it('of a sprint that was completed on its first day is what was in it then', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const [one, two] = [log.story(sprint, 3, { status: 'done' }), log.story(sprint, 5)];
    log.complete(sprint);
    const told = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(told).toMatchObject({ committed_at: log.now, commitment_rule: 'first_day' });
    expect(ids(told.committed)).toEqual([one, two]);
    expect([told.added.count, told.removed.count]).toEqual([0, 0]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-29T21:59:59.999Z'],
    ['America/Sao_Paulo', '2018-02-17', '2018-02-18T02:59:59.999Z'],
  ])('in %s is at the end of %s, when the clocks change', (zone, start, end) => {
    const log = new Log(zone);
    log.now = '2018-01-01T00:00:00.000Z';
    const sprint = log.sprint(start);
    log.story(sprint, 1);
    expect(of(log, sprint, '2026-04-09T00:00:00.000Z').committed_at).toBe(end);
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
    expect(of(log, sprint).committed_at).toBe('2026-03-02T14:59:59.999Z');
    log.dates(sprint, { start_date: '2026-03-01' });
    expect(of(log, sprint, '2026-03-09T00:00:00.000Z').committed_at).toBe(
      '2026-03-01T14:59:59.999Z',
    );
  });

  it('of a reopened sprint commits to what it was started with, until it is started again', () => {
    const { log, sprint, kept, other } = started();
    log.start(sprint);
    const late = log.story(sprint, 1);
    log.complete(sprint);
    log.reopen(sprint);
    log.update(kept, { sprint_id: sprint });
    const before = of(log, sprint);
    expect([ids(before.committed), ids(before.added)]).toEqual([[kept, other], [late]]);
    log.start(sprint);
    const told = of(log, sprint);
    expect(ids(told.committed)).toEqual([kept]);
    expect([told.added.count, told.removed.count]).toEqual([0, 0]);
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
