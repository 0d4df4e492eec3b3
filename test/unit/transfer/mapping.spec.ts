import { setImmediate } from 'node:timers/promises';
import { mapSource } from '../../../src/transfer/import/mapping';
import type { Mapping } from '../../../src/transfer/import/import.dto';
import type { SourceFile, SourceSprint, SourceStory } from '../../../src/transfer/files/source';
import { Warnings } from '../../../src/transfer/files/source';

/** A Saturday. */
const NOW = new Date('2026-11-21T09:30:00Z');

let line = 1;
const story = (fields: Partial<SourceStory> = {}): SourceStory => ({
  line: (line += 1),
  external_id: `x:${line}`,
  title: 'A story',
  description: null,
  status: null,
  priority: null,
  points: null,
  assignee: null,
  labels: [],
  epic: null,
  sprints: [],
  done: null,
  archived: false,
  parent: null,
  tasks: [],
  ...fields,
});

const sprint = (fields: Partial<SourceSprint> = {}): SourceSprint => ({
  key: fields.name ?? 'S',
  external_id: null,
  name: 'S',
  goal: null,
  start: null,
  end: null,
  closed: false,
  completed: null,
  ...fields,
});

const done = { name: 'Done' };

beforeEach(() => (line = 1));

async function plan(
  source: Partial<SourceFile>,
  mapping: Mapping = {},
  { now = NOW, timeZone = 'UTC' } = {},
) {
  const { warnings, unmapped, ...rest } = await mapSource(
    {
      sprints: [],
      stories: [],
      skipped: [],
      warnings: new Warnings(),
      ...source,
    },
    mapping,
    { now, timeZone },
  );
  return { ...rest, warnings: warnings.list(), unmapped: Object.fromEntries(unmapped) };
}

/** Returns the value of one field of one story, and the codes of the warnings. */
async function field(
  fields: Partial<SourceStory>,
  name: 'title' | 'description' | 'points' | 'priority' | 'labels' | 'assignee' | 'external_id',
  mapping: Mapping = {},
) {
  const { stories, warnings } = await plan({ stories: [story(fields)] }, mapping);
  return [stories[0]?.[name], warnings.map(({ code }) => code)];
}

describe('a status', () => {
  it('is that of the mapping, else that of its category, else that of its name', async () => {
    const { stories, unmapped } = await plan(
      {
        stories: [
          story({ status: { name: ' IN review ', category: 'done' } }),
          story({ status: { name: '已完成', category: 'done' } }),
          story({ status: { name: 'Done', category: 'todo' } }),
          story({ status: { name: 'Doing' } }),
          story({ status: { name: 'On hold' } }),
          story({ status: { name: 'On hold ' } }),
          story(),
        ],
      },
      { status: { 'in Review': 'in_progress' } },
    );
    const statuses = ['in_progress', 'done', 'todo', 'in_progress', 'todo', 'todo', undefined];
    expect(stories.map(({ status }) => status)).toEqual(statuses);
    expect(unmapped).toEqual({ 'On hold': 2 });
  });

  it.each([
    ['todo', 'To Do, Open, Backlog, New, Selected for Development, Reopened, Triage, TODO'],
    [
      'todo',
      'Zu erledigen, Offen, Neu, Por hacer, Abierto, À faire, A FAIRE, Ouvert, A fazer, Aberto',
    ],
    ['in_progress', 'In Progress, in-progress, Doing, In Review, Code review, Testing'],
    ['in_progress', 'In Arbeit, In Bearbeitung, En curso, En progreso, En cours, Em andamento'],
    ['done', 'Done, Closed, Resolved, Canceled, Cancelled, Completed'],
    ['done', 'Done 🎉, ✅ Done, DONE!, [Closed], ✔️ Won’t do 🙅🏽‍♀️'],
    ['done', 'Fertig, Erledigt, Geschlossen, Hecho, Listo, Cerrado, Terminé(e), Fermé, Concluído'],
  ])('is %s for %s', async (status, names) => {
    const stories = names.split(', ').map((name) => story({ status: { name } }));
    const planned = await plan({ stories });
    expect(planned.unmapped).toEqual({});
    expect(new Set(planned.stories.map((planned) => planned.status))).toEqual(new Set([status]));
  });

  it('of a story that is not imported is not reported', async () => {
    const { unmapped } = await plan({
      stories: [story({ status: { name: 'X' }, archived: true })],
    });
    expect(unmapped).toEqual({});
  });
});

