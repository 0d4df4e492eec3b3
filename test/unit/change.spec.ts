import { Clock } from '../../src/time/clock';
import { Change } from '../../src/database/change';
import type { Parameter } from '../../src/database/engine';

interface Sent {
  sql: string;
  parameters: readonly Parameter[];
}

/** What `insertMany` sends for these rows of two columns. */
async function sentFor(rows: Parameter[][]): Promise<Sent[]> {
  const sent: Sent[] = [];
  const writer = {
    query: () => Promise.reject(new Error('nothing is read')),
    run: async (sql: string, parameters: readonly Parameter[] = []) => {
      sent.push({ sql, parameters });
      return { rows: 0, id: 0 };
    },
  };
  const change = new Change(writer, 'sqlite', { actor: 'anonymous' }, new Clock());
  await change.insertMany('notes', ['id', 'text'], rows);
  return sent;
}

describe('inserting many rows', () => {
  it('takes one statement for 500 of them, and keeps their order', async () => {
    const rows = Array.from({ length: 1200 }, (_, i): Parameter[] => [i, `text ${i}`]);
    const sent = await sentFor(rows);
    expect(sent.map(({ parameters }) => parameters.length)).toEqual([1000, 1000, 400]);
    expect(sent.flatMap(({ parameters }) => parameters)).toEqual(rows.flat());
    expect(sent[2]?.sql).toBe(
      `INSERT INTO notes (\`id\`, \`text\`) VALUES ${Array(200).fill('(?, ?)').join(', ')}`,
    );
  });

  it('takes more statements where the rows are long, for servers limit what they take at once', async () => {
    const rows = Array.from({ length: 80 }, (_, i): Parameter[] => [i, 'x'.repeat(100_000)]);
    const sent = await sentFor(rows);
    const lengths = sent.map(({ parameters }) => parameters.join('').length);
    expect(Math.max(...lengths)).toBeLessThan(700_000);
    expect(sent.flatMap(({ parameters }) => parameters)).toEqual(rows.flat());
  });

  it('sends nothing for no rows', async () => {
    expect(await sentFor([])).toEqual([]);
  });
});

describe('the instant of a change', () => {
  /** A change that waits for its board for an hour, and the board's row. */
  function waiting(revision: number): Change {
    const clock = { hour: 10, now: () => new Date(Date.UTC(2026, 10, 21, clock.hour)) };
    const board = { id: 1, name: 'Busy', revision };
    const writer = {
      query: async <R>(): Promise<R[]> => {
        clock.hour += 1;
        return [board as R];
      },
      run: () => Promise.reject(new Error('nothing is written')),
    };
    return new Change(writer, 'mysql', { actor: 'anonymous' }, clock);
  }

  it.each([
    ['its id', (change: Change) => change.lock(1)],
    ['its name', (change: Change) => change.lockNamed('Busy')],
  ])('is not before the board is held by %s, for others held it meanwhile', async (_, lock) => {
    const change = waiting(7);
    expect(change.now).toBe('2026-11-21 10:00:00.000');
    await lock(change);
    expect(change.now).toBe('2026-11-21 11:00:00.000');
    expect(change.instant.toISOString()).toBe('2026-11-21T11:00:00.000Z');
    await change.lock(1);
    expect(change.now).toBe('2026-11-21 11:00:00.000');
  });

  it('is that of its board where it made one', async () => {
    const change = waiting(0);
    await change.lockNamed('Busy');
    expect(change.now).toBe('2026-11-21 10:00:00.000');
  });
});
