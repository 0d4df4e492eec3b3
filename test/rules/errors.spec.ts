import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIELD_ERRORS, PROBLEMS } from '../../src/http/problem';
import { printed } from '../support/print';
import { sources } from '../support/sources';

const root = join(__dirname, '../..');
/** The files that may raise errors, without the decorators that only document them. */
const users = sources()
  .filter(({ path }) => path !== 'http/problem.ts' && !path.startsWith('openapi/'))
  .map(({ path, text }) => ({ path, text: text.replace(/@Rejects\([^)]*\)/g, '') }));

/** Returns whether a file has the code as a string or as a template such as `no_${which}_sprint`. */
const uses = (text: string, code: string): boolean =>
  text.includes(`'${code}'`) ||
  [...text.matchAll(/Problem\(`(\w+)\$\{\w+\}(\w+)`\)/g)].some(
    ([, start = '', end = '']) => code.startsWith(start) && code.endsWith(end),
  );

describe('the error catalogue', () => {
  it('equals docs/errors.md, which `npm run docs:errors` writes', () => {
    const [page] = printed('errors', 'errorsPage');
    expect(readFileSync(join(root, 'docs/errors.md'), 'utf8')).toBe(page);
  });

  it.each([...Object.keys(PROBLEMS), ...Object.keys(FIELD_ERRORS)])('has no unused %s', (code) => {
    expect(users.filter(({ text }) => uses(text, code))).not.toEqual([]);
  });
});
