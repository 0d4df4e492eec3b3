import type { TestApp } from '../support/app';
import { startApp, useApp } from '../support/app';
import { insertRows, storyRow } from '../support/fill';
import { send, sendBytes } from '../support/http';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { expectProblem } from '../support/problems';

// Behaviour that helps new users of the API.

const service = useApp();

describe('a JSON response ends with one newline', () => {
  let board: Workspace;
  let sprint: { id: number };
  beforeAll(async () => {
    board = await Workspace.create(service.client);
    sprint = await board.sprint('2000-01-01');
    await board.story(sprint);
  });

  const expectNewline = (text: string): void => {
    expect(text).toMatch(/[}\]]\n$/);
    JSON.parse(text);
  };

  it.each([
    ['a list', () => '/api/boards'],
    ['a resource', () => `/api/sprints/${sprint.id}`],
    ['an empty list', () => `${board.path}/backlog`],
    ['a report', () => `/api/sprints/${sprint.id}/report`],
    ['a burndown of thousands of days', () => `/api/sprints/${sprint.id}/burndown`],
    ['the current sprint, when it is built', () => `${board.path}/sprints/current`],
    ['the current sprint, when it is cached', () => `${board.path}/sprints/current`],
    ['a problem', () => '/api/sprints/0'],
    ['a problem of an unknown route', () => '/nothing'],
    ['a problem of the router', () => '/api/boards/%ff'],
    ['health', () => '/health/ready'],
    ['the OpenAPI document', () => '/openapi.json'],
  ])('%s', async (_, path) => {
    const { text } = await send(service.url + path());
    expectNewline(text);
  });

  it('a long list and a long sprint, which are streamed', async () => {
    const long = await Workspace.create(service.client);
    const filled = await long.sprint('2000-01-01');
    const { body } = await service.client.get(long.path);
    await insertRows(service, 'stories', 300, (i) =>
      storyRow(body.id as number, i, { sprint_id: filled.id }),
    );
    for (const path of [`${long.path}/stories`, `${long.path}/sprints/current`]) {
      const { text, headers } = await send(service.url + path);
      expect(headers['content-length']).toBeUndefined();
      expectNewline(text);
      const again = await send(service.url + path);
      expect(again.text).toBe(text);
    }
  });

  it('a repeated request, whose response is stored', async () => {
    const body = JSON.stringify({ title: 'Once' });
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'first-steps-1' };
    const call = () =>
      send(`${service.url}${board.path}/backlog`, { method: 'POST', headers, body });
    const [first, again] = [await call(), await call()];
    expectNewline(first.text);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  });

  it('the response to bytes that are not HTTP', async () => {
    expectNewline((await sendBytes(service.url, 'NONSENSE\r\n\r\n')).text);
  });

  it('and counts it in its length but not in its entity tag: a change has the tag of a later GET', async () => {
    const { body, headers, text } = await service.client.put(`/api/sprints/${sprint.id}`, {
      name: 'Renamed',
    });
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    const path = `/api/sprints/${body.id}`;
    const head = await service.client.call('HEAD', path);
    expect(head.headers.get('content-length')).toBe(headers.get('content-length'));
    const tag = headers.get('etag') ?? '';
    const same = await service.client.get(path, { headers: { 'if-none-match': tag } });
    expect([same.status, same.text]).toEqual([304, '']);
    const changed = { headers: { 'if-match': tag } };
    expect((await service.client.put(path, { name: 'Again' }, changed)).status).toBe(200);
  });
});

describe('an error message helps to correct the request', () => {
  it('when JSON is sent as a form, as curl does without a header', async () => {
    const { name, path } = await Workspace.create(service.client);
    for (const raw of ['{"title": "A story"}', ' {title: 1}', '[{"title": "A & B"}]']) {
      const answer = await service.client.post(`${path}/backlog`, undefined, {
        raw,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expectProblem(answer, 400, 'malformed_body');
      expect(answer.body.detail).toContain('send Content-Type: application/json');
    }
    const form = { title: '{"title"}', description: '[]' };
    expect((await service.client.post(`${path}/backlog`, undefined, { form })).status).toBe(201);
    expect((await service.client.get(boardPath(name))).body.revision).toBe(2);
  });

  it.each([
    ['pionts', 'points'],
    ['external-id', 'external_id'],
    ['externalId', 'external_id'],
    ['Title', 'title'],
    ['label', 'labels'],
    ['asignee', 'assignee'],
  ])('when a field is misspelt: %s', async (wrong, right) => {
    const answer = await service.client.post(`${boardPath(freshName())}/backlog`, {
      title: 'A story',
      [wrong]: 'x',
    });
    expectProblem(answer, 400, 'invalid_request');
    const detail = `${wrong} is not a field; did you mean \`${right}\`?`;
    expect(answer.body.errors).toEqual([{ pointer: `/${wrong}`, code: 'unknown_field', detail }]);
  });

  it('when a parameter is misspelt', async () => {
    const { path } = await Workspace.create(service.client);
    const { body } = await service.client.get(`${path}/stories?asignee=ada&colour=red`);
    expect(body.errors.map(({ detail }: { detail: string }) => detail)).toEqual([
      'asignee is not a parameter; did you mean `assignee`?',
      'colour is not a parameter',
    ]);
  });

  it('when no format of the resource is acceptable', async () => {
    const board = await Workspace.create(service.client);
    const { id } = await board.sprint('2000-01-01');
    const headers = { accept: 'application/pdf' };
    const report = await service.client.get(`/api/sprints/${id}/report`, { headers });
    expectProblem(report, 406, 'not_acceptable');
    expect(report.body.detail).toContain('application/json, text/csv');
    const sprint = await service.client.get(`/api/sprints/${id}`, { headers });
    expect(sprint.body.detail).toMatch(/it has application\/json\.$/);
  });

  it('when the host is not allowed', async () => {
    const answer = await service.client.get('/api/boards', { headers: { host: 'plan.example' } });
    expectProblem(answer, 421, 'misdirected_request');
    expect(answer.body.detail).toMatch(/"plan\.example" .*setting ALLOWED_HOSTS/);
  });
});

describe('with CREATE_BOARDS=explicit', () => {
  let explicit: TestApp;
  beforeAll(async () => {
    explicit = await startApp({ environment: { CREATE_BOARDS: 'explicit' } });
  });
  afterAll(() => explicit.close());

  it('a POST of a sprint or a story to a misspelt board is 404 and creates nothing', async () => {
    const { client } = explicit;
    await made2xx(client.post('/api/boards', { name: 'Rocket' }));
    for (const [path, body] of [
      ['/api/boards/Roket/sprints', { start_date: '2026-11-23' }],
      ['/api/boards/Roket/backlog', { title: 'A story' }],
      // With an invalid body, too.
      ['/api/boards/Roket/backlog', { title: '' }],
    ] as const) {
      expectProblem(await client.post(path, body), 404, 'board_not_found');
    }
    expect((await client.get('/api/boards')).body).toMatchObject([{ name: 'Rocket' }]);
    expect((await client.post('/api/boards/Rocket/backlog', { title: 'A story' })).status).toBe(
      201,
    );
    expectProblem(await client.post('/api/boards/Rocket/backlog', {}), 400, 'invalid_request');
  });
});
