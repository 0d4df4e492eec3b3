import { createReadStream } from 'node:fs';
import { trello } from '../../../src/transfer/formats/trello';
import type { Mapping } from '../../../src/transfer/import/import.dto';
import type { SourceFile } from '../../../src/transfer/files/source';
import { published, withPublished } from '../../support/published';
import { fileOf, jsonFile } from './files';
import { planOf } from './plan-of';

const card = (id: string, idList: string, more: object = {}): object => ({
  id,
  idList,
  name: `Card ${id}`,
  desc: '',
  closed: false,
  pos: 1,
  due: null,
  idMembers: [],
  labels: [],
  ...more,
});

const LISTS = [
  { id: 'done', name: 'Done', closed: false, pos: 300 },
  { id: 'todo', name: 'Sprint 12', closed: false, pos: 100.5 },
  { id: 'old', name: 'Old', closed: true, pos: 200 },
];

/** Returns a board; as in an export, the cards precede the objects to which they refer. */
const board = (cards: object[], more: object = {}): object => ({
  id: 'b',
  name: 'Team',
  cards,
  lists: LISTS,
  ...more,
});

const read = (value: object, mapping: Mapping = {}): Promise<SourceFile> =>
  trello(jsonFile(value, 4096), mapping);

const titles = ({ stories }: SourceFile): string[] => stories.map(({ title }) => title);

