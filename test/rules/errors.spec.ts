import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS, PROBLEMS } from '../../src/http/problem';
import { printed } from '../support/print';
import { sources } from '../support/sources';

const root = join(__dirname, '../..');

describe('the error catalogue', () => {
  it('is what docs/errors.md lists; `npm run docs:errors` writes it', () => {
    const [page] = printed('errors', 'errorsPage');
    expect(readFileSync(join(root, 'docs/errors.md'), 'utf8')).toBe(page);
  });

  it.each([...Object.keys(PROBLEMS), ...Object.keys(FAULTS)])('has a use for %s', (code) => {
    const users = sources().filter(
      ({ path, text }) => path !== 'common/problem.ts' && text.includes(`'${code}'`),
    );
    expect(users.map(({ path }) => path)).not.toEqual([]);
  });
});
