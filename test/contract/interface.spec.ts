import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENT_FILE } from '../../src/openapi/docs';
import { CSV_COLUMNS } from '../../src/stories/story-csv';
import { operations } from '../support/conformance';

const page = readFileSync(join(__dirname, '../../docs/interface.md'), 'utf8');
const { components, paths } = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8'));
const { schemas } = components;

/** Returns the cells of the rows of a section's first table. */
function tableOf(section: string): string[][] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [, , ...rows] = /(^\|.*\n)+/m.exec(text)?.[0].trim().split('\n') ?? [];
  return rows.map((row) => row.split('|').slice(1, -1).map(plain));
}

const plain = (cell: string): string => cell.replaceAll('`', '').trim();

const LIMITS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'];

/** The limits and the words of a schema, as the page writes them. */
function limitsOf({ $ref, items, ...schema }: any): string[] {
  const { enum: words = [], ...own } = $ref ? schemas[$ref.split('/').pop()] : schema;
  const numbers = LIMITS.filter((name) => name in own).map((name) =>
    own[name].toLocaleString('en'),
  );
  return [...numbers, ...words, ...(items ? limitsOf(items) : [])];
}

describe('docs/interface.md', () => {
  it('names exactly the operations of the OpenAPI document', () => {
    const named = tableOf('Operations').flatMap(([path = '', methods = '', remark = '']) => {
      const words = remark.includes('also next, previous') ? ['next', 'previous'] : [];
      return ['current', ...words].flatMap((word) =>
        methods.split(', ').map((method) => `${method} ${path.replace('current', word)}`),
      );
    });
    const declared = operations().map((operation) => operation.replace(' /api/', ' /'));
    expect(named.sort()).toEqual(declared.sort());
  });

  it('lists all types of events', () => {
    const listed = tableOf('The event log').flatMap(([types = '']) => types.match(/\w+\.\w+/g));
    expect(listed.sort()).toEqual(schemas.EventType['x-extensible-enum'].toSorted());
  });

  it('lists all filters of lists of stories', () => {
    const listed = tableOf('Lists').flatMap(([names = '']) => names.split(', '));
    const { parameters } = paths['/api/boards/{board_name}/stories'].get;
    const others = ['limit', 'cursor', 'count', 'sort', 'fields', 'format'];
    const filters = parameters
      .filter((parameter: any) => parameter.in === 'query' && !others.includes(parameter.name))
      .map(({ name }: any) => name);
    expect(listed.sort()).toEqual(filters.sort());
  });

  it('lists all columns of a list of stories as CSV', () => {
    const [, columns = ''] = /has the columns ([^.]*), which the import reads/.exec(page) ?? [];
    expect(columns.match(/\w+(?=`)/g)).toEqual([...CSV_COLUMNS]);
  });

  it('has the fields and the limits of the OpenAPI document', () => {
    const rows = new Map(
      tableOf('Fields').flatMap(([resources = '', field, values = '', initial]) =>
        resources.split(', ').map((resource) => [`${resource} ${field}`, { values, initial }]),
      ),
    );
    const declared = ['Board', 'Sprint', 'Story', 'Task', 'Token'].flatMap((resource) => {
      const { properties, required } = schemas[`Create${resource}`];
      return Object.entries(properties as object).map(([field, schema]) => ({
        name: `${resource.toLowerCase()} ${field}`,
        limits: limitsOf(schema),
        isRequired: required.includes(field),
      }));
    });
    expect([...rows.keys()].sort()).toEqual(declared.map(({ name }) => name).sort());
    for (const { name, limits, isRequired } of declared) {
      const { values = '', initial } = rows.get(name) ?? {};
      const written = values.match(/-?[\w,]*\w/g);
      expect([name, written]).toEqual([name, expect.arrayContaining(limits)]);
      expect([name, initial === 'required']).toEqual([name, isRequired]);
    }
  });
});
