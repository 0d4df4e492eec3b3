import { STORY_FIELDS } from '../../../src/stories/story.dto';
import type { Sprint } from '../../../web/src/api/types';
import type { BoardState } from '../../../web/src/state/model';
import { byId, CARD_FIELDS, findSprint, sumOfPoints } from '../../../web/src/state/model';
import { boardWith } from './state';

test('CARD_FIELDS are STORY_FIELDS of the service without the description, in the same order', () => {
  expect(CARD_FIELDS).toEqual(STORY_FIELDS.filter((name) => name !== 'description'));
});

const sprint = (id: number, state: Sprint['state']): Sprint =>
  ({ id, state, name: null, start_date: `2026-03-0${id}` }) as Sprint;
const stateOf = (...sprints: Sprint[]) => ({ ...boardWith([]), sprints: byId(sprints) });
const ids = (state: BoardState) =>
  ['previous', 'current', 'next'].map((word) => findSprint(state, word)?.id);

test('the current sprint is the last active one, else the last ended one, as on the service', () => {
  const [completed, ended] = [sprint(1, 'completed'), sprint(2, 'ended')];
  const [one, two, planned] = [sprint(3, 'active'), sprint(4, 'active'), sprint(5, 'planned')];
  expect(ids(stateOf(completed, ended, one, two, planned))).toEqual([3, 4, 5]);
  expect(ids(stateOf(completed, ended, planned))).toEqual([1, 2, 5]);
  expect(ids(stateOf(completed, planned))).toEqual([1, undefined, 5]);
  expect(ids(stateOf(ended, sprint(3, 'completed'), planned))).toEqual([undefined, 2, 5]);
});

test('a sum of points has no error of binary fractions', () => {
  expect(sumOfPoints([{ points: 0.1 }, { points: 0.2 }, { points: null }])).toBe(0.3);
});
