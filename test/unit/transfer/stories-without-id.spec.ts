import type { Change } from '../../../src/database/change';
import type { PlannedStory } from '../../../src/transfer/import/plan';
import { StoriesWithoutId } from '../../../src/transfer/import/stories-without-id';

const CREATED = '2026-11-23 09:30:00.000';

/** A change on a board with this number of stories that have the same title and time of creation. */
function changeOf(count: number): Change {
  const query = (_: string, [, after]: [number, number]): object[] =>
    Array.from({ length: Math.min(2000, count - after) }, (_, i) => ({
      id: after + i + 1,
      title: 'Same',
      created_at: CREATED,
    }));
  const fake: unknown = { query, pause: () => Promise.resolve() };
  return fake as Change;
}

it('100,000 equal stories of a board are read fast', async () => {
  const story: PlannedStory = {
    line: 2,
    external_id: null,
    title: 'Same',
    created_at: new Date(`${CREATED}Z`),
  };
  expect(await StoriesWithoutId.of(changeOf(100_000), 1, [story])).toBeDefined();
});