describe('a Trello board', () => {
  it('has a story for each card, in the order of the lists and of the cards in them', async () => {
    const source = await read(
      board([
        card('1', 'done', { pos: 5 }),
        card('2', 'todo', { pos: 7.5 }),
        card('3', 'todo', { pos: 7 }),
        card('4', 'nowhere'),
      ]),
    );
    expect(source.sprints).toEqual([]);
    expect(source.skipped).toEqual([]);
    expect(source.warnings.list()).toEqual([]);
    expect(
      source.stories.map(({ line, external_id, status }) => [line, external_id, status?.name]),
    ).toEqual([
      [3, 'trello:3', 'Sprint 12'],
      [2, 'trello:2', 'Sprint 12'],
      [1, 'trello:1', 'Done'],
      [4, 'trello:4', undefined],
    ]);
    expect(source.lacks).toEqual({
      sprints: true,
      points: true,
      priority: true,
      assignee: true,
      tasks: false,
    });
  });

  it('reads description, members and labels with a name', async () => {
    const labels = [
      { id: 'l1', name: 'Bug', color: 'red' },
      { id: 'l2', name: '', color: 'green' },
    ];
    const members = [
      { id: 'm1', fullName: 'Ada Example', username: 'ada' },
      { id: 'm2', fullName: '', username: 'grace' },
    ];
    const source = await read(
      board(
        [
          card('1', 'todo', { desc: 'a\nb', labels, idMembers: ['m1', 'm2', 'gone'] }),
          card('2', 'todo', { labels: [], idLabels: ['l2', 'l1'], idMembers: ['m2'] }),
        ],
        { labels, members },
      ),
    );
    expect(source.stories).toMatchObject([
      { description: 'a\nb', assignee: 'Ada Example', labels: ['Bug'] },
      { description: null, assignee: 'grace', labels: ['Bug'] },
    ]);
    expect(source.lacks?.assignee).toBe(false);
    expect(source.warnings.list()).toEqual([
      { code: 'other_assignees', count: 1, examples: ['entry 1: grace'] },
      {
        code: 'ignored_fields',
        count: 1,
        examples: ['members who are not in the file (1)'],
      },
    ]);
  });

  it('marks closed cards and cards of closed lists as archived, and reports templates', async () => {
    const source = await read(
      board([
        card('1', 'todo', { closed: true }),
        card('2', 'old'),
        card('3', 'todo', { isTemplate: true }),
        card('4', 'todo', { cardRole: 'separator' }),
        card('5', 'todo'),
      ]),
    );
    const archived = source.stories.map(({ title, archived }) => [title, archived]);
    expect(archived).toEqual([
      ['Card 1', true],
      ['Card 3', false],
      ['Card 5', false],
      ['Card 2', true],
    ]);
    expect(source.skipped).toEqual([
      { line: 4, code: 'separator', detail: 'the card is a separator' },
    ]);
    expect(source.warnings.list()).toEqual([
      { code: 'template', count: 1, examples: ['entry 3: "Card 3"'] },
    ]);
  });

  it('has a task for each item of a checklist, in their order', async () => {
    const checklists = [
      {
        id: 'c2',
        idCard: '1',
        pos: 20,
        checkItems: [
          { id: 'i3', name: 'third', state: 'incomplete', pos: 1, due: '2026-01-01T00:00:00Z' },
        ],
      },
      {
        id: 'c1',
        idCard: '1',
        pos: 10,
        checkItems: [
          { id: 'i2', name: 'second', state: 'complete', pos: 2, idMember: 'm1' },
          { id: 'i1', name: 'first', state: 'incomplete', pos: 1 },
        ],
      },
    ];
    const whole = board([card('1', 'todo', { checklists: [checklists[1]] })], {
      checklists,
      members: [{ id: 'm1', fullName: 'Ada Example' }],
      actions: [
        {
          type: 'updateCheckItemStateOnCard',
          date: '2026-01-03T00:00:00.000Z',
          data: { card: { id: '1' }, checkItem: { id: 'i2', state: 'complete' } },
        },
      ],
    });
    const source = await read(whole);
    expect(source.stories[0]?.tasks).toEqual([
      {
        line: 1,
        external_id: 'trello:i1',
        title: 'first',
        status: { name: 'unchecked item', category: 'todo' },
        assignee: null,
        done: null,
      },
      {
        line: 1,
        external_id: 'trello:i2',
        title: 'second',
        status: { name: 'checked item', category: 'done' },
        assignee: 'Ada Example',
        done: '2026-01-03T00:00:00.000Z',
      },
      expect.objectContaining({ external_id: 'trello:i3', title: 'third' }),
    ]);
    expect((await read(whole, { subtasks: 'skip' })).stories[0]?.tasks).toEqual([]);
  });

  it('applies the mapping of a list with the name of a state not to items of checklists', async () => {
    const checkItems = [{ id: 'i', name: 'Item', state: 'incomplete' }];
    const { stories } = await planOf(
      trello,
      jsonFile(
        board([card('1', 'open', { checklists: [{ id: 'c', idCard: '1', checkItems }] })], {
          lists: [{ id: 'open', name: 'Incomplete', closed: false, pos: 1 }],
        }),
      ),
      { status: { Incomplete: 'in_progress' } },
    );
    expect(stories).toMatchObject([{ status: 'in_progress', tasks: [{ status: 'todo' }] }]);
  });

  it('has each item of a checklist once, even if cards have the same id or none', async () => {
    const items = ['1', '2', '3'].map((id) => ({ id, name: `Item ${id}`, state: 'incomplete' }));
    const checklists = [
      { idCard: 'same', checkItems: items },
      { checkItems: items.map(({ name }) => ({ name })) },
    ];
    const cards = [card('same', 'todo'), card('same', 'todo'), {}, {}, {}];
    const { stories } = await read(board(cards, { checklists }));
    expect(stories.map(({ tasks }) => tasks.length).sort()).toEqual([0, 0, 0, 3, 3]);
  });

  it('names other members of a card once, and shortens their names', async () => {
    const members = ['a', 'b'].map((id) => ({ id, fullName: id.repeat(10_000_000) }));
    const idMembers = Array.from({ length: 1000 }, (_, i) => 'ab'.charAt(i % 2));
    const source = await read(board([card('1', 'todo', { idMembers })], { members }));
    expect(source.stories[0]?.assignee).toBe('a'.repeat(500));
    expect(source.warnings.list()).toEqual([
      { code: 'other_assignees', count: 1, examples: [`entry 1: ${'b'.repeat(191)}`] },
    ]);
  });

  it('finds out when a card was moved to its list', async () => {
    const moved = (date: string, listAfter: string): object => ({
      type: 'updateCard',
      date,
      data: { card: { id: '1' }, listBefore: { id: 'x' }, listAfter: { id: listAfter } },
    });
    const source = await read(
      board([card('1', 'done'), card('2', 'done'), card('3', 'done')], {
        actions: [
          moved('2026-01-09T10:00:00.000Z', 'todo'),
          moved('2026-01-08T10:00:00.000Z', 'done'),
          moved('2026-01-05T10:00:00.000Z', 'done'),
          {
            type: 'createCard',
            date: '2026-01-02T10:00:00.000Z',
            data: { card: { id: '2' }, list: { id: 'done' } },
          },
          { type: 'updateCard', date: '2026-01-10T10:00:00.000Z', data: { card: { id: '3' } } },
        ],
      }),
    );
    expect(source.stories.map(({ done }) => done)).toEqual([
      '2026-01-08T10:00:00.000Z',
      '2026-01-02T10:00:00.000Z',
      null,
    ]);
  });

  it.each(['createCard', 'copyCard', 'moveCardToBoard', 'convertToCardFromCheckItem', 'emailCard'])(
    'has the time of a card that has been in its list since %s',
    async (type) => {
      const date = '2026-01-02T10:00:00.000Z';
      const data = { card: { id: '1' }, list: { id: 'done' }, cardSource: { id: '2' } };
      const actions = [{ type, date, data }];
      const { stories } = await read(board([card('1', 'done')], { actions }));
      expect(stories.map(({ done }) => done)).toEqual([date]);
    },
  );

  it('reports data that it does not read', async () => {
    const source = await read(
      board(
        [
          card('1', 'todo', {
            due: '2026-01-01T00:00:00Z',
            dueComplete: true,
            badges: { comments: 3, attachments: 1 },
            customFieldItems: [{ idCustomField: 'f', value: { text: 'x' } }],
          }),
          card('2', 'todo', { due: '2026-01-02T00:00:00Z', start: '2026-01-01T00:00:00Z' }),
        ],
        { customFields: [{ id: 'f', name: 'Team', type: 'text' }] },
      ),
    );
    expect(source.warnings.list()).toEqual([
      {
        code: 'ignored_fields',
        count: 9,
        examples: ['due (2)', 'dueComplete (1)', 'comments (3)', 'attachments (1)', 'start (1)'],
      },
    ]);
  });

  describe('points', () => {
    const withField = (field: object, values: object[]): object =>
      board(
        values.map((value, i) =>
          card(String(i), 'todo', {
            name: `(${i}) Part`,
            customFieldItems: [{ idCustomField: 'f', ...value }],
          }),
        ),
        { customFields: [{ id: 'f', ...field }] },
      );

    it.each(['Story Points', 'points', 'Estimate', 'SP', 'Size', 'Story-Punkte'])(
      'are in a custom field %s',
      async (name) => {
        const source = await read(
          withField({ name, type: 'number' }, [
            { value: { number: '3' } },
            { value: { number: '0.5' } },
            { value: null },
          ]),
        );
        expect(source.stories.map(({ points }) => points)).toEqual(['3', '0.5', null]);
        expect(titles(source)).toEqual(['(0) Part', '(1) Part', '(2) Part']);
        expect(source.lacks?.points).toBe(false);
      },
    );

    it('are in a drop-down list with numbers, not in one with sizes', async () => {
      const list = (first: string): object =>
        withField(
          {
            name: 'Size',
            type: 'list',
            options: [
              { id: 'o1', value: { text: first } },
              { id: 'o2', value: { text: '8' } },
            ],
          },
          [{ idValue: 'o1' }, { idValue: 'o2' }],
        );
      const points = async (first: string) =>
        (await read(list(first))).stories.map((s) => s.points);
      expect(await points('5')).toEqual(['5', '8']);
      expect(await points('M')).toEqual([null, null]);
    });

    it('are in the field that the mapping names', async () => {
      const file = withField({ name: 'Complexity', type: 'number' }, [{ value: { number: '3' } }]);
      const source = await read(file, { columns: { points: 'complexity' } });
      expect(source.stories[0]?.points).toBe('3');
      expect((await read(file)).stories[0]?.points).toBeNull();
      await expect(read(file, { columns: { points: 'Effort' } })).rejects.toThrow(
        'The board has no custom field "Effort"; it has Complexity.',
      );
    });

    const named = async (...names: string[]): Promise<[string, unknown][]> => {
      const cards = names.map((name, i) => card(String(i), 'todo', { name, pos: i }));
      return (await read(board(cards))).stories.map(({ title, points }) => [title, points]);
    };

    it('are read from the beginning of titles, if most cards of the board have them there', async () => {
      expect(await named('(3) A', '(5) B (2)', '(3) C', '(0.5) D', 'E', '()F', '[8] G')).toEqual([
        ['A', '3'],
        ['B (2)', '5'],
        ['C', '3'],
        ['D', '0.5'],
        ['E', null],
        ['()F', null],
        ['[8] G', null],
      ]);
    });

    it.each([
      ['parts', ['(1) A', '(2) A', '(3) A']],
      ['other numbers', ['(7) A', '(7) B', '(7) C']],
      ['years', ['(2026) A', '(2026) B', '(2026) C']],
      ['few', ['(3) A', '(3) B', 'C', 'D', 'E', 'F']],
      ['nothing else', ['(3)', '(3)', '(3)']],
      ['at the end of titles', ['A (3)', 'B (3)', 'C (3)']],
    ])('are not read from titles: %s', async (_, names) => {
      expect(await named(...names)).toEqual(names.map((name) => [name, null]));
    });
  });

  it('reads priorities from a custom field', async () => {
    const source = await read(
      board([card('1', 'todo', { customFieldItems: [{ idCustomField: 'f', idValue: 'o' }] })], {
        customFields: [
          {
            id: 'f',
            name: 'Priority',
            type: 'list',
            options: [{ id: 'o', value: { text: 'High' } }],
          },
        ],
      }),
    );
    expect(source.stories[0]?.priority).toBe('High');
    expect(source.lacks?.priority).toBe(false);
    expect(source.warnings.list()).toEqual([]);
  });

  it('is rejected if it is something else or empty', async () => {
    await expect(read({ name: 'x' })).rejects.toThrow('neither cards nor lists');
    await expect(read([] as object)).rejects.toThrow('neither cards nor lists');
    await expect(read(board([]))).rejects.toThrow('The board has no cards.');
    await expect(trello(fileOf('{"cards": [{"id": "1"'), {})).rejects.toThrow('in the middle');
  });

  it.each([
    { cards: [null, 1, 'x', [], {}], lists: [null, {}], checklists: [null, { checkItems: [1] }] },
    { cards: { a: { id: 1 } }, lists: 'x', members: [3], actions: [null, { date: 1, data: [] }] },
    { cards: [{ id: 1, name: 2, pos: 'top', labels: 'x', customFieldItems: [{ value: 3 }] }] },
    { cards: [{ badges: { comments: 1e308, attachments: -1.5 }, idMembers: {} }] },
  ])('with values of the wrong type is read as far as possible (%#)', async (value) => {
    const source = await read(value).catch((error: unknown) => error);
    if (source instanceof Error) expect(source.message).toContain('neither cards nor lists');
  });
});

