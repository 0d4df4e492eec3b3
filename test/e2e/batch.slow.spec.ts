import { startApp, useApp } from '../support/app';
import type { Answer, CallOptions, Client } from '../support/client';
import { fingerprint, shownBoard } from '../support/fingerprint';
import { boardPath, eventsOf, freshName, made2xx, Workspace } from '../support/make';
import { errorsOf, expectErrors, expectProblem } from '../support/problems';
import { inOrder, replay } from '../support/replay';

const NOW = '2026-11-21T12:00:00.000Z';

const service = useApp();
let client: Client;
beforeAll(() => {
  client = service.client;
});
beforeEach(() => service.clock.set(NOW));

const batch = (
  board: string | Workspace,
  operations: unknown,
  rest: object = {},
  options?: CallOptions,
): Promise<Answer> => {
  const path = typeof board === 'string' ? boardPath(board) : board.path;
  return client.post(`${path}/batch`, { operations, ...rest }, options);
};

const story = (title: string, set: object = {}, as?: string) => ({
  op: 'create',
  type: 'story',
  ...(as !== undefined && { as }),
  set: { title, ...set },
});

/** Creates a board with a current sprint of two stories, one of them with a task, and one story in the backlog. */
async function filled() {
  const board = await Workspace.create(client);
  const sprint = await board.sprint('2026-11-16', { end_date: '2026-11-29' });
  const first = await board.story(sprint, { title: 'First' });
  const second = await board.story(sprint, { title: 'Second', external_id: 'TWO' });
  const waiting = await board.story(null, { title: 'Waiting' });
  const task = await board.task(first);
  return { board, sprint, first, second, waiting, task };
}

/** Returns a body with new ids replaced by the position of the created resource. */
function withoutIds(body: any): unknown {
  const created = body.results.filter(({ op }: any) => op === 'create').map(({ id }: any) => id);
  return JSON.parse(JSON.stringify(body), (_, value) =>
    created.includes(value) ? `created ${created.indexOf(value)}` : value,
  );
}

