import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../support/conformance';

const page = readFileSync(join(__dirname, '../../docs/interface.md'), 'utf8');

/** Returns the cells of the rows of a section's first table. */
function tableOf(section: string): string[][] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [, , ...rows] = /(^\|.*\n)+/m.exec(text)?.[0].trim().split('\n') ?? [];
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('docs/interface.md', () => {
  it('names exactly the operations of the OpenAPI document', () => {
    const named = tableOf('Operations').flatMap(([cell = '', methods = '', remark = '']) => {
      const path = cell.replaceAll('`', '');
      const words = remark.includes('also `next`, `previous`')
        ? ['current', 'next', 'previous']
        : ['current'];
      return words.flatMap((word) =>
        methods.split(', ').map((method) => `${method} ${path.replace('current', word)}`),
      );
    });
    const declared = operations().map((operation) => operation.replace(' /api/', ' /'));
    expect(named.sort()).toEqual(declared.sort());
  });
});
