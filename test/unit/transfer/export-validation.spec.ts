import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind } from '../../../src/transfer/export/export-validation';
import { requireFields, requireRow } from '../../../src/transfer/export/export-validation';

const isValid = (kind: Kind, name: string, value: unknown): boolean => {
  try {
    requireFields(1, kind, { [name]: value });
    return true;
  } catch {
    return false;
  }
};
const isInstant = (value: unknown): boolean => isValid('story', 'created_at', value);

/** Returns whether an export writes an instant like this; its years are 1000 to 9999. */
const exported = (text: string): boolean => {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text && /^[1-9]/.test(text);
};

describe('an instant of an export', () => {
  it('is valid in the format that an export writes', () => {
    const range = { min: new Date('1000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        expect(isInstant(date.toISOString())).toBe(true);
      }),
    );
  });

  it('is invalid in any other format', () => {
    const number = (max: number, length: number): fc.Arbitrary<string> =>
      fc.nat(max).map((n) => String(n).padStart(length, '0'));
    const texts = fc
      .tuple(
        number(2200, 4),
        number(13, 2),
        number(32, 2),
        number(25, 2),
        number(61, 2),
        number(61, 2),
        number(999, 3),
      )
      .map(([y, m, d, h, min, s, ms]) => `${y}-${m}-${d}T${h}:${min}:${s}.${ms}Z`);
    fc.assert(
      fc.property(texts, (text) => {
        expect([text, isInstant(text)]).toEqual([text, exported(text)]);
      }),
      { numRuns: 2000 },
    );
    const days = ['2023-02-28', '2023-02-29', '2024-02-29', '2024-02-30', '1900-02-29'];
    for (const day of [...days, '2000-02-29', '2024-04-31', '2024-12-31', '2024-00-10']) {
      const text = `${day}T10:00:00.000Z`;
      expect([day, isInstant(text)]).toEqual([day, exported(text)]);
    }
    for (const other of ['2026-01-01', '2026-01-01T10:00:00Z', '2026-01-01T10:00:00.000Z ', 7]) {
      expect(isInstant(other)).toBe(false);
    }
  });
});

interface Schema {
  type?: string | string[];
  format?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: string[];
  items?: Schema;
  maxItems?: number;
  anyOf?: Schema[];
}

/** Returns the values at the limits of a field and the nearest ones beyond them. */
function atLimits({ format, maxLength, minimum, maximum, items, maxItems }: Schema): unknown[][] {
  if (format === 'date') {
    return [
      ['1000-01-01', '2024-02-29', '9999-12-31'],
      ['0999-12-31', '2026-02-29', '10000-01-01', '2026-1-1', '2026-01-01T00:00:00.000Z'],
    ];
  }
  const different = (length: number): string[] =>
    Array.from({ length }, (_, i) => items?.enum?.[i] ?? `${i}`);
  if (maxLength) return ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1)].map((text) => [text]);
  if (minimum !== undefined && maximum !== undefined) {
    return [
      [minimum, maximum],
      [minimum - 1, maximum + 1],
    ];
  }
  if (!items || !maxItems) return [[], []];
  return [0, 1].map((more) => [
    ...(atLimits(items)[more] ?? []).map((item) => [item]),
    different(maxItems + more),
  ]);
}

describe('a field of an export has the limits of requests', () => {
  const document = readFileSync(join(__dirname, '../../../openapi.json'), 'utf8');
  const { schemas } = (
    JSON.parse(document) as {
      components: { schemas: Record<string, { properties: Record<string, Schema> }> };
    }
  ).components;
  const fields = (['board', 'sprint', 'story', 'task'] as const).flatMap((kind) =>
    Object.entries(
      schemas[`Create${kind.charAt(0).toUpperCase()}${kind.slice(1)}`]?.properties ?? {},
    ).map(([name, schema]) => [kind, name, schema] as const),
  );

  it.each(fields)('%s.%s', (kind, name, schema) => {
    const [valid = [], invalid = []] = atLimits(schema);
    for (const value of valid) expect([value, isValid(kind, name, value)]).toEqual([value, true]);
    for (const value of invalid) {
      expect([value, isValid(kind, name, value)]).toEqual([value, false]);
    }
    // In a request a `seq` of null means the default.
    const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type = [] }) => type);
    const isNullable = name !== 'seq' && types.includes('null');
    expect(isValid(kind, name, null)).toBe(isNullable);
  });

  it('in more than 20 fields of the document', () => {
    expect(fields.length).toBeGreaterThan(20);
  });
});

describe('a row of an export', () => {
  const TIMES = {
    created_at: '2026-11-20T09:30:00.000Z',
    updated_at: '2026-11-20T09:30:00.000Z',
    version: 1,
  };
  /** The fields that every export has, whichever version wrote it. A later field must be nullable. */
  const ROWS = {
    board: { id: 1, name: 'a', time_zone: 'UTC', working_days: ['mon'], revision: 0 },
    sprint: { id: 1, board_name: 'a', start_date: '2026-11-16', state: 'planned' },
    story: { id: 1, board_name: 'a', title: 'a', seq: 1, status: 'todo', labels: [] },
    task: { id: 1, story_id: 1, title: 'a', seq: 1, status: 'todo' },
  };

  it.each(Object.entries(ROWS))(
    'of a %s needs only the fields that every export has',
    (kind, row) => {
      expect(() => requireRow(1, kind as Kind, { ...row, ...TIMES })).not.toThrow();
    },
  );
});
