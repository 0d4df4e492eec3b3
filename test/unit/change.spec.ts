import type { EntityManager } from 'typeorm';
import { Change } from '../../src/database/change';
import { OPEN } from '../../src/http/access';
import { Clock } from '../../src/time/clock';

interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

type Query = EntityManager['query'];

/** Creates a change on a fake server; `query` answers its statements. */
function changeOn(query: Query, type = 'better-sqlite3', clock: Pick<Clock, 'now'> = new Clock()) {
  const manager = { query, dataSource: { options: { type } } } as unknown as EntityManager;
  return new Change(manager, { ...OPEN, clientKey: 'test' }, clock);
}

/** Returns the statements that `insertMany` sends for rows of two columns. */
async function statementsFor(rows: unknown[][]): Promise<Statement[]> {
  const sent: Statement[] = [];
  const query = async (sql: string, parameters: unknown[] = []): Promise<unknown> => {
    sent.push({ sql, parameters });
    return [];
  };
  const named = rows.map(([id, text]) => ({ id, text }));
  await changeOn(query as Query).insertMany('notes', named);
  return sent;
}

describe('inserting many rows', () => {
  it('uses few statements and keeps the order of the rows', async () => {
    const rows = Array.from({ length: 600 }, (_, i) => [i, `text ${i}`]);
    const sent = await statementsFor(rows);
    expect(sent.map(({ parameters }) => parameters.length)).toEqual([500, 500, 200]);
    expect(sent.flatMap(({ parameters }) => parameters)).toEqual(rows.flat());
    expect(sent[2]?.sql).toBe(
      `INSERT INTO notes (\`id\`, \`text\`) VALUES ${Array(100).fill('(?, ?)').join(', ')}`,
    );
  });

  it('uses more statements for long rows, because servers limit the size of a statement', async () => {
    const rows = Array.from({ length: 80 }, (_, i) => [i, 'x'.repeat(100_000)]);
    const sent = await statementsFor(rows);
    const lengths = sent.map(({ parameters }) => parameters.join('').length);
    expect(Math.max(...lengths)).toBeLessThan(700_000);
    expect(sent.flatMap(({ parameters }) => parameters)).toEqual(rows.flat());
  });

  it('sends no statement for no rows', async () => {
    expect(await statementsFor([])).toEqual([]);
  });
});

describe('the instant of a change', () => {
  /** Creates a change that waits for an hour for each lock of its board. */
  function waiting(): Change {
    const clock = { hour: 10, now: () => new Date(Date.UTC(2026, 10, 21, clock.hour)) };
    const query = async (): Promise<unknown> => {
      clock.hour += 1;
      return [{ id: 1, name: 'Busy', revision: 7 }];
    };
    return changeOn(query as Query, 'mysql', clock);
  }

  it.each([
    ['its id', (change: Change) => change.lock(1)],
    ['its name', (change: Change) => change.lockNamed('Busy')],
    ['one of its stories', (change: Change) => change.lockBoardOf('story_id', 1)],
  ])(
    'is not before its board is locked by %s, so it is after the previous change',
    async (_, lock) => {
      const change = waiting();
      expect(change.instant.toISOString()).toBe('2026-11-21T10:00:00.000Z');
      await lock(change);
      expect(change.instant.toISOString()).toBe('2026-11-21T11:00:00.000Z');
      await change.lock(1);
      expect(change.instant.toISOString()).toBe('2026-11-21T11:00:00.000Z');
    },
  );
});
