import type { Report } from '../../../src/reports/report';
import { Log } from './log';
import { replay, report } from '../../support/reports';

const of = (log: Log, sprint: number, now = log.now): Report =>
  report(replay(log.events, sprint, new Date(now)));
const ids = (group: { stories: { id: number }[] }): number[] => group.stories.map(({ id }) => id);

describe('commitment', () => {
  it('is the set of stories in the sprint at its start, without those added later in that millisecond', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02');
    const [early, gone] = [log.story(sprint, 3), log.story(sprint, 5)];
    log.now = '2026-03-02T09:00:00.000Z';
    log.update(gone, { sprint_id: null });
    const planned = log.story(sprint, 2);
    log.start(sprint);
    const late = log.story(sprint, 1);
    const result = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(result.committed_at).toBe('2026-03-02T09:00:00.000Z');
    expect(result.commitment_rule).toBe('started');
    expect(ids(result.committed)).toEqual([early, planned]);
    expect(ids(result.added)).toEqual([late]);
    expect(result.removed.count).toBe(0);
  });

  it('is replaced by each start', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const [one, two] = [log.story(sprint, 3), log.story(sprint, 5)];
    log.start(sprint);
    log.update(one, { sprint_id: null });
    log.update(two, { points: 8 });
    const three = log.story(sprint, 1);
    log.now = '2026-03-03T09:00:00.000Z';
    log.start(sprint);
    const result = of(log, sprint);
    expect(result.committed_at).toBe('2026-03-03T09:00:00.000Z');
    expect(ids(result.committed)).toEqual([two, three]);
    expect(result.committed.points).toBe(9);
    expect([result.added, result.removed, result.re_estimated].map(({ count }) => count)).toEqual([
      0, 0, 0,
    ]);
  });

  it('has the time of the start if the sprint was imported after it', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const story = log.story(sprint, 3);
    log.now = '2026-03-06T10:00:00.000Z';
    log.start(sprint, '2026-03-02T09:00:00.000Z');
    const result = of(log, sprint);
    expect(result).toMatchObject({
      committed_at: '2026-03-02T09:00:00.000Z',
      commitment_rule: 'started',
    });
    expect(ids(result.committed)).toEqual([story]);
  });

  it('is not later than the report, even if the clock was set back', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    log.story(sprint, 3);
    log.now = '2026-03-02T09:00:00.000Z';
    log.start(sprint);
    log.now = '2026-03-02T08:00:00.000Z';
    expect(of(log, sprint)).toMatchObject({ as_of: log.now, committed_at: log.now });
    log.complete(sprint);
    expect(of(log, sprint)).toMatchObject({ as_of: log.now, committed_at: log.now });
  });

  it('stays at the start of an imported sprint that was completed, once it is reopened', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const story = log.story(sprint, 3);
    log.now = '2026-03-09T10:00:00.000Z';
    const started = { started_at: '2026-03-02T09:00:00.000Z' };
    log.complete(sprint, null, '2026-03-07T09:00:00.000Z', started);
    log.reopen(sprint);
    const result = of(log, sprint);
    expect(result).toMatchObject({
      committed_at: '2026-03-02T09:00:00.000Z',
      commitment_rule: 'started',
    });
    expect(ids(result.committed)).toEqual([story]);
  });

  it('of a sprint that was started empty is empty', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    log.start(sprint);
    const story = log.story(sprint, 3);
    const result = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(result).toMatchObject({ committed_at: log.now, commitment_rule: 'started' });
    expect([result.committed.count, ids(result.added)]).toEqual([0, [story]]);
  });

  it('stays at the start of the sprint, even if the start date changes', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const story = log.story(sprint, 3);
    log.start(sprint);
    log.story(sprint, 5);
    log.dates(sprint, { start_date: '2026-03-09' });
    const result = of(log, sprint, '2026-03-02T00:00:00.000Z');
    expect(result).toMatchObject({ committed_at: log.now, commitment_rule: 'started' });
    expect(ids(result.committed)).toEqual([story]);
  });

  it('without a start is the set of stories at the end of the first day in the time zone of the board', () => {
    const log = new Log('America/New_York');
    const sprint = log.sprint('2026-03-02');
    const carried = log.story(sprint, 3);
    const dropped = log.story(sprint, 13);
    log.now = '2026-03-03T04:59:59.999Z';
    const planned = log.story(sprint, 2);
    log.update(dropped, { sprint_id: null });
    log.now = '2026-03-03T05:00:00.000Z';
    const late = log.story(sprint, 1);
    const result = of(log, sprint);
    expect(result.committed_at).toBe('2026-03-03T04:59:59.999Z');
    expect(result.commitment_rule).toBe('first_day');
    expect(ids(result.committed)).toEqual([carried, planned]);
    expect(result.committed.points).toBe(5);
    expect(ids(result.added)).toEqual([late]);
    expect(result.removed.count).toBe(0);
  });

  it('is the current set of stories during the first day', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02');
    const story = log.story(sprint, 3);
    log.now = '2026-03-02T00:00:00.000Z';
    expect(of(log, sprint)).toMatchObject({
      committed_at: log.now,
      commitment_rule: 'first_day',
      committed: { count: 1, points: 3 },
    });
    log.now = '2026-03-02T18:00:00.000Z';
    log.update(story, { sprint_id: null });
    expect(of(log, sprint)).toMatchObject({ committed_at: null, committed: { count: 0 } });
  });

  it('skips a first day that began with stories and ended empty', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02');
    const gone = log.story(sprint, 3);
    log.now = '2026-03-02T12:00:00.000Z';
    log.update(gone, { sprint_id: null });
    log.now = '2026-03-04T12:00:00.000Z';
    const kept = log.story(sprint, 2);
    const result = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(result.committed_at).toBe('2026-03-04T23:59:59.999Z');
    expect(ids(result.committed)).toEqual([kept]);
  });

  it('of a sprint that was completed on its first day is the set of stories at its completion', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const [one, two] = [log.story(sprint, 3, { status: 'done' }), log.story(sprint, 5)];
    log.complete(sprint);
    const result = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(result).toMatchObject({ committed_at: log.now, commitment_rule: 'first_day' });
    expect(ids(result.committed)).toEqual([one, two]);
    expect([result.added.count, result.removed.count]).toEqual([0, 0]);
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
    const result = of(log, sprint);
    expect(result).toMatchObject({ committed_at: null, commitment_rule: null });
    expect([result.committed, result.added, result.removed].map(({ count }) => count)).toEqual([
      0, 0, 0,
    ]);
    expect(result.unfinished).toMatchObject({ count: 1, points: 3 });
  });

  it('does not exist in a sprint that never had a story', () => {
    const log = new Log();
    const sprint = log.sprint('2026-02-02');
    expect(of(log, sprint)).toMatchObject({ committed_at: null, commitment_rule: null });
  });

  it('is the current set of stories during the first day with a story', () => {
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
    const result = of(log, sprint, '2026-03-04T00:00:00.000Z');
    expect(result.committed_at).toBe('2026-03-02T09:59:59.999Z');
    expect(ids(result.committed)).toEqual([first, second]);
    expect(ids(result.added)).toEqual([third]);
    expect(ids(result.removed)).toEqual([first]);
  });

  it('leaves out stories that were added and removed before it', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    const gone = log.story(sprint, 5);
    log.story(sprint, 1);
    log.update(gone, { sprint_id: null });
    const result = of(log, sprint, '2026-03-05T00:00:00.000Z');
    expect(result.committed.count).toBe(1);
    expect(result.added.count + result.removed.count).toBe(0);
  });

  it('skips a day that began and ended empty', () => {
    const log = new Log();
    const sprint = log.sprint('2026-02-20');
    const gone = log.story(sprint, 5);
    log.update(gone, { sprint_id: null });
    log.now = '2026-03-03T12:00:00.000Z';
    const kept = log.story(sprint, 2);
    const result = of(log, sprint, '2026-03-09T00:00:00.000Z');
    expect(result.committed_at).toBe('2026-03-03T23:59:59.999Z');
    expect(ids(result.committed)).toEqual([kept]);
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
    const result = of(log, sprint);
    expect(ids(result.added)).toEqual([story]);
    expect(ids(result.removed)).toEqual([story]);
  });

  it('counts a committed story that was removed and added again as committed only', () => {
    const { log, sprint, kept } = started();
    log.update(kept, { sprint_id: null });
    log.update(kept, { points: 4 });
    log.update(kept, { sprint_id: sprint });
    const result = of(log, sprint);
    expect(result.added.count + result.removed.count).toBe(0);
    expect(result.re_estimated).toEqual({
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
      const result = of(log, sprint);
      expect(result.removed).toMatchObject({ count: 1, points: 13, stories: [{ id: kept }] });
      expect(result.re_estimated).toMatchObject({ count: 1, points: 10 });
    },
  );

  it('counts a story from another board with the points of its arrival', () => {
    const { log, sprint } = started();
    log.moveIn(700, sprint, 2.25);
    log.update(700, { points: 2 });
    const result = of(log, sprint);
    expect(result.added).toMatchObject({ count: 1, points: 2.25, stories: [{ id: 700 }] });
    expect(result.re_estimated).toMatchObject({ points: -0.25 });
  });

  it('lists stories by id, even one that came from another board before the others', () => {
    const { log, sprint, kept, other } = started();
    log.moveIn(700, sprint, 1);
    const story = log.story(sprint, 2);
    const result = of(log, sprint);
    expect(ids(result.added)).toEqual([story, 700]);
    expect(ids(result.unfinished)).toEqual([kept, other, story, 700]);
  });

  it('shows null points as null and counts them as 0', () => {
    const { log, sprint } = started();
    const story = log.story(sprint);
    log.update(story, { points: 0.5 });
    const result = of(log, sprint);
    expect(result.added).toMatchObject({ points: 0, stories: [{ id: story, points: null }] });
    expect(result.re_estimated.stories).toEqual([
      { id: story, title: `Story ${story}`, from: null, to: 0.5 },
    ]);
  });

  it('does not count a story as re-estimated from null to 0', () => {
    const { log, sprint } = started();
    log.update(log.story(sprint), { points: 0 });
    expect(of(log, sprint).re_estimated).toEqual({ count: 0, points: 0, stories: [] });
  });

  it('has the last title of each story, until the completion', () => {
    const { log, sprint, kept, other } = started();
    log.update(kept, { title: 'Renamed' });
    log.complete(sprint);
    log.update(kept, { title: 'Renamed again' });
    const { committed, unfinished } = of(log, sprint);
    for (const { stories } of [committed, unfinished]) {
      expect(stories.map(({ title }) => title)).toEqual(['Renamed', `Story ${other}`]);
    }
  });

  it('adds points exactly', () => {
    const { log, sprint } = started();
    for (let story = 0; story < 10; story++) log.story(sprint, 0.1);
    expect(of(log, sprint).added.points).toBe(1);
  });

  it('shows where the completion moved the unfinished stories', () => {
    const { log, sprint, kept, other } = started();
    const next = log.sprint('2026-03-16');
    log.update(kept, { status: 'done' });
    log.complete(sprint, next);
    log.update(other, { sprint_id: null });
    const result = of(log, sprint, '2026-05-01T00:00:00.000Z');
    expect(result.as_of).toBe('2026-03-03T12:00:00.000Z');
    expect(ids(result.completed)).toEqual([kept]);
    expect(result.unfinished.stories).toEqual([
      { id: other, title: `Story ${other}`, points: 5, carried_to: next },
    ]);
    expect(result.removed.count).toBe(0);
  });

  it('counts carried-over stories as removed after a reopening, until they are added again', () => {
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
    const result = of(log, sprint);
    expect(ids(result.removed)).toEqual([other]);
    expect(result.unfinished.stories).toEqual([
      { id: kept, title: `Story ${kept}`, points: 3, carried_to: null },
    ]);
  });

  it('of a completed sprint uses the time zone and the dates of its completion', () => {
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

  it('keeps the time zone and the working days when something else of the board changes', () => {
    const log = new Log('Asia/Tokyo');
    const sprint = log.sprint('2026-03-01');
    log.workingDays('mon');
    log.rename('Others');
    const { time_zone, working_days } = replay(log.events, sprint, new Date(log.now));
    expect([time_zone, working_days]).toEqual(['Asia/Tokyo', ['mon']]);
  });

  it('of a reopened sprint has the commitment of its start, until it is started again', () => {
    const { log, sprint, kept, other } = started();
    log.start(sprint);
    const late = log.story(sprint, 1);
    log.complete(sprint);
    log.reopen(sprint);
    log.update(kept, { sprint_id: sprint });
    const before = of(log, sprint);
    expect([ids(before.committed), ids(before.added)]).toEqual([[kept, other], [late]]);
    log.start(sprint);
    const result = of(log, sprint);
    expect(ids(result.committed)).toEqual([kept]);
    expect([result.added.count, result.removed.count]).toEqual([0, 0]);
  });

  it('orders events by revision if the clock was set back', () => {
    const { log, sprint, kept } = started();
    log.update(kept, { points: 4 });
    log.now = '2026-02-01T00:00:00.000Z';
    log.update(kept, { sprint_id: null });
    const result = of(log, sprint, '2026-03-03T13:00:00.000Z');
    expect(result.committed.count).toBe(2);
    expect(result.removed.stories).toEqual([{ id: kept, title: `Story ${kept}`, points: 4 }]);
  });

  it('has no event of a story after its end, even if the clock was set back', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01');
    log.now = '2026-03-02T12:00:00.000Z';
    const story = log.story(sprint, 3);
    log.now = '2026-03-01T12:00:00.000Z';
    expect(ids(of(log, sprint).committed)).toEqual([story]);
    log.complete(sprint);
    expect(ids(of(log, sprint, '2026-03-09T00:00:00.000Z').committed)).toEqual([story]);
  });

  it('has no event of a story before an earlier one, even if that changes nothing in the report', () => {
    const { log, sprint, kept } = started();
    log.now = '2026-03-05T10:00:00.000Z';
    log.update(kept, {});
    log.now = '2026-03-04T10:00:00.000Z';
    log.update(kept, { points: 4 });
    const { stories } = replay(log.events, sprint, new Date('2026-03-09T00:00:00.000Z'));
    const { states } = stories.find(({ id }) => id === kept)!;
    expect(states.at(-1)).toMatchObject({ points: 4, at: Date.parse('2026-03-05T10:00:00.000Z') });
  });
});
