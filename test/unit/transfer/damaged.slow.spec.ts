import fc from 'fast-check';
import { detectFormat } from '../../../src/transfer/files/detect';
import { github } from '../../../src/transfer/formats/github';
import { taiga } from '../../../src/transfer/formats/taiga';
import { trello } from '../../../src/transfer/formats/trello';
import { InvalidFile } from '../../../src/transfer/files/invalid-file';
import { readJson } from '../../../src/transfer/files/json';
import { fileOf } from './files';

const FILES = [
  [
    { number: 1, title: 'é🗒\n"', labels: [{ name: 'p' }], assignees: [{}] },
    { number: 2, title: '' },
  ],
  {
    lists: [{ id: 'l', name: 'x', pos: 1 }],
    cards: [{ id: 'c', idList: 'l', labels: [{ name: 'a' }], idMembers: ['m'], pos: -2.5e3 }],
    customFields: [{ id: 'f', name: 'points', options: [] }],
    checklists: [{ idCard: 'c', checkItems: [{ id: 'i', state: 'complete' }] }],
    actions: [{ type: 'updateCard', date: 'x', data: { card: { id: 'c' }, listAfter: {} } }],
  },
  {
    user_stories: [{ ref: 1, role_points: [{ points: '1' }], tags: [['a', null]], status: 'New' }],
    points: [{ name: '1', value: 1 }],
    milestones: [{ name: 'M', slug: 'm' }],
    epics: [{ subject: 'e', related_user_stories: [{ user_story: 1 }] }],
    tasks: [{ ref: 2, user_story: 1 }],
  },
].map((value) => JSON.stringify(value, null, 1));

const PIECES = [
  ...'{}[],:"\\0e- \n',
  'null',
  '1e999',
  'true',
  '{}',
  '[]',
  '""',
  '\0',
  '"__proto__":',
];

/** Generates files in which some parts are replaced. */
const damaged = fc
  .tuple(
    fc.constantFrom(...FILES),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        length: fc.nat(20),
        piece: fc.constantFrom('', ...PIECES),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((result, { at, length, piece }) => {
      const start = Math.floor(at * result.length);
      return result.slice(0, start) + piece + result.slice(start + length);
    }, text),
  );

/** Returns whether a reader accepts a damaged file; any error but an `InvalidFile` fails the test. */
async function resultOf(work: Promise<unknown>): Promise<'read' | 'rejected'> {
  try {
    await work;
    return 'read';
  } catch (error) {
    if (error instanceof InvalidFile) return 'rejected';
    throw error;
  }
}

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

describe('a damaged JSON file', () => {
  it('is accepted exactly if JSON.parse accepts it, with the same values', async () => {
    await fc.assert(
      fc.asyncProperty(damaged, fc.integer({ min: 1, max: 80 }), async (text, chunk) => {
        const found: unknown[] = [];
        const keep = (value: unknown): void => void found.push(value);
        const result = await resultOf(readJson(fileOf(text, chunk), { $: keep, '$.*': keep }));
        const expected = parsed(Buffer.from(text).toString());
        expect(result).toBe(expected ? 'read' : 'rejected');
        if (!expected || typeof expected.value !== 'object' || expected.value === null) return;
        expect(found).toEqual(Array.isArray(expected.value) ? expected.value : [expected.value]);
      }),
      { numRuns: 1500 },
    );
  });

  it('causes only errors of the file in the readers and the detection', async () => {
    await fc.assert(
      fc.asyncProperty(damaged, fc.integer({ min: 1, max: 80 }), async (text, chunk) => {
        for (const reader of [github, taiga, trello]) {
          await resultOf(reader(fileOf(text, chunk), {}));
        }
        await resultOf(detectFormat(fileOf(text, chunk), { format: 'auto' }));
      }),
      { numRuns: 500 },
    );
  });
});
