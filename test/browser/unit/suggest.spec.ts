import type { Sprint } from '../../../web/src/api/types';
import type { BoardState } from '../../../web/src/state/model';
import { byId } from '../../../web/src/state/model';
import { movedEnd, suggestSprint } from '../../../web/src/views/sprint/suggest';
import { boardWith } from './state';

const FAR = 2730;

const sprint = (id: number, name: string | null, start: string, end: string | null): Sprint =>
  ({
    id,
    name,
    start_date: `${FAR}-${start}`,
    end_date: end && `${FAR}-${end}`,
  }) as Sprint;

function after(...sprints: Sprint[]) {
  const { board, ...rest } = boardWith([]);
  const state: BoardState = {
    ...rest,
    board: { ...board, time_zone: 'UTC' },
    sprints: byId(sprints),
  };
  return suggestSprint(state);
}

test('the suggested name is that of no other sprint', () => {
  const nameAfter = (name: string | null): string => after(sprint(1, name, '03-02', '03-13')).name;
  expect(nameAfter('Sprint 9')).toBe('Sprint 10');
  expect(nameAfter('Launch')).toBe('Launch 2');
  expect(nameAfter('99999999999999999999')).toBe('100000000000000000000');
  expect(nameAfter(null)).toBe('');
  const [one, two] = [sprint(1, 'S2', '02-16', '02-27'), sprint(2, 'S1', '03-02', '03-13')];
  expect(after(one, two).name).toBe('S3');
});

test('the suggested dates repeat the time between two sprints, but no pause', () => {
  const last = sprint(2, 'S2', '03-16', '03-20');
  expect(after(sprint(1, 'S1', '03-09', '03-13'), last).start_date).toBe(`${FAR}-03-23`);
  expect(after(sprint(1, 'S1', '03-06', '03-10'), last).start_date).toBe(`${FAR}-03-26`);
  expect(after(sprint(1, 'S1', '01-05', '01-09'), last)).toMatchObject({
    start_date: `${FAR}-03-23`,
    end_date: `${FAR}-03-27`,
  });
});

test('the suggested dates are not after the last date', () => {
  const endless = { ...sprint(1, 'S1', '03-02', null), end_date: '9999-12-31' };
  const last = { start_date: '9999-12-31', end_date: '9999-12-31' };
  expect(after(endless)).toMatchObject(last);
});

test('a suggested end date moves with the start date', () => {
  const suggested = { start_date: '2026-12-21', end_date: '2027-01-01' };
  expect(movedEnd(suggested, '2026-12-28')).toBe('2027-01-08');
  expect(movedEnd(suggested, '')).toBe('2027-01-01');
  expect(movedEnd(suggested, '9999-12-31')).toBe('');
  expect(movedEnd(suggested, '20266-12-21')).toBe('');
  expect(movedEnd({ ...suggested, end_date: '' }, '2026-12-28')).toBe('');
});
