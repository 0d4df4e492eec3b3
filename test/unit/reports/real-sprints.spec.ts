import { Log } from './log';
import type { Moment, RealSprint } from './real-sprints';
import {
  expectPublished,
  gap,
  operations,
  realSprints,
  scope,
  withRealSprints,
} from './real-sprints';
import { burndown, replay, report } from '../../support/reports';

const START = '2026-03-02';

withRealSprints('476 real sprints, replayed', () => {
  const sprints = realSprints();

  it('are as many as published, and their numbers of stories add up', () => {
    const rows = sprints.flatMap(({ moments }) => moments);
    expect(sprints).toHaveLength(476);
    expect(rows).toHaveLength(1904);
    expect(rows.filter((row) => gap(row) !== 0)).toHaveLength(34);
    for (const { start, added, removed, ...now } of rows) {
      expect(start.count + added.count - removed.count).toBe(scope(now as Moment).count);
    }
  });

  it('have reports and burndowns that equal the published columns at every moment', () => {
    for (const sprint of sprints) check(sprint);
    expect.assertions(1904 * 2);
  });
});

function check(real: RealSprint): void {
  const log = new Log();
  const ids = new Map<string, number>();
  const seen: Moment[] = [];
  let sprint = 0;
  for (const operation of operations(real, START)) {
    log.now = operation.at;
    const id = 'story' in operation ? (ids.get(operation.story) as number) : 0;
    switch (operation.do) {
      case 'create_sprint':
        sprint = log.sprint(operation.start_date, operation.end_date);
        break;
      case 'start_sprint':
        log.start(sprint);
        break;
      case 'create_story': {
        const place = operation.in === 'sprint' ? sprint : null;
        ids.set(operation.story, log.story(place, operation.points));
        break;
      }
      case 'update_story': {
        const { points, status } = operation;
        log.update(id, { ...(points !== undefined && { points }), ...(status && { status }) });
        break;
      }
      case 'move_story':
        if (operation.to === 'other_board') log.moveOut(id);
        else log.update(id, { sprint_id: operation.to === 'sprint' ? sprint : null });
        break;
      case 'delete_story':
        log.delete(id);
        break;
      case 'compare':
        seen.push(operation.moment);
        compare(log, sprint, seen, real);
    }
  }
}

function compare(log: Log, sprint: number, seen: Moment[], real: RealSprint): void {
  const past = replay(log.events, sprint, new Date(log.now));
  expectPublished(report(past), [...burndown(past)], seen, real, START);
}