describe('the operations of a batch', () => {
  it('have the results and the events of single requests', async () => {
    const apps = [await startApp(), await startApp()] as const;
    try {
      for (const { clock } of apps) clock.set(NOW);
      const [one, all] = apps.map(({ client }) => client) as [Client, Client];
      const path = '/api/boards/Same';
      const sent: [method: string, path: string, body: object | undefined, operation: object][] = [
        [
          'POST',
          `${path}/sprints`,
          { start_date: '2026-11-16', end_date: '2026-11-29', external_id: 'S' },
          { op: 'create', type: 'sprint', as: 'now' },
        ],
        [
          'POST',
          `${path}/sprints`,
          { start_date: '2026-11-30', name: 'Next' },
          { op: 'create', type: 'sprint', as: 'later' },
        ],
        [
          'POST',
          `${path}/backlog`,
          { title: 'Waiting', points: 2.5, labels: ['b', 'a'], external_id: 'W' },
          { op: 'create', type: 'story', as: 'waiting' },
        ],
        [
          'POST',
          '/api/sprints/1/stories',
          { title: 'By id', status: 'done' },
          { op: 'create', type: 'story', as: 'done', set: { sprint_id: '$now' } },
        ],
        [
          'POST',
          `${path}/sprints/current/stories`,
          { title: 'By word', seq: 1 },
          { op: 'create', type: 'story', as: 'word', set: { sprint_id: 'current' } },
        ],
        [
          'POST',
          '/api/stories/3/tasks',
          { title: 'A task', status: 'in_progress' },
          { op: 'create', type: 'task', as: 'task', set: { story_id: '$word' } },
        ],
        ['PUT', '/api/tasks/1', { status: 'done' }, { op: 'update', type: 'task', id: '$task' }],
        [
          'PUT',
          '/api/stories/1',
          { sprint_id: 1, points: 3, version: 1 },
          { op: 'update', type: 'story', id: '$waiting', set: { sprint_id: '$now' } },
        ],
        ['PUT', '/api/stories/1', { points: 3 }, { op: 'update', type: 'story', id: '$waiting' }],
        ['PUT', '/api/sprints/2', { goal: 'Pay' }, { op: 'update', type: 'sprint', id: '$later' }],
        [
          'POST',
          '/api/stories/3/move',
          { position: { before: 1 } },
          { op: 'move', type: 'story', id: '$word', set: { position: { before: '$waiting' } } },
        ],
        [
          'POST',
          '/api/stories/2/move',
          { sprint_id: 1, position: 'first' },
          { op: 'move', type: 'story', id: '$done', set: { sprint_id: '$now' } },
        ],
        ['POST', '/api/sprints/1/start', undefined, { op: 'start', type: 'sprint', id: '$now' }],
        [
          'POST',
          `${path}/sprints/current/complete`,
          { unfinished: 2 },
          { op: 'complete', type: 'sprint', id: 'current', set: { unfinished: '$later' } },
        ],
        ['DELETE', '/api/tasks/1', undefined, { op: 'delete', type: 'task', id: '$task' }],
        ['DELETE', '/api/stories/3', undefined, { op: 'delete', type: 'story', id: '$word' }],
        ['DELETE', '/api/sprints/2', undefined, { op: 'delete', type: 'sprint', id: '$later' }],
      ];
      const single: any[] = [];
      for (const [method, url, body] of sent) {
        single.push(await made2xx(one.call(method, url, body)));
      }
      const operations = sent.map(([, , body, { set, ...operation }]: any[]) => ({
        ...operation,
        ...((body || set) && { set: { ...body, ...set } }),
      }));
      const together = await all.post(`${path}/batch`, { operations });
      expect([together.status, together.text]).toEqual([200, together.text]);
      const { results, refs, revision } = together.body;
      expect(refs).toEqual({ now: 1, later: 2, waiting: 1, done: 2, word: 3, task: 1 });
      results.forEach((result: any, i: number) => {
        const { op, type, ...resource } = result;
        expect({ op, type }).toMatchObject({ op: operations[i].op, type: operations[i].type });
        // The single request returns the report instead of the sprint.
        expect(resource).toEqual(op === 'complete' ? single[i].sprint : single[i]);
      });

      expect(await shownBoard(all, 'Same')).toEqual(await shownBoard(one, 'Same'));
      const events = await eventsOf(all, 'Same');
      expect(events).toEqual(await eventsOf(one, 'Same'));
      expect(revision).toEqual({ from: 1, to: events.length });
      expect(together.headers.get('x-board-revision')).toBe(String(events.length));
      const report = '/api/sprints/1/report';
      expect((await all.get(report)).body).toEqual((await one.get(report)).body);
    } finally {
      for (const app of apps) await app.close();
    }
  });

  it('have consecutive revisions after that of the board', async () => {
    const { board, first, second } = await filled();
    const { revision: before } = (await client.get(board.path)).body;
    const { body } = await batch(board, [
      { op: 'update', type: 'story', id: first.id, set: { points: 1 } },
      { op: 'update', type: 'story', id: first.id, set: { points: 1 } },
      { op: 'delete', type: 'story', id: first.id },
      { op: 'update', type: 'story', id: String(second.id), set: { status: 'done' } },
    ]);
    expect(body.revision).toEqual({ from: before + 1, to: before + 4 });
    const events = await board.events(before);
    expect(events.map(({ type }) => type)).toEqual([
      ...['story.updated', 'task.deleted', 'story.deleted', 'story.updated'],
    ]);
    const only = `${board.path}/events?after=${before}&type=story.deleted`;
    expect((await client.get(only)).body).toEqual([events[2]]);
  });

  it('that change nothing do not increase the revision', async () => {
    const { board, first } = await filled();
    const before = await client.get(board.path);
    const answer = await batch(board, [
      { op: 'update', type: 'story', id: first.id },
      { op: 'update', type: 'story', id: first.id, set: { title: 'First' } },
      { op: 'move', type: 'story', id: first.id, set: { position: 'first' } },
    ]);
    expect(answer.body).toMatchObject({ refs: {}, revision: { from: null, to: null } });
    expect(answer.body.results).toHaveLength(3);
    expect(answer.headers.get('x-board-revision')).toBe(String(before.body.revision));
    expect((await client.get(board.path)).text).toBe(before.text);
  });

  it('accept the responses of single requests, including read-only fields', async () => {
    const { board, sprint, first, task } = await filled();
    const read = async (path: string) => (await client.get(path)).body;
    const sent = {
      story: { ...(await read(`/api/stories/${first.id}`)), title: 'New' },
      sprint: { ...(await read(`/api/sprints/${sprint.id}`)), name: 'New' },
      task: { ...(await read(`/api/tasks/${task.id}`)), title: 'New' },
    };
    const { status } = await batch(
      board,
      Object.entries(sent).map(([type, set]) => ({ op: 'update', type, id: set.id, set })),
    );
    expect(status).toBe(200);
    const stale = await batch(board, [
      { op: 'update', type: 'story', id: first.id, set: { points: 1 } },
      { op: 'update', type: 'task', id: task.id, set: { ...sent.task, title: 'Newer' } },
    ]);
    expectProblem(stale, 412, 'precondition_failed');
    expect(errorsOf(stale)).toEqual(['/operations/1/set/version rejected']);
    expectErrors(
      await batch(board, [{ op: 'update', type: 'story', id: first.id, set: { id: 999_999 } }]),
      '/operations/0/set/id read_only',
    );
  });
});

