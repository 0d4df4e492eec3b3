import { setImmediate as nextTurn } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import type { Writer } from '../../src/database/engine';
import type { SqliteEngine } from '../../src/database/sqlite.engine';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { Workspace } from '../support/make';

/** What the writer is told besides statements, and a way to be in its place. */
interface Control {
  exec: (sql: string) => unknown;
}

let service: TestApp;
let engine: SqliteEngine;
let control: Control;
let sent: string[] = [];
let instead: ((sql: string) => void) | undefined;

beforeAll(async () => {
  service = await startApp({ engine: 'sqlite', raw: true });
  engine = service.app.get(Database).engine as SqliteEngine;
  control = (engine as unknown as { writer: { database: Control } }).writer.database;
  const exec = control.exec.bind(control);
  control.exec = (sql) => {
    sent.push(sql);
    instead?.(sql);
    return exec(sql);
  };
  await engine.transaction(
    (writer) => writer.run('CREATE TABLE notes (text varchar(20) PRIMARY KEY)'),
    soon(),
  );
});
afterAll(() => service.close());
beforeEach(async () => {
  sent = [];
  instead = undefined;
  await engine.transaction((writer) => writer.run('DELETE FROM notes'), soon());
  sent = [];
});

const soon = (): number => Date.now() + 4000;
const write = (...texts: string[]) =>
  engine.transaction(async (writer: Writer) => {
    for (const text of texts) await writer.run('INSERT INTO notes VALUES (?)', [text]);
    return texts.join();
  }, soon());
const notes = async (): Promise<string[]> =>
  (await engine.read<{ text: string }>('SELECT text FROM notes ORDER BY text')).map(
    ({ text }) => text,
  );
const count = (sql: string): number => sent.filter((one) => one === sql).length;
const outcomes = async (calls: Promise<string>[]): Promise<string[]> =>
  (await Promise.allSettled(calls)).map((one) =>
    one.status === 'fulfilled' ? one.value : `refused: ${(one.reason as Error).message}`,
  );

it('changes that come at once are made durable by one commit', async () => {
  expect(await outcomes(['a', 'b', 'c', 'd'].map((text) => write(text)))).toEqual([
    'a',
    'b',
    'c',
    'd',
  ]);
  expect(await notes()).toEqual(['a', 'b', 'c', 'd']);
  expect(count('COMMIT')).toBe(1);
});

it('none is told that it is done before it is, and nobody sees it before', async () => {
  let answered = false;
  let before: [answered: boolean, notes: Promise<string[]>] | undefined;
  instead = (sql) => {
    if (sql === 'COMMIT') before = [answered, notes()];
  };
  await Promise.all([write('a').then(() => (answered = true)), write('b'), write('c')]);
  expect([before?.[0], await before?.[1]]).toEqual([false, []]);
  expect(await notes()).toEqual(['a', 'b', 'c']);
});

it.each([0, 1, 2, 3])(
  'where change %i fails, nothing of it is left, and the others stand',
  async (i) => {
    const texts = ['a', 'b', 'c', 'd'];
    const calls = texts.map((text, n) =>
      n === i ? write(`${text}1`, `${text}2`, `${text}2`) : write(text),
    );
    const expected = texts.filter((_, n) => n !== i);
    const found = await outcomes(calls);
    expect(found[i]).toMatch(/^refused: .*UNIQUE/);
    expect(found.filter((_, n) => n !== i)).toEqual(expected);
    expect(await notes()).toEqual(expected);
  },
);

it('where the commit fails, all are told so, and nothing is left of any', async () => {
  instead = (sql) => {
    if (sql === 'COMMIT') throw Object.assign(new Error('no disk'), { code: 'SQLITE_IOERR' });
  };
  const found = await outcomes(['a', 'b', 'c'].map((text) => write(text)));
  expect(found).toEqual(Array(3).fill('refused: no disk'));
  instead = undefined;
  expect(await notes()).toEqual([]);
  expect(await write('later')).toBe('later');
});

it('where SQLite undoes all for the sake of one, all before it are told so, and those after it go on', async () => {
  const full = (): Promise<string> =>
    engine.transaction(async (writer) => {
      await writer.run('INSERT INTO notes VALUES (?)', ['x']);
      control.exec('ROLLBACK');
      throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
    }, soon());
  const calls = [write('a'), write('b'), full(), write('c')];
  expect(await outcomes(calls)).toEqual([...Array(3).fill('refused: disk full'), 'c']);
  expect(await notes()).toEqual(['c']);
});

it('no commit waits for more than a turn of others', async () => {
  const slow = (text: string): Promise<string> =>
    engine.transaction(async (writer) => {
      const end = performance.now() + 15;
      while (performance.now() < end);
      await writer.run('INSERT INTO notes VALUES (?)', [text]);
      return text;
    }, soon());
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(slow));
  expect(count('COMMIT')).toBe(3);
});

it('requests of many clients, refused ones among them, share commits and keep their promises', async () => {
  const board = await Workspace.create(service.client);
  const before = await board.revision();
  sent = [];
  // Whoever comes while this one is at it is in line when it is done.
  const first = engine.transaction(async () => {
    while (engine.load().waiting < 60) await nextTurn();
  }, soon());
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      i % 3 === 0
        ? service.client.post(`${board.path}/backlog`, { title: 'Taken', external_id: 'one' })
        : service.client.post(`${board.path}/backlog`, { title: `Story ${i}` }),
    ),
  );
  await first;
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(41);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  const stories = (await service.client.get<any[]>(`${board.path}/backlog`)).body;
  expect(stories.map(({ id }) => id as number).sort()).toEqual(
    made.map(({ body }) => body.id as number).sort(),
  );
  expect(await board.revision()).toBe(before + 41);
  expect(count('COMMIT')).toBeLessThan(10);
});
