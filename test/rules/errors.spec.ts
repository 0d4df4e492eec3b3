import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIELD_ERRORS, PROBLEMS } from '../../src/http/problem';
import { printed } from '../support/print';
import { sources } from '../support/sources';

const root = join(__dirname, '../..');
/** What only documents an error does not use it. */
const users = sources()
  .filter(({ path }) => path !== 'http/problem.ts' && !path.startsWith('openapi/'))
  .map(({ path, text }) => ({ path, text: text.replace(/@Rejects\([^)]*\)/g, '') }));

/** Whether a file has the code as a string, or as a template such as `no_${which}_sprint`. */
const uses = (text: string, code: string): boolean =>
  text.includes(`'${code}'`) ||
  [...text.matchAll(/Problem\(`(\w+)\$\{\w+\}(\w+)`\)/g)].some(
    ([, start = '', end = '']) => code.startsWith(start) && code.endsWith(end),
  );

describe('the error catalogue', () => {
  it('is what docs/errors.md lists; `npm run docs:errors` writes it', () => {
    const [page] = printed('errors', 'errorsPage');
    expect(readFileSync(join(root, 'docs/errors.md'), 'utf8')).toBe(page);
  });

  it.each([...Object.keys(PROBLEMS), ...Object.keys(FIELD_ERRORS)])('has no unused %s', (code) => {
    expect(users.filter(({ text }) => uses(text, code))).not.toEqual([]);
  });
});
