import { createReadStream } from 'node:fs';
import { jiraCsv } from '../../../src/transfer/formats/jira-csv';
import type { Mapping } from '../../../src/transfer/import/import.dto';
import type { PlannedStory } from '../../../src/transfer/import/plan';
import { published, withPublished } from '../../support/published';
import { counts, planOf } from './plan-of';

const FILE = `Summary,Issue key,Issue id,Issue Type,Status,Priority,Assignee,Resolved,Description,Labels,Labels,Sprint,Sprint,Custom field (Rank),Custom field (Story Points),Parent,Parent summary,Status Category,Comment
Sign in,SHOP-3,103,Story,Deployed,High,Ann,10/Feb/26 2:51 PM,"Two
lines",web,api,Sprint 9,Sprint 10,0|i0002:,5.0,101,Accounts,Done,
Accounts,SHOP-1,101,Epic,To Do,Medium,,,,,,,,0|i0000:,,,,To Do,
Show an error,SHOP-4,104,Sub-task,To Do,Medium,Bob,,,,,Sprint 10,,0|i0003:,,103,Sign in,To Do,
Sign out,SHOP-2,102,Bug,In Progress,Low,,,,web,,Sprint 10,,0|i0001:,3.5,101,Accounts,In Progress,a note
`;

const read = (file: string, mapping: Mapping = {}) => planOf(jiraCsv, file, mapping);

const brief = ({ external_id, title, status, points, labels, sprints, tasks }: PlannedStory) => ({
  external_id,
  title,
  status,
  points,
  labels,
  sprints,
  tasks: tasks?.map((task) => [task.external_id, task.title, task.status, task.assignee]),
});

const SIGN_OUT = {
  external_id: 'jira:SHOP-2',
  title: 'Sign out',
  status: 'in_progress',
  points: 3.5,
  labels: ['Accounts', 'web'],
  sprints: ['Sprint 10'],
  tasks: [],
};
const SIGN_IN = {
  external_id: 'jira:SHOP-3',
  title: 'Sign in',
  status: 'done',
  points: 5,
  labels: ['Accounts', 'web', 'api'],
  sprints: ['Sprint 10'],
  tasks: [['jira:SHOP-4', 'Show an error', 'todo', 'Bob']],
};