const open = (name: string): Promise<SourceFile> =>
  trello(createReadStream(published(`exports/${name}`)), {});

const countBy = (texts: (string | undefined)[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(texts)].map((text) => [text, texts.filter((other) => other === text).length]),
  );

withPublished('exports/trello-agile.json')('real Trello boards', () => {
  it('are read: three cards with custom fields', async () => {
    const { stories, warnings } = await open('trello-custom-fields.json');
    expect(countBy(stories.map(({ status }) => status?.name))).toEqual({
      Todo: 2,
      'In Progress': 1,
    });
    expect(stories.map(({ assignee }) => assignee)).toEqual(Array(3).fill('Person 1'));
    expect(stories.flatMap(({ labels, tasks }) => [...labels, ...tasks])).toEqual([]);
    expect(warnings.list()).toMatchObject([{ code: 'ignored_fields' }]);
  });

  it('are read: 23 cards with checklists', async () => {
    const { stories, warnings, skipped } = await open('trello-agile.json');
    expect(stories).toHaveLength(23);
    expect(countBy(stories.map(({ status }) => status?.name))).toMatchObject({
      '🗒 Backlog': 3,
      '📅 Working On': 3,
      '📆 Sprint - Done [Version: 1.2.0]': 3,
      '🗄 Sprint - Done [Version: 1.1.0]': 4,
    });
    const tasks = stories.flatMap((story) => story.tasks);
    expect(countBy(tasks.map(({ status }) => status?.category))).toEqual({ todo: 47, done: 9 });
    const labelled = stories.filter(({ labels }) => labels.length > 0);
    expect([labelled.length, labelled.flatMap(({ labels }) => labels).length]).toEqual([10, 18]);
    expect(stories.filter(({ archived }) => archived)).toEqual([]);
    expect(stories.filter(({ points }) => points !== null)).toEqual([]);
    expect(skipped).toEqual([]);
    expect(warnings.list().map(({ code, count }) => [code, count])).toEqual([
      ['template', 2],
      ['ignored_fields', expect.any(Number)],
    ]);
    expect(warnings.list()[1]?.examples).toContain('due (1)');
  });

  it('are read: 25 cards on 13 lists', async () => {
    const { stories } = await open('trello-sprint.json');
    expect(countBy(stories.map(({ status }) => status?.name))).toEqual({
      Done: 6,
      'Current Sprint': 5,
      'In Progress': 3,
      'Next-up': 4,
      'On Hold': 4,
      Questions: 3,
    });
    const labelled = stories.filter(({ labels }) => labels.length > 0);
    expect([labelled.length, labelled.flatMap(({ labels }) => labels).length]).toEqual([9, 11]);
  });
});
