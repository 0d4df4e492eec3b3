import type { BoardState, Card, ListId } from '../../../web/src/state/model';
import { storiesOf } from '../../../web/src/state/model';

export const story = (id: number, fields: Partial<Card> = {}): Card => ({
  id,
  board_name: 'rocket',
  sprint_id: null,
  title: `Story ${id}`,
  seq: id,
  priority: null,
  status: 'todo',
  points: null,
  assignee: null,
  labels: [],
  external_id: null,
  created_at: '2026-03-02T09:00:00.000Z',
  updated_at: '2026-03-02T09:00:00.000Z',
  done_at: null,
  version: 1,
  ...fields,
});

/** A board with these stories and two sprints, 1 and 2. */
export const boardWith = (stories: readonly Card[]): BoardState => ({
  board: { id: 1, name: 'rocket' } as BoardState['board'],
  sprints: new Map(
    [1, 2].map((id) => [id, { id, name: `Sprint ${id}` }]) as Iterable<[number, any]>,
  ),
  stories: new Map(stories.map((each) => [each.id, each])),
  tasks: new Map(),
});

export const idsOf = (state: BoardState, list: ListId): number[] =>
  storiesOf(state, list).map(({ id }) => id);