describe('a Jira CSV export', () => {
  it('has stories by rank, epics as labels, sub-tasks as tasks, the last sprint', async () => {
    const plan = await read(FILE);
    expect(plan.stories.map(brief)).toEqual([SIGN_OUT, SIGN_IN]);
    expect(plan.stories[1]).toMatchObject({
      line: 2,
      description: 'Two\nlines',
      priority: 2,
      assignee: 'Ann',
      done_at: new Date('2026-02-10T14:51:00Z'),
    });
    expect(
      plan.sprints.map(({ name, start_date, assumed }) => [name, start_date, assumed]),
    ).toEqual([
      ['Sprint 9', '2026-11-23', true],
      ['Sprint 10', '2026-12-07', true],
    ]);
    expect(plan.skipped).toEqual([
      {
        line: 4,
        code: 'epic',
        detail: 'SHOP-1 is an epic; its stories have the label "Accounts"',
      },
    ]);
    expect(plan.unmapped.size).toBe(0);
    expect(plan.codes).toEqual({ unknown_column: 1 });
  });

  it.each([
    [
      'German',
      'Zusammenfassung;Vorgangsschlüssel;Vorgangs-ID;Vorgangstyp;Status;Priorität;Zugewiesene Person;Erledigt;Stichwörter;Sprint;Benutzerdefinierte Felder (Story Points);Übergeordnet;Statuskategorie',
      ['Epic', 'Unteraufgabe', 'Fertig', 'Hoch', '10/Mrz/26 2:51 PM'],
    ],
    [
      'Spanish',
      'Resumen;Clave de incidencia;ID de la incidencia;Tipo de Incidencia;Estado;Prioridad;Persona asignada;Resuelta;Etiquetas;Sprint;Campo personalizado (Story point estimate);Principal;Categoría de estado',
      ['Épica', 'Subtarea', 'Listo', 'Alta', '10/mar/26 2:51 PM'],
    ],
    [
      'French',
      'Résumé;Clé de ticket;ID de ticket;Type de ticket;État;Priorité;Personne assignée;Résolue;Étiquettes;Sprint;Champs personnalisés (Story Points);Clé parent;Catégorie d’état'.replace(
        '’',
        "'",
      ),
      ['Epic', 'Sous-tâche', 'Terminé(e)', 'Haute', '10/mars/26 14:51'],
    ],
    [
      'Portuguese',
      'Resumo;Chave da item;ID da item;Tipo de item;Status;Prioridade;Responsável;Resolvido;Categorias;Sprint;Campo personalizado (Story Points);Chave pai;Categoria do status',
      ['Épico', 'Subtarefa', 'Itens concluídos', 'Alta', '10/mar/26 2:51 PM'],
    ],
  ])('is read with %s headers', async (_, header, [epic, subtask, done, high, resolved]) => {
    const plan = await read(
      [
        header,
        `Konto;A-1;1;${epic};X;;;;;;;;`,
        `Login;A-2;2;Story;Y;${high};Ann;${resolved};web;S 1;5,5;A-1;${done}`,
        `Test;A-3;3;${subtask};Y;;Bob;;;;;2;${done}`,
        `Menu;A-4;4;Bug;Y;;;;;;3;;`,
      ].join('\r\n'),
    );
    expect(plan.codes).toEqual({});
    expect(plan.stories.map(brief)).toEqual([
      {
        external_id: 'jira:A-2',
        title: 'Login',
        status: 'done',
        points: 5.5,
        labels: ['Konto', 'web'],
        sprints: ['S 1'],
        tasks: [['jira:A-3', 'Test', 'done', 'Bob']],
      },
      {
        external_id: 'jira:A-4',
        title: 'Menu',
        status: 'todo',
        points: 3,
        labels: [],
        sprints: [],
        tasks: [],
      },
    ]);
    expect(plan.stories[0]).toMatchObject({
      priority: 2,
      assignee: 'Ann',
      done_at: new Date('2026-03-10T14:51:00Z'),
    });
    expect(Object.fromEntries(plan.unmapped)).toEqual({ Y: 1 });
  });

  it('is read with either kind of apostrophe, and with the technical tasks of old versions', async () => {
    for (const apostrophe of ["'", '’']) {
      const { stories, unmapped } = await read(
        `Résumé,Clé de ticket,Type de ticket,État,Catégorie d${apostrophe}état,Clé parent\n` +
          'Un,A-1,Story,Livré,Terminé,\nDeux,A-2,Technical task,Livré,Terminé,A-1\n',
      );
      expect(stories.map(brief)).toMatchObject([
        { status: 'done', tasks: [['jira:A-2', 'Deux', 'done', undefined]] },
      ]);
      expect(unmapped.size).toBe(0);
    }
  });

  it('is read with sprints as old versions write them', async () => {
    const sprint = (fields: string) =>
      `"com.atlassian.greenhopper.service.sprint.Sprint@1f3[${fields}]"`;
    const closed =
      'id=7,rapidViewId=8,state=CLOSED,name=Alpha, beta [=],startDate=2026-01-05T09:00:00.000Z,' +
      'endDate=2026-01-16T17:00:00.000Z,completeDate=2026-01-19T08:30:00.000Z,activatedDate=<null>,sequence=7,goal=';
    const open =
      'id=9,rapidViewId=8,state=FUTURE,name=Later,startDate=<null>,endDate=<null>,completeDate=<null>,goal=Ship, then rest';
    const plan = await read(
      `Summary,Issue key,Status,Sprint,Sprint\nOne,A-1,Done,${sprint(closed)},${sprint(open)}\n`,
    );
    expect(plan.sprints).toEqual([
      {
        key: 'id:7',
        external_id: 'jira:sprint:7',
        name: 'Alpha, beta [=]',
        goal: null,
        start_date: '2026-01-05',
        end_date: '2026-01-16',
        completed_at: new Date('2026-01-19T08:30:00Z'),
      },
      {
        key: 'id:9',
        external_id: 'jira:sprint:9',
        name: 'Later',
        goal: 'Ship, then rest',
        start_date: '2026-11-23',
        end_date: '2026-12-06',
        assumed: true,
        follows: true,
        completed_at: null,
      },
    ]);
    expect(plan.stories[0]?.sprints).toEqual(['id:7', 'id:9']);
  });

  it.each([
    ['the epic link', 'Custom field (Epic Link)', 'A-1'],
    ['the parent by its key', 'Parent key', 'A-1'],
    ['the parent by its id', 'Parent id', '1'],
  ])('finds the epic by %s, and prefers its short name', async (_, column, value) => {
    const plan = await read(
      `Summary,Issue key,Issue id,Issue Type,Custom field (Epic Name),${column}\n` +
        `Long title,A-1,1,Epic,Short,\nStory,A-2,2,Story,,${value}\n`,
    );
    expect(plan.stories.map(({ labels }) => labels)).toEqual([['Short']]);
  });

  it("does not take a team's own custom field for a field of Jira", async () => {
    const own = ['Attribution', 'Description', 'Label', 'Resolved', 'Status', 'Parent'];
    const plan = await read(
      `Summary,Issue key,Status,${own.map((name) => `Custom field (${name})`).join()}\n` +
        'One,A-1,Done,Marketing,text,zz,2020-01-01,Open,A-9\n',
    );
    expect(plan.codes).toEqual({ unknown_column: own.length });
    expect(plan.stories).toMatchObject([{ title: 'One', status: 'done', done_at: null }]);
    expect(plan.stories[0]).not.toHaveProperty('labels');
    expect(plan.stories[0]).not.toHaveProperty('assignee');
  });

  it('names an epic that is not in the file by its title, else by its key', async () => {
    const plan = await read(
      'Summary,Issue key,Issue Type,Parent,Parent summary\nOne,A-2,Story,A-1,Accounts\nTwo,A-3,Story,A-9,\n',
    );
    expect(plan.stories.map(({ labels }) => labels)).toEqual([['Accounts'], ['A-9']]);
    expect(plan.codes).toEqual({ epic_missing: 1 });
  });

  it('names an epic that is not in the file by its key rather than by its id', async () => {
    const plan = await read(
      'Summary,Issue key,Issue id,Issue Type,Parent,Parent key\nOne,S-1,101,Story,100,E-1\n',
    );
    expect(plan.stories.map(({ labels }) => labels)).toEqual([['E-1']]);
  });

  it('reads an issue that is the parent of stories as an epic, whatever its type', async () => {
    const plan = await read(
      'Summary,Issue key,Issue Type,Parent\nBig,A-1,Feature,\nSmall,A-2,Story,A-1\nAlone,A-3,Feature,\n',
    );
    expect(plan.stories.map(({ title, labels }) => [title, labels])).toEqual([
      ['Small', ['Big']],
      ['Alone', []],
    ]);
  });

  it('keeps a story whose parent is a story, and a sub-task of an epic', async () => {
    const plan = await read(
      'Summary,Issue key,Issue Type,Parent\nE,A-1,Epic,\nS,A-2,Story,A-1\nT,A-3,Task,A-2\nU,A-4,Sub-task,A-1\n',
    );
    expect(plan.stories.map(({ title, labels }) => [title, labels])).toEqual([
      ['S', ['E']],
      ['T', []],
      ['U', ['E']],
    ]);
    expect(plan.codes.parent_ignored).toBe(1);
  });

  it.each(['Parent', 'Parent summary'])(
    'leaves the labels as they are if the column %s has only the stories of sub-tasks',
    async (column) => {
      const plan = await read(
        `Summary,Issue key,Issue Type,Parent key,${column}\nS,A-1,Story,,\nT,A-2,Sub-task,A-1,S\n`,
      );
      expect(plan.stories).toMatchObject([{ title: 'S', tasks: [{ title: 'T' }] }]);
      expect(plan.stories[0]).not.toHaveProperty('labels');
    },
  );

  it('turns sub-tasks into stories if no column names their stories', async () => {
    const plan = await read('Resumen,Clave,Tipo de Incidencia\nS,A-1,Historia\nT,A-2,Subtarea\n');
    expect(plan.stories.map(({ title }) => title)).toEqual(['S', 'T']);
    expect(plan.warnings.list().find(({ code }) => code === 'parent_missing')?.examples).toEqual([
      'line 3: "T" is a sub-task, but its story is not in the file',
    ]);
  });

  it('reads points from every column that has them', async () => {
    const plan = await read(
      'Summary,Issue key,Custom field (Story Points),Custom field (Story point estimate)\n' +
        'A,A-1,,5.0\nB,A-2,3.0,\nC,A-3,2.0,2.0\nD,A-4,1.0,8.0\nE,A-5,,\n',
    );
    expect(plan.stories.map(({ points }) => points)).toEqual([5, 3, 2, 1, null]);
    expect(plan.codes).toEqual({ points_differ: 1 });
  });

  it.each([
    ['Story Points', 5],
    ['Custom field (Story Points (SP))', 5],
    ['Custom field (Dev Story Points)', 5],
    ['Benutzerdefinierte Felder (Story Point-Schätzung)', 5],
    ['Campo personalizado (Estimación de Story Points)', 5],
    ['Custom field (Original story points)', undefined],
    ['Custom field (Story Points Completed)', undefined],
    ['Custom field (Size)', undefined],
  ])('reads points from %s: %p', async (column, points) => {
    const plan = await read(`Summary,Issue key,${column}\nOne,A-1,5\n`);
    expect(plan.stories[0]?.points).toBe(points);
  });

  it('is read according to the mapping', async () => {
    const mapping: Mapping = { columns: { points: 'custom field (SIZE)', title: 'Name' } };
    const file =
      'Name,Summary,Issue key,Custom field (Size),Custom field (Story Points)\nOurs,Theirs,A-1,8,1\n';
    const plan = await read(file, mapping);
    expect(plan.stories[0]).toMatchObject({ title: 'Ours', points: 8 });
    expect(plan.mapping?.columns).toEqual({
      title: 'Name',
      external_id: 'Issue key',
      points: 'Custom field (Size)',
    });
    await expect(read(file, { columns: { points: 'Effort' } })).rejects.toThrow(
      'The file has no column Effort; it has Name, Summary,',
    );
    await expect(read(file, { columns: { size: 'Name' } })).rejects.toThrow(
      /The mapping has unknown fields: size; the fields are external_id, id, title/,
    );
  });

  it('does not change fields without a column', async () => {
    const plan = await read('Summary,Issue key\nOne,A-1\n');
    expect(Object.keys(plan.stories[0] ?? {}).sort()).toEqual([
      'done_at',
      'external_id',
      'line',
      'tasks',
      'title',
    ]);
  });

  it('detects the order of day and month from columns that are not imported, if the imported ones are ambiguous', async () => {
    const rows = (created: string) =>
      `Summary,Issue key,Status,Created,Resolved\nOne,A-1,Done,${created},6/7/2026 9:00\n` +
      'Two,A-2,To Do,,\n';
    const { stories, mapping, codes } = await read(rows('6/21/2026 16:14'));
    expect(stories[0]?.done_at).toEqual(new Date('2026-06-07T09:00:00Z'));
    expect(mapping).toMatchObject({ date_order: 'mdy' });
    expect(codes).toEqual({ unknown_column: 1 });
    const german = rows('21.6.2026 16:14').replace('Created', 'Erstellt');
    expect((await read(german)).stories[0]?.done_at).toEqual(new Date('2026-07-06T09:00:00Z'));
    for (const created of ['6/5/2026 16:14', '', 'never', '21/6/2026,6/21/2026']) {
      const file = rows(created).replace(
        'Created',
        created.includes(',') ? 'Created,Updated' : 'Created',
      );
      await expect(read(file)).rejects.toMatchObject({ code: 'ambiguous_dates' });
    }
  });

  it('is rejected without a title', async () => {
    await expect(read('Issue key,Status\nA-1,Done\n')).rejects.toThrow(/no column for the title/);
  });

  it('has the same plan with the returned mapping', async () => {
    const first = await read(FILE);
    const second = await read(FILE, first.mapping);
    expect(second.stories).toEqual(first.stories);
    expect(second.mapping).toMatchObject({ columns: first.mapping?.columns });
  });
});

