import { parse } from 'csv-parse/sync';
import { burndownCsv, forecastCsv, reportCsv, velocityCsv } from '../../../src/reports/csv';
import { forecast } from '../../../src/reports/forecast';
import { velocity } from '../../../src/reports/velocity';
import { atOnce } from '../../support/at-once';
import { Log } from './log';
import { burndown, replay, report } from '../../support/reports';

function completed() {
  const log = new Log();
  const sprint = log.sprint('2026-03-01', '2026-03-03');
  log.now = '2026-02-27T12:00:00.000Z';
  log.story(sprint, 3, { title: 'Say "hello", twice\r\nor more', status: 'done' });
  const other = log.story(sprint, null, { title: '=1+1' });
  log.now = '2026-03-02T12:00:00.000Z';
  log.update(other, { points: 0.5 });
  log.complete(sprint, 9);
  return { log, sprint, other, past: replay(log.events, sprint, new Date(log.now)) };
}

describe('CSV', () => {
  it('of a report has a row for each story of each group', () => {
    expect(reportCsv(report(completed().past)).split('\r\n')).toEqual([
      'group,id,title,points,from,to,carried_to',
      'committed,2,"Say ""hello"", twice',
      'or more",3,,,',
      'committed,3,=1+1,,,,',
      're_estimated,3,=1+1,,,0.5,',
      'completed,2,"Say ""hello"", twice',
      'or more",3,,,',
      'unfinished,3,=1+1,0.5,,,9',
      '',
    ]);
  });

  it('of a burndown has a row for each day and a column for each field', () => {
    const days = [...burndown(completed().past)];
    const rows = parse([...burndownCsv(days)].join(''), {
      columns: true,
      cast: true,
      cast_date: false,
    });
    expect(rows).toEqual(days.map((day) => ({ ...day, working: String(day.working) })));
  });

  it('of a velocity has a row for each sprint and a column for each field', () => {
    const sprint = {
      id: 1,
      name: 'One, two',
      start_date: '2026-03-01',
      end_date: null,
      completed_at: '2026-03-02T12:00:00.000Z',
      committed_points: 1.5,
      completed_points: 1,
      unfinished_points: 0.5,
      committed_count: 3,
      completed_count: 2,
      unfinished_count: 1,
    };
    const rows: unknown[] = parse(velocityCsv(velocity([sprint])), { columns: true });
    expect(Object.keys(rows[0] as object)).toEqual(Object.keys(sprint));
    expect(Object.values(rows[0] as object)).toEqual(
      Object.values(sprint).map((value) => String(value ?? '')),
    );
  });

  it('of a forecast has a row for each percentage', () => {
    const answer = atOnce(
      forecast({
        history: [1, 1, 1].map((points) => ({ points, count: 2 })),
        work: { unit: 'points', amount: 1001 },
        seed: 1,
        trials: 10,
        from: '2026-03-01',
        sprint_days: 7,
      }),
    );
    expect(forecastCsv(answer)).toBe(
      'percent,sprints,date,points,count\r\n50,,,1,2\r\n85,,,1,2\r\n95,,,1,2\r\n',
    );
  });
});
