import type { Event } from '../../../web/src/api/types';
import { describeEvent } from '../../../web/src/state/board/events';
import type { Change } from '../../../web/src/state/changes/change';
import { asDone, kindOf } from '../../../web/src/state/changes/kinds';
import type { BoardState } from '../../../web/src/state/model';
import { boardWith, story } from './state';

const HEBREW = 'תשלום (כרטיס)';
const ISOLATED = `\u2068${HEBREW}\u2069`;

const withSprint = (name: string, state: BoardState): BoardState => ({
  ...state,
  sprints: new Map([[1, { id: 1, name } as any]]),
});

const labelOf = (change: Change, state: BoardState): string =>
  asDone(kindOf(change).label(change, state));

describe('A name in a sentence', () => {
  const state = withSprint(HEBREW, boardWith([story(1, { title: HEBREW })]));
  const move: Change = { kind: 'story.move', ids: [1], list: 1, position: 'last' };

  test('does not change the order of the words around it if it is written from right to left', () => {
    expect(labelOf(move, state)).toBe(`Moved “${ISOLATED}” to ${ISOLATED}`);
    const event = {
      type: 'story.moved',
      entity: 'story',
      id: 1,
      actor: 'Mei',
      before: { sprint_id: null },
      after: { sprint_id: 1 },
    } as unknown as Event;
    expect(describeEvent(event, state, state)).toBe(`Mei moved “${ISOLATED}” to ${ISOLATED}`);
  });

  test('is unchanged if it is written from left to right', () => {
    const others = withSprint('Sprint ½', boardWith([story(1, { title: 'Bezahlen (Karte) 💳' })]));
    expect(labelOf(move, others)).toBe('Moved “Bezahlen (Karte) 💳” to Sprint ½');
  });
});

describe('A move within a list', () => {
  const state = boardWith([story(1, { title: 'Ant' }), story(2, { title: 'Bee' })]);

  test.each([
    ['first', 'Moved “Ant” to the top'],
    ['last', 'Moved “Ant” to the bottom'],
    [{ before: 2 }, 'Moved “Ant” before “Bee”'],
    [{ after: 2 }, 'Moved “Ant” after “Bee”'],
  ] as const)('to %j names the place', (position, label) => {
    expect(labelOf({ kind: 'story.move', ids: [1], list: null, position }, state)).toBe(label);
  });

  test('of several stories counts them', () => {
    const move: Change = { kind: 'story.move', ids: [1, 3], list: null, position: { after: 2 } };
    const three = boardWith([1, 2, 3].map((id) => story(id, { title: `Story ${id}` })));
    expect(labelOf(move, three)).toBe('Moved 2 stories after “Story 2”');
  });
});