describe('a priority', () => {
  it.each([
    [1, 'Highest, Blocker, urgent, Höchste, Más alta, La plus élevée, Mais alta, 1, P1'],
    [1, 'P1-Immediate, P1 - Critical, 1 - Very high, p1: now'],
    [2, 'High, Critical, Hoch, Alta, Élevée, Haute, 2-Soon'],
    [3, 'Medium, Major, Mittel, Media, Moyenne, Média'],
    [4, 'Low, Minor, Niedrig, Baja, Faible, Baixa'],
    [5, 'Lowest, Trivial, Niedrigste, Más baja, La plus faible, Mais baixa'],
    [null, 'No priority, None, Keine'],
    [-7, '-7'],
    [0, '0'],
  ])('is %p for %s', async (number, names) => {
    for (const priority of names.split(', ')) {
      expect(await field({ priority }, 'priority')).toEqual([number, []]);
    }
  });

  it('is null with a warning for another name, unless the mapping has it', async () => {
    expect(await field({ priority: 'Soon' }, 'priority')).toEqual([null, ['priority_unknown']]);
    for (const priority of ['Priority 1', '1st', '2026-11-22', 'P1x', '12:30']) {
      expect(await field({ priority }, 'priority')).toEqual([null, ['priority_unknown']]);
    }
    expect(await field({ priority: '3000000000' }, 'priority')).toEqual([
      null,
      ['priority_unknown'],
    ]);
    const priority = { soon: 9, High: 20 };
    expect(await field({ priority: ' Soon' }, 'priority', { priority })).toEqual([9, []]);
    expect(await field({ priority: 'HIGH' }, 'priority', { priority })).toEqual([20, []]);
  });
});

describe('points', () => {
  it.each([
    ['5', 5],
    ['5.0', 5],
    [' 0.25 ', 0.25],
    ['1000', 1000],
    [8, 8],
    [0, 0],
    ['', null],
    ['1,5', 1.5],
    ['5,0', 5],
  ])('are read from %p', async (points, number) => {
    expect(await field({ points }, 'points')).toEqual([number, []]);
  });

  it.each(['-1', -1, '1001', '1000.01', '0.125', 1.005, '5 SP', '1e2', '0x10', '1.000,5', NaN])(
    'are null with a warning for %p',
    async (points) => {
      expect(await field({ points }, 'points')).toEqual([null, ['points_invalid']]);
    },
  );

  it('have a decimal comma only if no number of the file has a decimal point', async () => {
    const stories = ['1,5', '2.5', '3'].map((points) => story({ points }));
    const planned = await plan({ stories });
    expect(planned.stories.map(({ points }) => points)).toEqual([null, 2.5, 3]);
    expect(planned.warnings).toMatchObject([
      { code: 'points_invalid', examples: ['line 2: "1,5"'] },
    ]);
  });
});

