import type { Row } from '../../src/database/engine';
import type { Key, Lookup } from '../../src/database/lookup';
import { Lookups } from '../../src/database/lookup';

const STORY: Lookup = { sql: 'SELECT id FROM stories WHERE id IN', key: 'id' };
const BOARD: Lookup = { sql: 'SELECT name FROM boards WHERE name IN', key: 'name' };

let sent: { sql: string; keys: Key[] }[];
let lookups: Lookups;
/** What there is: all even numbers, and every name. */
let read: (sql: string, keys: Key[]) => Promise<Row[]>;

beforeEach(() => {
  sent = [];
  read = async (_, keys) =>
    [...new Set(keys)]
      .filter((key) => typeof key === 'string' || key % 2 === 0)
      .map((key) => ({ [typeof key === 'string' ? 'name' : 'id']: key }));
  lookups = new Lookups((sql, keys) => {
    sent.push({ sql, keys });
    return read(sql, keys);
  });
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('rows that are looked for in one turn', () => {
  it('come by one statement, each to who asked for it', async () => {
    const rows = await Promise.all([2, 4, 5, 6, 8].map((id) => lookups.find(STORY, id)));
    expect(rows).toEqual([{ id: 2 }, { id: 4 }, undefined, { id: 6 }, { id: 8 }]);
    expect(sent).toEqual([
      { sql: `${STORY.sql} (${'?, '.repeat(7)}?)`, keys: [2, 4, 5, 6, 8, 8, 8, 8] },
    ]);
  });

  it('are copies where several ask for the same', async () => {
    const [one, other] = await Promise.all([lookups.find(STORY, 2), lookups.find(STORY, 2)]);
    expect(sent).toHaveLength(1);
    expect(one).toEqual(other);
    expect(one).not.toBe(other);
  });

  it('are asked for by kind, and by so many at a time', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => 2 * i);
    const [board, ...stories] = await Promise.all([
      lookups.find(BOARD, 'rocket'),
      ...ids.map((id) => lookups.find(STORY, id)),
    ]);
    expect(board).toEqual({ name: 'rocket' });
    expect(stories).toEqual(ids.map((id) => ({ id })));
    expect(sent.map(({ keys }) => keys.length)).toEqual([1, 32, 8]);
  });

  it('are not told of what was asked for before them', async () => {
    let answer = (_: Row[]): void => undefined;
    read = () => new Promise((resolve) => (answer = resolve));
    const before = lookups.find(STORY, 2);
    await nextTurn();
    const first = answer;
    const after = lookups.find(STORY, 2);
    await nextTurn();
    expect(sent).toHaveLength(2);
    first([{ id: 2, title: 'old' }]);
    answer([{ id: 2, title: 'new' }]);
    expect([await before, await after]).toEqual([
      { id: 2, title: 'old' },
      { id: 2, title: 'new' },
    ]);
  });

  it('fail together, and alone', async () => {
    const works = read;
    read = () => Promise.reject(new Error('away'));
    const failed = await Promise.allSettled([2, 3].map((id) => lookups.find(STORY, id)));
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    read = works;
    expect(await lookups.find(STORY, 2)).toEqual({ id: 2 });
  });
});
