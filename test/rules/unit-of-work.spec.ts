import type { Source } from '../support/sources';
import { sources } from '../support/sources';

/** Files with transactions: of the unit of work, of migrations, and of snapshots, which only read. */
const TRANSACTIONS = new Set([
  'database/unit-of-work.ts',
  'database/data-source.ts',
  'database/migrator.ts',
  'database/mysql-snapshots.ts',
  'database/sqlite-snapshot.worker.ts',
]);

const TRANSACTION =
  /\.(transaction|startTransaction|createQueryRunner)\(|\(\s*['"`](BEGIN|START TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT)\b/;

/** Methods of TypeORM that read the row before they write it, or that write outside a change. */
const FORBIDDEN =
  /\.(save|upsert|softDelete|softRemove|recover)\(|\bgetRepository\([^)]*\)\s*\.\w*(insert|update|delete)\(/;

const WRITE = /([\w.]+)\s*\.(insert|update|delete|increment|decrement|clear)\(/g;
const SQL_WRITE =
  /([\w.]+)\s*\.(query|first)(?:<[^(]*>)?\(\s*['"`]\s*(INSERT|UPDATE|DELETE|REPLACE|TRUNCATE)\b/g;
const REPOSITORY = /@InjectRepository\(\w+\)\s*(?:private |readonly )*(\w+)/g;

/** Names of objects that write inside a transaction of the unit of work. */
const IN_A_CHANGE = new Set(['change', 'transaction', 'manager', 'change.manager']);

/** Files of the class `Change` and its base class, which write with their own methods. */
const OF_CHANGES = new Set(['database/change.ts', 'database/transaction.ts']);

/** Finds the calls of a file that write outside the unit of work. */
function bypasses({ path, text }: Source): string[] {
  const repositories = new Set(
    [...text.matchAll(REPOSITORY)].map(([, name]) => `this.${name ?? ''}`),
  );
  const writes = [...text.matchAll(WRITE)].filter(
    ([, receiver = '']) =>
      repositories.has(receiver) || (receiver.endsWith('manager') && !IN_A_CHANGE.has(receiver)),
  );
  const statements = [...text.matchAll(SQL_WRITE)].filter(
    ([, receiver = '']) =>
      !IN_A_CHANGE.has(receiver) && !(OF_CHANGES.has(path) && receiver === 'this'),
  );
  return [
    ...(TRANSACTION.exec(text) ?? []).slice(0, 1),
    ...(FORBIDDEN.exec(text) ?? []).slice(0, 1),
    ...[...writes, ...statements].map(([call]) => call),
  ].map((call) => `${path}: ${call}`);
}

describe('the unit of work', () => {
  it('is the only way to write: no other file opens a transaction or writes through a repository', () => {
    const others = sources().filter(
      ({ path }) => !TRANSACTIONS.has(path) && !path.startsWith('database/migrations/'),
    );
    expect(others.length).toBeGreaterThan(50);
    expect(others.flatMap(bypasses)).toEqual([]);
  });

  it('is the only file that begins transactions that write', () => {
    const users = sources().filter(({ text }) => /\.transaction\(/.test(text));
    expect(users.map(({ path }) => path)).toEqual(['database/unit-of-work.ts']);
  });

  const inService = (call: string): Source => ({
    path: 'sample.ts',
    text: `constructor(@InjectRepository(Story) private readonly stories: Repository<Story>) {}\n${call}`,
  });

  it.each([
    "await this.database.query('DELETE FROM stories');",
    'await this.database.query(`\n  UPDATE stories SET seq = ${1}`);',
    'await reader.query("INSERT INTO tasks VALUES (1)");',
    'await this.stories.save(story);',
    'await this.stories.update(1, { seq: 1 });',
    'await this.stories.manager.insert(Story, {});',
    'await change.manager.save(story);',
    'await this.dataSource.transaction(async () => undefined);',
    'await dataSource.getRepository(Story).delete(1);',
    "database.exec('BEGIN IMMEDIATE');",
    'await dataSource.createQueryRunner().query(sql);',
  ])('would be bypassed by: %s', (call) => {
    expect(bypasses(inService(call))).toHaveLength(1);
  });

  it.each([
    "await change.query('DELETE FROM stories WHERE id = ?', [1]);",
    'await change.manager.insert(Story, {});',
    'await manager.update(Token, 1, {});',
    "const rows = await this.database.query('SELECT 1');",
    'const stories = await this.stories.findBy({ board_id: 1 });',
    'this.cache.delete(1);',
  ])('is not bypassed by: %s', (call) => {
    expect(bypasses(inService(call))).toEqual([]);
  });
});