withPublished('exports/jira-en.csv')('a real Jira CSV export', () => {
  it('has the stories, points, sprints and labels that were counted in it', async () => {
    const plan = await planOf(jiraCsv, createReadStream(published('exports/jira-en.csv')));
    const { stories } = plan;
    expect(stories.length).toBe(36);
    expect(plan.skipped.map(({ code }) => code)).toEqual(Array<string>(9).fill('epic'));
    expect(counts(stories.map(({ points }) => points))).toEqual({ 5: 22, 8: 9, 3: 4, 13: 1 });
    expect(counts(stories.map(({ sprints }) => sprints?.join()))).toEqual({
      'TB1 Sprint 1': 13,
      'TB1 Sprint 2': 12,
      'TB1 Sprint 3': 11,
    });
    expect(counts(stories.map(({ status }) => status))).toEqual({ todo: 36 });
    expect(new Set(stories.map(({ priority }) => priority))).toEqual(new Set([1, 2, 3]));
    expect(stories.filter(({ assignee }) => assignee !== null).length).toBe(24);
    expect(new Set(stories.flatMap(({ assignee }) => assignee ?? [])).size).toBe(4);
    expect(new Set(stories.map(({ labels }) => labels?.length))).toEqual(new Set([1]));
    expect(new Set(stories.flatMap(({ labels }) => labels)).size).toBe(9);
    expect(plan.codes).toEqual({ unknown_column: 34, label_cut: 7 });
    expect(plan.sprints.map(({ assumed }) => assumed)).toEqual([true, true, true]);
    expect(plan.unmapped.size).toBe(0);
  });
});