describe('texts', () => {
  const emoji = '🚀';

  it.each([
    ['  Trim me ', 'Trim me', []],
    ['\u200BZero\u200B width', 'Zero width', ['characters_removed']],
    ['Ends with NUL\0', 'Ends with NUL', ['characters_removed']],
    ['Two\nlines\tand a tab', 'Two lines and a tab', ['characters_removed']],
    ['Bell\x07', 'Bell', ['characters_removed']],
    ['Half \ud83d a pair', 'Half \ufffd a pair', ['characters_removed']],
    ['Family 👨‍👩‍👧', 'Family 👨‍👩‍👧', []],
    [emoji.repeat(255), emoji.repeat(255), []],
    [emoji.repeat(256), emoji.repeat(255), ['title_cut']],
    ['x'.repeat(100_000), 'x'.repeat(255), ['title_cut']],
  ])('fit the limits of the title: %.20p', async (title, expected, codes) => {
    expect(await field({ title }, 'title')).toEqual([expected, codes]);
  });

  it('have a default for a blank title', async () => {
    expect(await field({ title: ' \u200B', external_id: 'jira:A-1' }, 'title')).toEqual([
      'jira:A-1',
      ['characters_removed', 'title_missing'],
    ]);
    expect(await field({ title: '', external_id: null }, 'title')).toEqual([
      'Untitled',
      ['no_external_id', 'title_missing'],
    ]);
    expect(await field({ title: '', external_id: `jira:\0${emoji.repeat(96)}` }, 'title')).toEqual([
      `jira:${emoji.repeat(95)}`,
      ['characters_removed', 'external_id_cut', 'title_missing'],
    ]);
  });

  it('fit the limits of the other fields', async () => {
    const description = `a\r\n\tb\0\n${emoji.repeat(32_767)}`;
    const [text, codes] = await field({ description }, 'description');
    expect(codes).toEqual(['characters_removed', 'description_cut']);
    expect(text).toBe(`a\r\n\tb\n${emoji.repeat(32_767 - 6)}`);
    expect(await field({ description: ' \n' }, 'description')).toEqual([null, []]);
    const assignee = 'y'.repeat(101);
    expect(await field({ assignee }, 'assignee')).toEqual(['y'.repeat(100), ['assignee_cut']]);
    expect(await field({ assignee: ' ' }, 'assignee')).toEqual([null, []]);
    expect(await field({ external_id: assignee }, 'external_id')).toEqual([
      'y'.repeat(100),
      ['external_id_cut'],
    ]);
  });

  it('of sprints fit the limits of their fields', async () => {
    const long = { name: 'n'.repeat(101), goal: 'g'.repeat(2001), external_id: 'i'.repeat(101) };
    const { sprints, warnings } = await plan({
      sprints: [sprint({ ...long, start: '2026-11-23' })],
    });
    expect(sprints).toEqual([
      expect.objectContaining({
        name: 'n'.repeat(100),
        goal: 'g'.repeat(2000),
        external_id: 'i'.repeat(100),
      }),
    ]);
    expect(warnings.map(({ code }) => code).sort()).toEqual([
      'external_id_cut',
      'sprint_goal_cut',
      'sprint_name_cut',
    ]);
  });
});

describe('labels', () => {
  it('are read fast, even if stories share long ones', async () => {
    const label = 'x'.repeat(10_000_000);
    const labels = Array.from({ length: 100_000 }, () => label);
    const stories = Array.from({ length: 1000 }, () => story({ labels: [label], epic: label }));
    const planned = await plan({ stories: [story({ labels }), ...stories] });
    expect(new Set(planned.stories.map((one) => String(one.labels)))).toEqual(
      new Set(['x'.repeat(50)]),
    );
  });

  it('of a story are read up to the thousandth', async () => {
    const labels = Array.from({ length: 1000 }, () => 'same');
    expect(await field({ labels: [...labels, 'other'] }, 'labels')).toEqual([['same'], []]);
  });

  it('are distinct, and follow that of the epic', async () => {
    const labels = ['b', ' a ', 'b', '', 'A', 'Epic'];
    expect(await field({ labels, epic: 'Epic' }, 'labels')).toEqual([['Epic', 'b', 'a', 'A'], []]);
  });

  it('are cut at 50 characters, and at most 20', async () => {
    const epic = '🚀'.repeat(51);
    expect(await field({ epic }, 'labels')).toEqual([['🚀'.repeat(50)], ['label_cut']]);
    const labels = Array.from({ length: 30 }, (_, i) => `l${i}`);
    const [kept, codes] = await field({ labels, epic: 'Epic' }, 'labels');
    expect(kept).toEqual(['Epic', ...labels.slice(0, 19)]);
    expect(codes).toEqual(['labels_dropped']);
  });
});