describe('a batch that fails', () => {
  it('says which ids an operation may have', async () => {
    const { board } = await filled();
    const answer = await batch(board, [
      { op: 'update', type: 'sprint', id: 'next' },
      { op: 'start', type: 'sprint', id: 'next' },
    ]);
    expect(answer.body.errors.map(({ detail }: any) => detail)).toEqual([
      'id must be an id or a name such as "$story"',
      'id must be current, an id or a name such as "$story"',
    ]);
  });

  it('reports every syntax error of all operations at once, and changes nothing', async () => {
    const { board, first } = await filled();
    const before = await fingerprint(client);
    const { id } = first;
    const errors: [operation: unknown, ...errors: string[]][] = [
      [7, ' invalid_type'],
      [[], ' invalid_type'],
      [{}, '/op required', '/type required'],
      [{ op: 'create', type: 'board' }, '/type invalid_value'],
      [{ op: 'reopen', type: 'sprint', id }, '/op invalid_value'],
      [{ op: 'move', type: 'task', id }, '/op invalid_value'],
      [{ op: 'constructor', type: 'name', id }, '/op invalid_value', '/type invalid_value'],
      [{ op: 'create', type: '__proto__', set: { title: 'x' } }, '/type invalid_value'],
      [{ op: 'update', type: 'toString', id, set: {} }, '/type invalid_value'],
      [story('', { points: 'many' }), '/set/title blank', '/set/points invalid_type'],
      [{ op: 'create', type: 'story' }, '/set/title required'],
      [{ ...story('x'), set: 'x' }, '/set invalid_type'],
      [{ ...story('x'), id, if_match: '*' }, '/id excluded', '/if_match excluded'],
      [
        story('x', { sprint: 1, version: 1 }),
        '/set/sprint unknown_field',
        '/set/version unknown_field',
      ],
      [story('x', { sprint_id: 'previous' }), '/set/sprint_id invalid_type'],
      [{ ...story('x'), as: 'a b' }, '/as invalid_value'],
      [{ ...story('x'), as: '' }, '/as invalid_value'],
      [{ ...story('x'), as: '__proto__' }, '/as invalid_value'],
      [{ op: 'update', type: 'story' }, '/id required'],
      [{ op: 'update', type: 'story', id: 0 }, '/id out_of_range'],
      [{ op: 'update', type: 'story', id: 'current' }, '/id invalid_type'],
      [{ op: 'update', type: 'story', id, as: 'x' }, '/as excluded'],
      [{ op: 'update', type: 'story', id, sett: {} }, '/sett unknown_field'],
      [{ op: 'update', type: 'story', id, if_match: 7 }, '/if_match invalid_type'],
      [
        { op: 'update', type: 'sprint', id, set: { end_date: '2026-13-01' } },
        '/set/end_date invalid_date',
      ],
      [{ op: 'update', type: 'task', id, set: { seq: null } }, '/set/seq not_nullable'],
      [{ op: 'delete', type: 'story', id, set: {} }, '/set excluded'],
      [
        { op: 'move', type: 'story', id, set: { position: { before: 'x' } } },
        '/set/position invalid_value',
      ],
      [{ op: 'start', type: 'sprint', id: 'next', set: {} }, '/id invalid_type', '/set excluded'],
      [
        { op: 'complete', type: 'sprint', id, set: { dry_run: true } },
        '/set/dry_run unknown_field',
      ],
      [{ op: 'create', type: 'task', set: { title: 'x' } }, '/set/story_id required'],
      [story('x', {}, 'twice')],
      [
        { op: 'create', type: 'sprint', as: 'twice', set: { start_date: '2026-11-30' } },
        '/as duplicate',
      ],
      [{ op: 'update', type: 'story', id: '$none' }, '/id not_found'],
      [{ op: 'update', type: 'story', id: '$early' }, '/id not_found'],
      [story('x', {}, 'early')],
      [{ op: 'delete', type: 'task', id: '$early' }, '/id invalid_value'],
      [story('x', { sprint_id: '$early' }), '/set/sprint_id invalid_value'],
      [
        { op: 'move', type: 'story', id: '$early', set: { position: { after: '$none' } } },
        '/set/position/after not_found',
      ],
      [
        { op: 'move', type: 'story', id: '$early', set: { position: { 'a/b': '$none' } } },
        '/set/position invalid_value',
      ],
      [
        { op: 'create', type: 'task', set: { title: 'x', story_id: '$none' } },
        '/set/story_id not_found',
      ],
      [
        { op: 'complete', type: 'sprint', id, set: { unfinished: '$early' } },
        '/set/unfinished invalid_value',
      ],
    ];
    const answer = await batch(
      board,
      errors.map(([operation]) => operation),
      { dry: true, dry_run: 'yes' },
    );
    expectErrors(
      answer,
      '/dry unknown_field',
      '/dry_run invalid_type',
      ...errors.flatMap(([, ...each], i) => each.map((error) => `/operations/${i}${error}`)),
    );
    expect(await fingerprint(client)).toBe(before);
  });

  it('has a list of 1 to 1,000 operations', async () => {
    const board = await Workspace.create(client);
    const post = (body?: object) => client.post(`${board.path}/batch`, body);
    expectErrors(await post(), '/operations required');
    expectErrors(await post({ operations: null }), '/operations not_nullable');
    expectErrors(await post({ operations: {} }), '/operations invalid_type');
    expectErrors(await post({ operations: [] }), '/operations too_few');
    const one = story('One');
    expectErrors(await batch(board, Array(1001).fill(one)), '/operations too_many');
    // So many values are not even parsed.
    expectErrors(await batch(board, Array(200_001).fill(0)), ' too_many');
    const values = { op: 'create', type: 'story', set: { title: Array(60_000).fill(0) } };
    expectErrors(await batch(board, [one, values]), '/operations/1/set too_many');
    expectErrors(
      await batch(board, [{ ...one, toString: 1, ['__proto__']: 2 }]),
      '/operations/0/toString unknown_field',
      '/operations/0/__proto__ unknown_field',
    );
    const form = { form: 'operations=x' };
    expectErrors(
      await client.post(`${board.path}/batch`, undefined, form),
      '/operations invalid_type',
    );
  });

  it('reports at most 1,000 errors', async () => {
    const board = await Workspace.create(client);
    const set = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field ${i}`, i]));
    const { body } = await batch(board, Array(1000).fill({ ...story('x'), set }));
    expect(body.errors).toHaveLength(1000);
    expect(body.detail).toMatch(/^The request has more than 1000 errors: /);
  });

  it('has the status of the first operation that fails, and reports its index', async () => {
    const { board, sprint, first, second, task } = await filled();
    const elsewhere = await filled();
    const planned = await board.sprint('2026-12-07', { external_id: 'PLANNED' });
    const full = { op: 'update', type: 'story', id: second.id, set: { points: 3 } };
    const before = await fingerprint(client);
    const none = 999_999;
    const fails: [operation: object, status: number, code: string, error: string][] = [
      [story('x', { external_id: 'TWO' }), 409, 'external_id_taken', '/set/external_id rejected'],
      [story('x', { sprint_id: none }), 400, 'invalid_request', '/set/sprint_id not_found'],
      [
        story('x', { sprint_id: elsewhere.sprint.id }),
        400,
        'invalid_request',
        '/set/sprint_id not_found',
      ],
      [story('x', { seq: 2147483647 }), 200, '', ''],
      [
        { op: 'create', type: 'sprint', set: { start_date: '2026-12-07', external_id: 'PLANNED' } },
        409,
        'external_id_taken',
        '/set/external_id rejected',
      ],
      [
        { op: 'create', type: 'task', set: { title: 'x', story_id: none } },
        400,
        'invalid_request',
        '/set/story_id not_found',
      ],
      [
        { op: 'create', type: 'task', set: { title: 'x', story_id: elsewhere.first.id } },
        400,
        'invalid_request',
        '/set/story_id not_found',
      ],
      [{ op: 'update', type: 'story', id: none }, 404, 'story_not_found', '/id rejected'],
      [
        { op: 'update', type: 'story', id: elsewhere.first.id, set: { title: 'x' } },
        404,
        'story_not_found',
        '/id rejected',
      ],
      [
        { op: 'update', type: 'story', id: first.id, set: { sprint_id: elsewhere.sprint.id } },
        400,
        'invalid_request',
        '/set/sprint_id not_found',
      ],
      [
        { op: 'update', type: 'story', id: first.id, set: { sprint_id: none, created_at: 'x' } },
        400,
        'invalid_request',
        '/set/created_at read_only',
      ],
      [
        { op: 'update', type: 'sprint', id: sprint.id, set: { start_date: '2026-11-30' } },
        400,
        'invalid_request',
        '/set/start_date out_of_range',
      ],
      [
        { op: 'update', type: 'sprint', id: elsewhere.sprint.id },
        404,
        'sprint_not_found',
        '/id rejected',
      ],
      [
        { op: 'update', type: 'task', id: elsewhere.task.id },
        404,
        'task_not_found',
        '/id rejected',
      ],
      [
        { op: 'delete', type: 'story', id: elsewhere.first.id },
        404,
        'story_not_found',
        '/id rejected',
      ],
      [
        { op: 'delete', type: 'sprint', id: elsewhere.sprint.id },
        404,
        'sprint_not_found',
        '/id rejected',
      ],
      [
        { op: 'delete', type: 'task', id: elsewhere.task.id },
        404,
        'task_not_found',
        '/id rejected',
      ],
      [
        { op: 'delete', type: 'task', id: task.id, if_match: '"stale"' },
        412,
        'precondition_failed',
        '/if_match rejected',
      ],
      [
        { op: 'update', type: 'task', id: task.id, if_match: '*', set: { version: 99 } },
        412,
        'precondition_failed',
        '/set/version rejected',
      ],
      [
        { op: 'move', type: 'story', id: elsewhere.first.id },
        404,
        'story_not_found',
        '/id rejected',
      ],
      [
        { op: 'move', type: 'story', id: first.id, set: { sprint_id: elsewhere.sprint.id } },
        400,
        'invalid_request',
        '/set/sprint_id not_found',
      ],
      [
        {
          op: 'move',
          type: 'story',
          id: first.id,
          set: { position: { before: elsewhere.first.id } },
        },
        400,
        'invalid_request',
        '/set/position not_found',
      ],
      [{ op: 'start', type: 'sprint', id: planned.id }, 409, 'sprint_not_begun', ' rejected'],
      [
        { op: 'start', type: 'sprint', id: elsewhere.sprint.id },
        404,
        'sprint_not_found',
        '/id rejected',
      ],
      [{ op: 'complete', type: 'sprint', id: planned.id }, 409, 'sprint_not_started', ' rejected'],
      [
        { op: 'complete', type: 'sprint', id: sprint.id, set: { unfinished: elsewhere.sprint.id } },
        400,
        'invalid_request',
        '/set/unfinished not_found',
      ],
    ];
    for (const [operation, status, code, error] of fails) {
      const answer = await batch(board, [
        full,
        story('Rolled back'),
        operation,
        { ...full, id: none },
      ]);
      if (status === 200) {
        expectProblem(answer, 404, 'story_not_found');
        expect(errorsOf(answer)).toEqual(['/operations/3/id rejected']);
        continue;
      }
      expectProblem(answer, status, code);
      expect([operation, ...errorsOf(answer)].slice(0, 2)).toEqual([
        operation,
        `/operations/2${error}`,
      ]);
    }
    expect(await fingerprint(client)).toBe(before);
  });

  it('names the field if no sprint follows the one that it completes', async () => {
    const { board } = await filled();
    const answer = await batch(board, [
      { op: 'start', type: 'sprint', id: 'current' },
      { op: 'complete', type: 'sprint', id: 'current', set: { unfinished: 'next' } },
    ]);
    expectProblem(answer, 409, 'no_next_sprint_to_carry_to');
    expect(errorsOf(answer)).toEqual(['/operations/1/set/unfinished rejected']);
  });

  it('changes nothing, whichever operation fails', async () => {
    const { board, sprint, first, second, waiting, task } = await filled();
    const good = [
      { op: 'create', type: 'sprint', as: 'next', set: { start_date: '2026-11-30' } },
      story('New', { sprint_id: '$next' }, 'new'),
      {
        op: 'move',
        type: 'story',
        id: waiting.id,
        set: { sprint_id: sprint.id, position: 'first' },
      },
      { op: 'delete', type: 'task', id: task.id },
      { op: 'delete', type: 'story', id: first.id },
      { op: 'complete', type: 'sprint', id: sprint.id, set: { unfinished: '$next' } },
      { op: 'update', type: 'story', id: second.id, set: { status: 'done' } },
    ];
    const before = await fingerprint(client);
    const events = await board.events();
    for (let at = 0; at <= good.length; at += 1) {
      const operations = [
        ...good.slice(0, at),
        { op: 'delete', type: 'task', id: 999_999 },
        ...good.slice(at),
      ];
      const answer = await batch(board, operations);
      expectProblem(answer, 404, 'task_not_found');
      expect(errorsOf(answer)).toEqual([`/operations/${at}/id rejected`]);
    }
    expect(await fingerprint(client)).toBe(before);
    expect(await board.events()).toEqual(events);
    expect((await batch(board, good)).status).toBe(200);
  });

  it('cannot delete a completed sprint', async () => {
    const { board, sprint } = await filled();
    await made2xx(service.client.post(`/api/sprints/${sprint.id}/complete`));
    const answer = await batch(board, [{ op: 'delete', type: 'sprint', id: sprint.id }]);
    expectProblem(answer, 409, 'sprint_completed');
    expect((await service.client.get(`/api/sprints/${sprint.id}`)).status).toBe(200);
  });

  it('on a resource that an earlier operation deleted is 404', async () => {
    const { board, first, sprint } = await filled();
    const answer = await batch(board, [
      { op: 'delete', type: 'story', id: first.id },
      { op: 'delete', type: 'story', id: first.id },
    ]);
    expectProblem(answer, 404, 'story_not_found');
    const completed = await batch(board, [
      { op: 'complete', type: 'sprint', id: 'current' },
      story('Too late', { sprint_id: sprint.id }),
    ]);
    expectProblem(completed, 409, 'sprint_completed');
    expect(errorsOf(completed)).toEqual(['/operations/1 rejected']);
    const none = await batch(board, [
      { op: 'complete', type: 'sprint', id: 'current' },
      { op: 'complete', type: 'sprint', id: 'current' },
    ]);
    expectProblem(none, 404, 'no_current_sprint');
    expect(errorsOf(none)).toEqual(['/operations/1/id rejected']);
  });
});

describe('a dry run', () => {
  it('has the response of the real run, except for new ids, and changes nothing', async () => {
    const { board, sprint, first, waiting } = await filled();
    const operations = [
      { op: 'create', type: 'sprint', as: 'next', set: { start_date: '2026-11-30' } },
      story('New', { sprint_id: '$next' }, 'new'),
      { op: 'create', type: 'task', set: { title: 'Task', story_id: '$new' } },
      { op: 'move', type: 'story', id: waiting.id, set: { position: { after: '$new' } } },
      { op: 'update', type: 'story', id: first.id, set: { points: 5 } },
      { op: 'complete', type: 'sprint', id: sprint.id, set: { unfinished: '$next' } },
      { op: 'delete', type: 'story', id: waiting.id },
    ];
    const before = await fingerprint(client);
    const key = { headers: { 'Idempotency-Key': 'dry' } };
    const { revision } = (await client.get(board.path)).body;
    const dry = await batch(board, operations, { dry_run: true }, key);
    expect(dry.status).toBe(200);
    expect(dry.headers.get('x-board-revision')).toBe(String(revision));
    expect(await fingerprint(client)).toBe(before);
    const real = await batch(board, operations, { dry_run: false }, key);
    expect(withoutIds(real.body)).toEqual(withoutIds(dry.body));
    expect(real.headers.get('idempotent-replayed')).toBeNull();
    expect(real.body.revision).toEqual({
      from: revision + 1,
      to: revision + (await board.events(revision)).length,
    });
  });

  it('has long descriptions, too', async () => {
    const long = { description: 'A long text. '.repeat(2000) };
    const board = await Workspace.create(client);
    const stored = await board.story(null, { description: 'Stored. '.repeat(4000) });
    const set = (fields: object) => ({ op: 'update', type: 'story', id: stored.id, set: fields });
    const operations = [
      story('New', long, 'new'),
      { op: 'move', type: 'story', id: '$new', set: { position: 'first' } },
      set({ points: 3 }),
      set(long),
      set({ points: 5 }),
      set({ description: null }),
      set({ points: 8 }),
      { op: 'delete', type: 'story', id: stored.id },
    ];
    const described = ({ body: { results } }: Answer) =>
      results.map(({ description }: any) => description);
    const dry = described(await batch(board, operations, { dry_run: true }));
    expect(dry).toEqual([
      ...[long, long, stored, long, long].map(({ description }) => description),
      ...[null, null, undefined],
    ]);
    const key = { headers: { 'Idempotency-Key': 'long' } };
    const first = await batch(board, operations, {}, key);
    expect(described(first)).toEqual(dry);
    await made2xx(client.put(`/api/stories/${first.body.refs.new}`, { description: 'Later.' }));
    const again = await batch(board, operations, {}, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text === first.text).toBe(true);
  });

  it('for a board that does not exist creates none', async () => {
    const name = freshName();
    const dry = await batch(name, [story('New')], { dry_run: true });
    expect(dry.body.revision).toEqual({ from: 1, to: 2 });
    expect((await client.get(boardPath(name))).status).toBe(404);
  });
});

describe('the board of a batch', () => {
  it('is created with the first sprint or story', async () => {
    const name = freshName();
    const { status, body } = await batch(name, [story('First', {}, 'first')]);
    expect([status, body.revision]).toEqual([200, { from: 1, to: 2 }]);
    expect((await eventsOf(client, name)).map(({ type }) => type)).toEqual([
      'board.created',
      'story.created',
    ]);
  });

  it('is not created by a batch that fails or creates no sprint and no story', async () => {
    const name = freshName();
    expectErrors(await batch(name, [story('')]), '/operations/0/set/title blank');
    expectErrors(
      await batch(name, [story('x'), story('x', { sprint_id: 'current' })]),
      '/operations/1/set/sprint_id not_found',
    );
    expectProblem(
      await batch(name, [{ op: 'delete', type: 'story', id: 1 }]),
      404,
      'board_not_found',
    );
    expectProblem(
      await batch(name, [story('x')], {}, { headers: { 'If-Match': '*' } }),
      404,
      'board_not_found',
    );
    expect((await client.get(boardPath(name))).status).toBe(404);
    expectErrors(await batch(' ', [story('x')]), 'board_name blank');
  });

  it('is the only one that a token for certain boards may change', async () => {
    const open = await startApp();
    try {
      const { token } = await made2xx(
        open.client.post('/api/tokens', { name: 'Root', scope: 'admin' }),
      );
      const admin = open.client.with({ authorization: `Bearer ${token}` });
      const limited = await made2xx(
        admin.post('/api/tokens', { name: 'Ada', scope: 'write', boards: ['Ours'] }),
      );
      const ada = open.client.with({ authorization: `Bearer ${limited.token}` });
      const operations = [story('By Ada')];
      expect((await ada.post('/api/boards/Ours/batch', { operations })).status).toBe(200);
      expectProblem(
        await ada.post('/api/boards/Theirs/batch', { operations }),
        404,
        'board_not_found',
      );
      expect((await eventsOf(admin, 'Ours')).map(({ actor }) => actor)).toEqual(['Ada', 'Ada']);
    } finally {
      await open.close();
    }
  });
});

describe('the conditions of a batch', () => {
  it('see the changes of the operations before in the tag of the current sprint', async () => {
    const { board, sprint, first } = await filled();
    const path = `${board.path}/sprints/current`;
    const if_match = (await client.get(path)).headers.get('etag') ?? '';
    const start = { op: 'start', type: 'sprint', id: 'current', if_match };
    const update = { op: 'update', type: 'story', id: first.id, set: { title: 'Renamed' } };
    expectProblem(await batch(board, [update, start]), 412, 'precondition_failed');
    expect((await client.get(`/api/sprints/${sprint.id}`)).body.started_at).toBeNull();
    expect((await batch(board, [start, update])).status).toBe(200);
  });

  it('are the entity tags of its operations', async () => {
    const { board, sprint, first, second, task } = await filled();
    const tagOf = async (path: string) => (await client.get(path)).headers.get('etag') ?? '';
    const tag = await tagOf(`/api/stories/${first.id}`);
    const rename = (if_match: string, title: string) =>
      batch(board, [{ op: 'update', type: 'story', id: first.id, if_match, set: { title } }]);
    for (const stale of ['"x"', `W/${tag}`, await tagOf(`/api/stories/${second.id}`)]) {
      expectProblem(await rename(stale, 'x'), 412, 'precondition_failed');
    }
    expect((await rename(`"x", ${tag}`, 'Renamed')).status).toBe(200);
    expectProblem(await rename(tag, 'x'), 412, 'precondition_failed');
    expect((await rename('*', 'Again')).status).toBe(200);
    const all = await batch(board, [
      {
        op: 'move',
        type: 'story',
        id: second.id,
        if_match: await tagOf(`/api/stories/${second.id}`),
      },
      {
        op: 'start',
        type: 'sprint',
        id: sprint.id,
        if_match: await tagOf(`/api/sprints/${sprint.id}`),
      },
      { op: 'delete', type: 'task', id: task.id, if_match: await tagOf(`/api/tasks/${task.id}`) },
      {
        op: 'delete',
        type: 'story',
        id: first.id,
        if_match: await tagOf(`/api/stories/${first.id}`),
      },
      { op: 'update', type: 'story', id: second.id, set: { title: 'Without a condition' } },
    ]);
    expect(all.status).toBe(200);
  });

  it('include If-Match, with the entity tag of the lists of the board', async () => {
    const { board, first } = await filled();
    const tag = (await client.get(`${board.path}/stories`)).headers.get('etag') ?? '';
    const operations = [
      { op: 'update', type: 'story', id: first.id, set: { points: 1 } },
      story('New'),
    ];
    const send = (match: string) =>
      batch(board, operations, {}, { headers: { 'If-Match': match } });
    expect((await send(tag)).status).toBe(200);
    expectProblem(await send(tag), 412, 'precondition_failed');
    expect((await send('*')).status).toBe(200);
  });

  it('include If-None-Match: *, under which it creates its board and changes what it has created', async () => {
    const name = freshName();
    const update = { op: 'update', type: 'story', id: '$new', set: { points: 1 } };
    const send = () =>
      batch(name, [story('New', {}, 'new'), update], {}, { headers: { 'If-None-Match': '*' } });
    expect((await send()).status).toBe(200);
    expectProblem(await send(), 412, 'precondition_failed');
  });
});

describe('a batch with an Idempotency-Key', () => {
  it('is performed once and gets the same response, however often it is sent at once', async () => {
    const { board, first } = await filled();
    const operations = [
      ...Array.from({ length: 40 }, (_, i) => story(`Story ${i}`, {}, `s${i}`)),
      { op: 'update', type: 'story', id: first.id, set: { points: 1 } },
    ];
    const send = () => batch(board, operations, {}, { headers: { 'Idempotency-Key': 'batch' } });
    const answers = await Promise.all([send(), send(), send(), send()]);
    answers.push(await send());
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.get('x-board-revision'))).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.has('idempotent-replayed'));
    expect(replayed).toHaveLength(4);
    expect((await client.get(`${board.path}/backlog`)).body).toHaveLength(41);
    const other = await batch(
      board,
      operations.slice(1),
      {},
      { headers: { 'Idempotency-Key': 'batch' } },
    );
    expectProblem(other, 422, 'idempotency_key_reused');
  });

  it('that fails leaves the key unused', async () => {
    const board = await Workspace.create(client);
    const key = { headers: { 'Idempotency-Key': 'fails' } };
    const failing = [story('x', { external_id: 'A' }), story('y', { external_id: 'A' })];
    expectProblem(await batch(board, failing, {}, key), 409, 'external_id_taken');
    expect((await batch(board, failing.slice(0, 1), {}, key)).status).toBe(200);
  });
});

describe('a long batch', () => {
  const many = Array.from({ length: 1000 }, (_, i) => ({
    ...story(`Story ${i}`, {
      description: 'x'.repeat(1000),
      seq: i + 1,
      priority: i % 5,
      status: 'in_progress',
      points: 3,
      assignee: 'Ada',
      labels: ['api', 'web'],
      external_id: `EXT-${i}`,
      sprint_id: null,
    }),
    as: `story-${i}`,
  }));

  it('has 1,000 operations with all fields, and does not delay others', async () => {
    const { board } = await filled();
    const elsewhere = await filled();
    service.clock.set();
    let running = true;
    const waits: number[] = [];
    const others = (async () => {
      while (running) {
        waits.push((await client.get(`/api/stories/${elsewhere.first.id}`)).ms);
      }
    })();
    const { status, body } = await batch(board, many, {}, { undocumented: true });
    running = false;
    await others;
    expect(status).toBe(200);
    expect(body.results.map(({ title }: any) => title)).toEqual(many.map(({ set }) => set.title));
    expect(Object.values(body.refs)).toEqual(body.results.map(({ id }: any) => id));
    expect(body.revision.to - body.revision.from).toBe(999);
    expect(waits.length).toBeGreaterThan(20);
    // A share of the batch, because a busy machine delays both.
    const all = waits.reduce((sum, ms) => sum + ms, 0);
    expect(Math.max(...waits)).toBeLessThan(all / 5);
  });

  it('may have four times the bytes of other bodies', async () => {
    const board = await Workspace.create(client);
    const filledUp = (bytes: number): string => {
      const body = JSON.stringify({ operations: [story('One')] });
      return body + ' '.repeat(bytes - body.length);
    };
    const send = (bytes: number) =>
      client.post(`${board.path}/batch`, undefined, {
        raw: filledUp(bytes),
        headers: { 'content-type': 'application/json' },
      });
    expect((await send(4 * 1024 * 1024)).status).toBe(200);
    expectProblem(await send(4 * 1024 * 1024 + 1), 413, 'content_too_large');
  });
});

describe('concurrent batches and single requests', () => {
  it('on one board: each batch has consecutive revisions, and the log has no gap', async () => {
    service.clock.set();
    const { board, first, sprint } = await filled();
    const batches = Array.from({ length: 16 }, async (_, writer) => {
      const answers: Answer[] = [];
      for (let round = 0; round < 4; round += 1) {
        const name = `${writer}.${round}`;
        answers.push(
          await batch(board, [
            story(`Batch ${name}`, { sprint_id: sprint.id }, 'new'),
            { op: 'create', type: 'task', set: { title: name, story_id: '$new' } },
            {
              op: 'move',
              type: 'story',
              id: first.id,
              set: { sprint_id: null, position: { before: '$new' } },
            },
          ]).then((answer) => {
            // The neighbour is in another list, so the whole batch is rolled back.
            expectErrors(answer, '/operations/2/set/position invalid_value');
            return batch(board, [
              story(`Batch ${name}`, { sprint_id: sprint.id }, 'new'),
              { op: 'create', type: 'task', set: { title: name, story_id: '$new' } },
              { op: 'move', type: 'story', id: first.id, set: { position: { before: '$new' } } },
              { op: 'update', type: 'story', id: '$new', set: { points: round } },
              ...(round % 2 === 0 ? [{ op: 'delete', type: 'story', id: '$new' }] : []),
            ]);
          }),
        );
      }
      return answers;
    });
    const singles = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 10; round += 1) {
        const one = await board.story(sprint, { title: `Single ${writer}.${round}` });
        await made2xx(client.post(`/api/stories/${one.id}/move`, { position: 'first' }));
      }
    });
    const answers = (await Promise.all(batches)).flat();
    await Promise.all(singles);

    const events = await board.events();
    const replayed = replay(events);
    const shown = await shownBoard(client, board.name);
    expect(shown.board).toEqual(replayed.board);
    expect(shown.stories).toEqual([...replayed.stories.values()].sort(inOrder));
    expect(shown.stories).toHaveLength(3 + 16 * 2 + 80);
    expect(new Set(shown.stories.map(({ id }) => id)).size).toBe(shown.stories.length);
    for (const { status, text, body, headers } of answers) {
      expect([status, text]).toEqual([200, text]);
      const { from, to } = body.revision;
      expect(headers.get('x-board-revision')).toBe(String(to));
      const own = events.slice(from - 1, to);
      const made = own.filter(({ type }) => type === 'story.created');
      expect(made.map(({ id }) => id)).toEqual([body.refs.new]);
      expect(own[0]).toMatchObject({ revision: from, type: 'story.created' });
      expect(new Set(own.map(({ at }) => at)).size).toBe(1);
      const last = own.at(-1);
      const deleted = body.results.at(-1).op === 'delete';
      expect(last.type).toBe(deleted ? 'story.deleted' : 'story.updated');
    }
  });
});
