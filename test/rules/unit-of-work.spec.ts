import ts from 'typescript';
import type { Source } from '../support/sources';
import { sources, syntaxOf } from '../support/sources';

/** What opens, commits or undoes a transaction, or writes by TypeORM's own means. */
const MEANS =
  /\b(BEGIN( IMMEDIATE)?|START TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT)\b|\.transaction\(|\.(save|insert|upsert|softDelete|softRemove)\(|\b(getRepository|InjectRepository|EntityManager|createQueryRunner|createQueryBuilder|startTransaction)\b/;

/** The files that are the unit of work, or what it stands on. */
const OF_THE_UNIT_OF_WORK = new Set([
  'database/change.ts',
  'database/engine.ts',
  'database/migrator.ts',
  'database/mysql.engine.ts',
  'database/sqlite.engine.ts',
  'database/unit-of-work.ts',
]);

/** What a statement may be sent through: a change, or the writer of the transaction it is made in. */
const WRITERS = new Set(['change', 'writer']);

/** Every place of a file that could write past the unit of work, as a text. */
function detours(source: Source): string[] {
  const found: string[] = [];
  const syntax = syntaxOf(source);
  const at = (node: ts.Node): string => {
    const { line } = syntax.getLineAndCharacterOfPosition(node.getStart());
    return `${source.path}:${line + 1} ${node.getText().split('\n')[0]?.slice(0, 80)}`;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const { expression } = node;
      const [first] = node.arguments;
      const receiver = ts.isPropertyAccessExpression(expression)
        ? (expression.expression.getText().split('.').pop() ?? '')
        : '';
      const text = first?.getText() ?? '';
      if (
        /^['"`]\s*(INSERT|UPDATE|DELETE|REPLACE|TRUNCATE)\b/.test(text) &&
        !WRITERS.has(receiver)
      ) {
        found.push(at(node));
      }
      const callee = `${expression.getText()}(`;
      const isChange = receiver === 'change' && callee.endsWith('.insert(');
      if (MEANS.test(callee.split('\n').pop() ?? '') && !isChange) found.push(at(node));
    } else if (
      (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) &&
      /^(BEGIN|START TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT)\b/.test(node.text)
    ) {
      found.push(at(node));
    } else if (ts.isIdentifier(node) && MEANS.test(node.text)) {
      found.push(at(node));
    }
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

describe('the unit of work', () => {
  it('is the only way to write: no other file saves or opens a transaction', () => {
    const others = sources().filter(
      ({ path }) => !OF_THE_UNIT_OF_WORK.has(path) && !path.startsWith('database/migrations/'),
    );
    expect(others.length).toBeGreaterThan(50);
    expect(others.flatMap(detours)).toEqual([]);
  });

  it('alone begins the transactions of the engine', () => {
    const users = sources().filter(({ text }) => /\bengine\.transaction\(/.test(text));
    expect(users.map(({ path }) => path)).toEqual(['database/unit-of-work.ts']);
  });

  it.each([
    "await this.database.query('DELETE FROM stories');",
    'await this.database.query(`\n  UPDATE stories SET seq = ${1}`);',
    'await reader.query("INSERT INTO tasks VALUES (1)");',
    'await this.stories.save(story);',
    'await this.dataSource.transaction(async () => undefined);',
    'const repository = dataSource.getRepository(Story);',
    "database.exec('BEGIN IMMEDIATE');",
    'await dataSource.createQueryRunner().query(sql);',
  ])('would be seen to be passed by: %s', (text) => {
    expect(detours({ path: 'sample.ts', text })).not.toEqual([]);
  });

  it.each([
    "await change.run('DELETE FROM stories WHERE id = ?', [1]);",
    "const id = await change.insert('stories', {});",
    "await writer.run('UPDATE boards SET name = NULL');",
    "const rows = await this.database.query('SELECT 1');",
  ])('lets pass: %s', (text) => {
    expect(detours({ path: 'sample.ts', text })).toEqual([]);
  });
});