describe('rows', () => {
  it('with an id of an earlier row are skipped', async () => {
    const { stories, skipped } = await plan({
      stories: [story({ external_id: 'x', title: '1' }), story({ external_id: 'x', title: '2' })],
      skipped: [{ line: 9, code: 'pull_request', detail: '…' }],
    });
    expect(stories.map(({ title }) => title)).toEqual(['1']);
    expect(skipped).toEqual([
      { line: 3, code: 'duplicate', detail: 'x is in the file already' },
      { line: 9, code: 'pull_request', detail: '…' },
    ]);
  });

  it('without an id are all separate stories', async () => {
    const none = { external_id: null };
    const { stories, warnings } = await plan({ stories: [story(none), story(none)] });
    expect(stories.length).toBe(2);
    expect(warnings).toMatchObject([{ code: 'no_external_id', count: 2 }]);
  });

  it('that are archived are skipped with their sub-tasks, unless the mapping includes them', async () => {
    const stories = [
      story({ external_id: 'a', archived: true }),
      story({ external_id: 'b', parent: 'a' }),
    ];
    const skipping = await plan({ stories });
    expect(skipping.stories).toEqual([]);
    expect(skipping.skipped.map(({ line, code }) => [line, code])).toEqual([
      [2, 'archived'],
      [3, 'archived'],
    ]);
    const importing = await plan({ stories }, { archived: 'import' });
    expect(importing.stories.map(({ tasks }) => tasks?.length)).toEqual([1]);
    expect(importing.skipped).toEqual([]);
  });

  it('do not change fields that the file does not have', async () => {
    const lacks = { points: true, sprints: true, priority: true };
    const { stories } = await plan({ stories: [story()], lacks });
    expect(Object.keys(stories[0] ?? {}).sort()).toEqual([
      'assignee',
      'description',
      'done_at',
      'external_id',
      'labels',
      'line',
      'tasks',
      'title',
    ]);
  });
});

describe('sub-tasks', () => {
  const rows = () => [
    story({ external_id: 'child', parent: 'story', title: 'Child', status: done, points: 3 }),
    story({ external_id: 'story', title: 'Story' }),
    story({ external_id: 'grandchild', parent: 'child', title: 'Grandchild', assignee: 'Ann' }),
    story({ external_id: 'orphan', parent: 'gone', title: 'Orphan' }),
    story({ external_id: 'loop', parent: 'loop', title: 'Loop' }),
  ];

  it('become tasks of their story, or stories if it is missing', async () => {
    const { stories, warnings } = await plan({ stories: rows() });
    expect(stories.map(({ title }) => title)).toEqual(['Story', 'Orphan', 'Loop']);
    expect(stories[0]?.tasks).toEqual([
      {
        line: 2,
        external_id: 'child',
        title: 'Child',
        status: 'done',
        assignee: null,
        done_at: null,
      },
      {
        line: 4,
        external_id: 'grandchild',
        title: 'Grandchild',
        assignee: 'Ann',
        done_at: null,
      },
    ]);
    expect(warnings).toMatchObject([
      { code: 'parent_missing', count: 2 },
      { code: 'task_fields_dropped', examples: ['line 2: Child: a task has no points'] },
    ]);
  });

  it('belong to a sub-task that is a story, because its own story is missing', async () => {
    const { stories } = await plan({
      stories: [
        story({ external_id: 'a', parent: 'gone' }),
        story({ external_id: 'b', parent: 'a' }),
      ],
    });
    expect(stories.map(({ external_id, tasks }) => [external_id, tasks?.length])).toEqual([
      ['a', 1],
    ]);
  });

  it('become stories or are skipped if the mapping says so', async () => {
    const stories = await plan({ stories: rows() }, { subtasks: 'stories' });
    expect(stories.stories.length).toBe(5);
    expect(stories.warnings).toEqual([]);
    const skip = await plan({ stories: rows() }, { subtasks: 'skip' });
    expect(skip.stories.map(({ title }) => title)).toEqual(['Story']);
    expect(skip.skipped.map(({ line, code }) => [line, code])).toEqual([
      [7, 'subtask'],
      [9, 'subtask'],
      [10, 'subtask'],
      [11, 'subtask'],
    ]);
  });

  it('follow the checklist in the order of the file, up to 1,000', async () => {
    const task = (title: string) => ({
      line: 2,
      external_id: null,
      title,
      status: { name: 'done' },
      assignee: null,
      done: null,
    });
    const { stories, skipped } = await plan({
      stories: [
        story({ external_id: 's', tasks: Array.from({ length: 999 }, (_, i) => task(`${i}`)) }),
        story({ external_id: 'a', parent: 's', title: 'a' }),
        story({ external_id: 'b', parent: 's', title: 'b' }),
      ],
    });
    expect(stories[0]?.tasks?.slice(-2).map(({ title }) => title)).toEqual(['998', 'a']);
    expect(skipped).toMatchObject([{ line: 4, code: 'too_many_tasks' }]);
  });
});

describe('times of completion', () => {
  it('are those of the file, in the time zone of the mapping, else of the board', async () => {
    const stories = [story({ status: done, done: '10/Feb/26 2:51 PM' })];
    const at = async (mapping: Mapping) =>
      (await plan({ stories }, mapping, { timeZone: 'Asia/Tokyo' })).stories[0]?.done_at;
    expect(await at({})).toEqual(new Date('2026-02-10T05:51:00Z'));
    expect(await at({ time_zone: 'America/New_York' })).toEqual(new Date('2026-02-10T19:51:00Z'));
  });

  it('are null if the file has none or the story is not done', async () => {
    const { stories, warnings } = await plan({
      stories: [
        story({ status: done }),
        story({ status: done, done: 'yesterday' }),
        story({ status: { name: 'To do' }, done: '2026-02-10' }),
      ],
    });
    expect(stories.map(({ done_at }) => done_at)).toEqual([null, null, null]);
    expect(warnings).toMatchObject([
      { code: 'date_unreadable', examples: ['line 3: "yesterday"'] },
    ]);
  });

  it('may be later than now, so that a later import has the same ones', async () => {
    const { stories } = await plan({ stories: [story({ status: done, done: '2026-11-30' })] });
    expect(stories[0]?.done_at).toEqual(new Date('2026-11-30T23:59:59.999Z'));
  });

  it('affect the order of the dates only if they are used', async () => {
    const used = story({ status: done, done: '13/02/2026' });
    const unused = [
      story({ status: { name: 'Open' }, done: '02/13/2026' }),
      story({ status: done, done: '02/13/2026', archived: true }),
    ];
    const { stories } = await plan({ stories: [used, ...unused] });
    expect(stories[0]?.done_at).toEqual(new Date('2026-02-13T23:59:59.999Z'));
    const ambiguous = [story({ status: done, done: '01/02/2026' })];
    await expect(plan({ stories: ambiguous })).rejects.toMatchObject({ code: 'ambiguous_dates' });
    const decided = await plan({ stories: ambiguous }, { date_order: 'mdy' });
    expect(decided.stories[0]?.done_at).toEqual(new Date('2026-01-02T23:59:59.999Z'));
  });
});

describe('sprints', () => {
  const dates = (sprints: { name: string | null; start_date: string; end_date: string | null }[]) =>
    Object.fromEntries(sprints.map((s) => [s.name, [s.start_date, s.end_date]]));

  it('have the calendar dates of the time zone', async () => {
    const sprints = [sprint({ start: '2020-06-12T23:30:00Z', end: '2020-06-26', goal: ' ' })];
    const { sprints: planned, warnings } = await plan({ sprints }, { time_zone: 'Asia/Shanghai' });
    expect(planned).toEqual([
      {
        key: 'S',
        external_id: null,
        name: 'S',
        goal: null,
        start_date: '2020-06-13',
        end_date: '2020-06-26',
        completed_at: null,
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it('end on the day before that of the file if the tool writes the day after the end', async () => {
    const sprints = [
      sprint({
        start: 'Mon Feb 06 2023 05:00:00 GMT+0000 (GMT)',
        end: 'Mon Feb 20 2023 05:00:00 GMT+0000 (GMT)',
        endsBefore: true,
      }),
    ];
    for (const [timeZone, days] of [
      ['UTC', ['2023-02-06', '2023-02-19']],
      ['America/New_York', ['2023-02-06', '2023-02-19']],
    ] as const) {
      expect(dates((await plan({ sprints }, {}, { timeZone })).sprints)).toEqual({ S: days });
    }
  });

  it('without dates get those of the mapping', async () => {
    const given = {
      ' one': { start_date: '2026-03-02', end_date: '2026-03-13' },
      Two: { start_date: '2026-04-01' },
    };
    const { sprints, warnings, mapping } = await plan(
      { sprints: [sprint({ name: 'One' }), sprint({ name: 'Two', start: '2026-01-05' })] },
      { sprints: given },
    );
    expect(mapping?.sprints).toEqual(given);
    expect(dates(sprints)).toEqual({
      One: ['2026-03-02', '2026-03-13'],
      Two: ['2026-01-05', null],
    });
    expect(warnings).toEqual([]);
  });

  it('get the dates of the mapping by the names of the file, and by those on the board', async () => {
    const [first, second] = ['😀', '\u200b'].map((start) => start + 'long '.repeat(30));
    const source = { sprints: [sprint({ name: first }), sprint({ name: second })] };
    const given = { start_date: '2026-03-02', end_date: '2026-03-13' };
    const { sprints, warnings } = await plan(source);
    for (const names of [[first, second], sprints.map(({ name }) => name)]) {
      const mapping = { sprints: Object.fromEntries(names.map((name) => [name, given])) };
      const again = await plan(source, mapping);
      expect(again.sprints).toEqual(
        sprints.map(({ assumed: _, follows: _follows, ...planned }) => ({ ...planned, ...given })),
      );
      expect(again.warnings).toEqual(warnings);
    }
  });

  it.each([
    ['2026-11-21T09:30:00Z', 'UTC', '2026-11-23'],
    // On a Monday they begin on the next one.
    ['2026-11-23T09:30:00Z', 'UTC', '2026-11-30'],
    ['2026-11-22T23:30:00Z', 'Asia/Tokyo', '2026-11-30'],
    ['2026-11-22T23:30:00Z', 'UTC', '2026-11-23'],
  ])('without dates are consecutive from next Monday: %s in %s', async (now, timeZone, first) => {
    const names = ['Sprint 10', 'Sprint 2', 'Sprint 1'];
    const { sprints } = await plan(
      { stories: names.map((name) => story({ sprints: [name] })) },
      {},
      { now: new Date(now), timeZone },
    );
    const day = (days: number) =>
      new Date(Date.parse(first) + days * 86_400_000).toISOString().slice(0, 10);
    expect(dates(sprints)).toEqual({
      'Sprint 1': [day(0), day(13)],
      'Sprint 2': [day(14), day(27)],
      'Sprint 10': [day(28), day(41)],
    });
    expect(sprints.every((planned) => planned.assumed)).toBe(true);
  });

  it.each([
    ['of the file', (names: string[]) => ({ sprints: names.map((name) => sprint({ name })) })],
    ['of stories', (names: string[]) => ({ stories: [story({ sprints: names })] })],
  ])('may be 2,000 %s, but no more', async (_, source) => {
    const names = Array.from({ length: 2001 }, (_, i) => `Sprint ${i}`);
    expect((await plan(source(names.slice(1)))).sprints.length).toBe(2000);
    await expect(plan(source(names))).rejects.toThrow(
      'The file has more than 2000 sprints; split it.',
    );
  });

  it('that are completed and have no dates are before this week', async () => {
    const { sprints } = await plan({
      sprints: [1, 2].map((n) => sprint({ name: `S${n}`, closed: true })),
    });
    expect(dates(sprints)).toEqual({
      S1: ['2026-10-19', '2026-11-01'],
      S2: ['2026-11-02', '2026-11-15'],
    });
    expect(sprints[1]?.completed_at).toEqual(new Date('2026-11-15T23:59:59.999Z'));
  });

  it.each([
    ['completed', { closed: true }, 2000, '1030-06-01'],
    ['open', {}, 2000, '9960-06-01'],
    ['open with an early end', { end: '1000-01-05' }, 1],
    ['open with the earliest end', { start: '1000-01-01', end: '1000-01-01', endsBefore: true }, 1],
    ['open with the latest start', { start: '9999-12-31T20:00:00Z' }, 1],
    ['open with the earliest start', { start: '1000-01-01T00:00:00+08:00' }, 1],
  ])(
    'begin and end in the years 1000 to 9999: %s',
    async (_, fields, count, today = '2026-11-21') => {
      const names = Array.from({ length: count }, (_, i) => `S${i}`);
      const { sprints } = await plan(
        { sprints: names.map((name) => sprint({ name, ...fields })) },
        {},
        { now: new Date(today), timeZone: 'Asia/Tokyo' },
      );
      const days = sprints.flatMap(({ start_date, end_date }) => [
        start_date,
        end_date ?? start_date,
      ]);
      expect(days.filter((day) => !/^[1-9]\d{3}-\d\d-\d\d$/.test(day))).toEqual([]);
    },
  );

  it.each([
    ['the time of the file', '2026-02-13', '2026-02-12T10:00:00Z', '2026-02-12T10:00:00.000Z'],
    ['the end of its last day', '2026-02-13', null, '2026-02-13T22:59:59.999Z'],
    ['the end of its last day', '2026-02-13', 'lately', '2026-02-13T22:59:59.999Z'],
    ['the end of its last day', '2026-02-13', '2026-02-01T10:00:00Z', '2026-02-13T22:59:59.999Z'],
    ['now', '2026-12-31', null, '2026-11-21T09:30:00.000Z'],
    ['now', '9999-12-31', null, '2026-11-21T09:30:00.000Z'],
    ['now', '2026-02-13', '2027-01-01', '2026-11-21T09:30:00.000Z'],
    ['two weeks after its start', null, null, '2026-02-15T22:59:59.999Z'],
  ])('are completed at %s', async (_, end, completed, at) => {
    const sprints = [sprint({ start: '2026-02-02', end, completed, closed: true })];
    const planned = await plan({ sprints }, {}, { timeZone: 'Europe/Berlin' });
    expect(planned.sprints[0]?.completed_at?.toISOString()).toBe(at);
  });

  it('that close by date are completed if they have ended without open stories', async () => {
    const make = (name: string, end: string) =>
      sprint({ name, start: '2026-01-05', end, closesItself: true });
    const { sprints } = await plan({
      sprints: [make('past', '2026-01-18'), make('open', '2026-01-18'), make('now', '2026-11-21')],
      stories: [
        story({ sprints: ['open', 'past'], status: done }),
        story({ sprints: ['past', 'open'], status: { name: 'Doing' } }),
      ],
    });
    expect(sprints.map(({ completed_at }) => completed_at?.toISOString())).toEqual([
      '2026-01-18T23:59:59.999Z',
      undefined,
      undefined,
    ]);
  });

  it('with impossible dates cause a warning', async () => {
    const { sprints, warnings } = await plan({
      sprints: [
        sprint({ name: 'backwards', start: '2026-02-13', end: '2026-02-02' }),
        sprint({ name: 'ancient', start: '0026-02-13', end: null }),
        sprint({ name: 'future', start: '2027-02-01', closed: true }),
        sprint({ name: 'only an end', end: '2026-02-15' }),
      ],
      stories: [story({ status: { name: 'Doing' }, sprints: ['future'] })],
    });
    expect(dates(sprints)).toEqual({
      backwards: ['2026-02-13', null],
      ancient: ['2026-11-23', '2026-12-06'],
      future: ['2027-02-01', null],
      'only an end': ['2026-02-02', '2026-02-15'],
    });
    expect(sprints.map(({ completed_at }) => completed_at)).toEqual([null, null, null, null]);
    expect(warnings.map(({ code, count }) => [code, count])).toEqual([
      ['sprint_dates_invalid', 2],
      ['date_unreadable', 1],
    ]);
  });

  it('of a story are ordered: completed ones by completion, then the last open one', async () => {
    const closed = (name: string, start: string) =>
      sprint({ name, start, end: start, closed: true });
    const { stories, warnings } = await plan({
      sprints: [
        sprint({ name: 'open 1', start: '2026-11-02' }),
        closed('second', '2026-02-02'),
        closed('first', '2026-01-05'),
      ],
      stories: [
        story({ sprints: ['open 1', 'second', 'first', 'first', 'new'] }),
        story({ sprints: ['second', 'first'] }),
        story({ sprints: [] }),
      ],
    });
    expect(stories.map(({ sprints }) => sprints)).toEqual([
      ['first', 'second', 'new'],
      ['first', 'second'],
      [],
    ]);
    expect(warnings.map(({ code }) => code)).toContain('open_in_completed_sprint');
  });
});

it('maps long names in little time', async () => {
  const long = `a${'\u0301\u0323'.repeat(500_000)}`;
  const { stories, unmapped } = await plan({
    stories: [
      story({
        title: long,
        status: { name: long },
        priority: long,
        points: long,
        labels: [long],
        epic: long,
        sprints: [long, `${long}2`],
      }),
      story({ status: done, done: `1/2/2026${long}` }),
    ],
  });
  expect(stories.length).toBe(2);
  expect(Object.keys(unmapped)[0]?.length).toBe(255);
});

it('returns a mapping that results in the same plan', async () => {
  const source = (): Partial<SourceFile> => ({
    columns: { Name: 'title', Points: 'points', Odd: null, Parent: 'parent', Epic: 'parent' },
    stories: [
      story({ status: { name: 'Blocked' }, sprints: ['S 1'], priority: 'High' }),
      story({ status: { name: 'Both', category: 'done' }, done: '13/01/2026', priority: 'None' }),
      story({ status: { name: 'Both', category: 'todo' } }),
    ],
  });
  const first = await plan(source());
  expect(first.mapping).toEqual({
    columns: { title: 'Name', points: 'Points' },
    status: { Blocked: 'todo' },
    priority: { High: 2 },
    sprints: {},
    date_order: 'dmy',
    time_zone: 'UTC',
    subtasks: 'tasks',
    archived: 'skip',
  });
  expect(first.warnings).toEqual([{ code: 'unknown_column', count: 1, examples: ['Odd'] }]);
  line = 1;
  const second = await plan(source(), first.mapping);
  expect(second.stories).toEqual(first.stories);
  expect(second.unmapped).toEqual({});
});

it('returns no status that became several ones, whether its name is in upper or in lower case', async () => {
  // Each project of Jira may have its own statuses.
  const stories = [
    story({ status: { name: 'In Review', category: 'in_progress' } }),
    story({ status: { name: 'In review', category: 'done' } }),
    story({ status: { name: 'DONE', category: 'done' } }),
    story({ status: { name: 'Done', category: 'done' } }),
  ];
  const first = await plan({ stories });
  const second = await plan({ stories }, first.mapping);
  expect(second.stories).toEqual(first.stories);
  expect(second.mapping).toEqual(first.mapping);
  expect(first.mapping?.status).toEqual({ DONE: 'done' });
});

it('returns the columns of the request if the file is no table', async () => {
  const mapping = { columns: { points: 'Complexity' } };
  expect((await plan({ stories: [story()] }, mapping)).mapping).toMatchObject(mapping);
});

it('warns of open stories in a completed sprint only if they are still in it', async () => {
  const closed = sprint({ name: 'Old', start: '2026-01-05', end: '2026-01-16', closed: true });
  const now = sprint({ name: 'Now', start: '2026-11-16' });
  const codesOf = async (sprints: string[]): Promise<string[]> => {
    const { warnings } = await plan({ sprints: [closed, now], stories: [story({ sprints })] });
    return warnings.map(({ code }) => code);
  };
  expect(await codesOf(['Now', 'Old'])).not.toContain('open_in_completed_sprint');
  expect(await codesOf(['Old'])).toContain('open_in_completed_sprint');
});

it('lets other requests run while it maps many stories', async () => {
  const stories = Array.from({ length: 20_000 }, (_, i) =>
    story({
      external_id: `jira:A-${i}`,
      status: done,
      done: `${(i % 28) + 1}/Feb/26 ${(i % 12) + 1}:${10 + (i % 50)} PM`,
      sprints: [`Sprint ${i % 1000}`],
      parent: i % 4 === 0 ? null : `jira:A-${i - (i % 4)}`,
    }),
  );
  let finished = false;
  const planned = plan({ stories }).finally(() => (finished = true));
  let turns = 0;
  for (; !finished; turns += 1) await setImmediate();
  expect((await planned).stories.length).toBe(5000);
  // It pauses every 10 ms.
  expect(turns).toBeGreaterThan(20);
});
