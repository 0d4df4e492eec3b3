import { SessionsService } from '../../src/auth/sessions.service';
import { DeletedBoards } from '../../src/boards/deleted-boards.service';
import { Database } from '../../src/database/database';
import { ExpiredKeys } from '../../src/database/expired-keys';
import type { Parameter } from '../../src/database/reader';
import { StreamsService } from '../../src/events/streams.service';
import type { FilterName } from '../../src/stories/story-list-source';
import { useApp } from '../support/app';
import type { Client } from '../support/client';
import { operations } from '../support/conformance';
import { Stream } from '../support/event-stream';
import { insertRows } from '../support/fill';
import { made2xx } from '../support/make';
import type { Plan } from '../support/plans';
import { isScan, isWide, Plans } from '../support/plans';

/** Enough rows that no database prefers to read a whole table. */
const STORIES = 4000;
const SPRINTS = 60;
const BOARDS = 300;
const TOKENS = 300;
const KEYS = 20_000;
const TASKS = 24_000;

const NOW = '2026-11-21T12:00:00.000Z';
const AT = '2026-11-20 12:00:00.000';
const BOARD = '/api/boards/{board_name}';
const SPRINT = '/api/sprints/{sprint_id}';
const STORY = '/api/stories/{story_id}';
const TASK = '/api/tasks/{task_id}';

const service = useApp();
let client: Client;
/** A client whose token has access to some boards only. */
let limited: Client;
let plans: Plans;
let stopListening: () => void;
/** Operations that were called. */
const called = new Set<string>();

const names = { board: 'Large', other: 'Team 7' };
/** Ids of the rows; the first sprints are in the past, the last in the future. */
let sprints: number[];
let stories: number[];
let tasks: number[];

const insert = (
  table: string,
  count: number,
  row: (i: number) => Record<string, Parameter>,
): Promise<void> => insertRows(service, table, count, row);

async function ids(sql: string): Promise<number[]> {
  const rows = await service.app.get(Database).query<{ id: number }>(sql);
  return rows.map(({ id }) => id);
}

/** Returns the date that is `weeks` from today. */
const week = (weeks: number): string =>
  new Date(Date.parse(NOW) + weeks * 7 * 86_400_000).toISOString().slice(0, 10);

async function fill(): Promise<void> {
  const times = { created_at: AT, updated_at: AT, version: 1 };
  await insert('boards', BOARDS, (i) => ({
    name: i === 0 ? names.board : `Team ${i}`,
    time_zone: 'UTC',
    revision: i === 0 ? SPRINTS + 2 * STORIES : 0,
    ...times,
  }));
  const boards = await ids('SELECT id FROM boards ORDER BY id');
  const [board = 0] = boards;
  // Past sprints are completed, except the last of them; one sprint is current.
  const sprint = (i: number): Record<string, Parameter> => ({
    board_id: i < SPRINTS ? board : (boards[i - SPRINTS] as number),
    name: `Sprint ${i}`,
    goal: null,
    start_date: week(2 * (i % SPRINTS) - SPRINTS),
    end_date: i % 7 === 0 ? null : week(2 * (i % SPRINTS) - SPRINTS + 1.9),
    completed_at: i < SPRINTS / 2 - 1 ? AT : null,
    ...times,
  });
  await insert('sprints', SPRINTS + BOARDS, sprint);
  sprints = (await ids(`SELECT id FROM sprints WHERE board_id = ${board} ORDER BY id`)).slice(
    0,
    SPRINTS,
  );
  const story = (i: number): Record<string, Parameter> => ({
    board_id: i < STORIES ? board : (boards[i % BOARDS] as number),
    sprint_id: i < STORIES && i % 2 === 0 ? (sprints[(i / 2) % SPRINTS] as number) : null,
    title: `Story ${i}`,
    description: null,
    seq: i + 1,
    priority: i % 5,
    status: ['todo', 'in_progress', 'done'][i % 3] as string,
    points: i % 8,
    assignee: `user ${i % 50}`,
    labels: '[]',
    external_id: `EXT-${i}`,
    search: `STORY ${i}`,
    done_at: null,
    ...times,
    updated_at: new Date(Date.parse(NOW) - i * 60_000).toISOString().replace(/[TZ]/g, ' ').trim(),
  });
  await insert('stories', 2 * STORIES, story);
  stories = await ids(`SELECT id FROM stories WHERE board_id = ${board} ORDER BY id`);
  const others = await ids(`SELECT id FROM stories WHERE board_id <> ${board}`);
  await insert('tasks', TASKS, (i) => ({
    story_id: (i < STORIES ? stories[i] : others[i % others.length]) as number,
    title: 'A task',
    seq: i,
    status: 'todo',
    assignee: null,
    done_at: null,
    ...times,
  }));
  tasks = await ids('SELECT id FROM tasks ORDER BY id');
  const event = (revision: number, entity: string, id: number, after: object) => ({
    board_id: board,
    revision,
    type: `${entity}.created`,
    at: AT,
    actor: 'ada',
    entity,
    entity_id: id,
    entity_version: 1,
    sprint_id: null,
    before: null,
    after: JSON.stringify(after),
  });
  await insert('events', SPRINTS, (i) =>
    event(i + 1, 'sprint', sprints[i] as number, { start_date: sprint(i).start_date }),
  );
  await insert('events', 2 * STORIES, (i) => {
    const { sprint_id = null, title = '' } = story(i % STORIES);
    const made = { title, sprint_id, points: 3, status: 'todo' };
    const id = stories[i % STORIES] as number;
    return {
      ...event(SPRINTS + i + 1, 'story', id, made),
      sprint_id,
      ...(i >= STORIES && { type: 'story.updated', entity_version: 2, before: '{}', after: '{}' }),
    };
  });
  await insert('tokens', TOKENS, (i) => ({
    lookup: i.toString(16).padStart(16, '0'),
    hash: ''.padStart(64, '0'),
    name: `Somebody ${i}`,
    scope: i % 10 === 0 ? 'admin' : 'write',
    boards: i % 10 < 5 ? null : JSON.stringify([`Team ${i}`]),
    expires_at: null,
    created_at: AT,
    last_used_at: null,
  }));
  const tokens = await ids('SELECT id FROM tokens ORDER BY id');
  await insert('sessions', TOKENS, (i) => ({
    token_id: tokens[i] as number,
    lookup: i.toString(16).padStart(16, '0'),
    hash: ''.padStart(64, '0'),
    created_at: AT,
    last_used_at: AT,
  }));
  await insert('idempotency_keys', KEYS, (i) => ({
    token_id: i % TOKENS,
    idempotency_key: `key ${i}`,
    fingerprint: '',
    answer: '{}',
    created_at: i % 100 === 0 ? '2026-11-01 12:00:00.000' : '2026-11-21 09:00:00.000',
  }));
  if (service.database.engine === 'mysql') {
    const tables = 'boards, sprints, stories, tasks, events, tokens, sessions, idempotency_keys';
    await service.app.get(Database).query(`ANALYZE TABLE ${tables}`);
  }
}

beforeAll(async () => {
  service.clock.set(NOW);
  const token = async (body: object): Promise<Client> => {
    const answer = await made2xx(client.post('/api/tokens', body));
    return service.client.with({ authorization: `Bearer ${answer.token}` });
  };
  client = service.client;
  client = await token({ name: 'Root', scope: 'admin' });
  await fill();
  limited = await token({ name: 'Guest', scope: 'write', boards: [names.board, names.other] });
  plans = new Plans(service.database);
  stopListening = plans.listen();
});
afterAll(() => stopListening());

/** Calls an operation of the document, with values for the parameters of its path. */
async function call(
  operation: string,
  at: Record<string, string | number> = {},
  body?: object,
  { query = '', by = client, headers = {}, raw = undefined as string | undefined } = {},
): Promise<any> {
  called.add(operation);
  const [method = '', path = ''] = operation.split(' ');
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(at[name] ?? (name === 'board_name' ? names.board : '')),
  );
  const answer = await by.call(method, filled + query, body, { headers, raw });
  if (answer.status >= 400) throw new Error(`${operation} ${query}: ${answer.text}`);
  return answer;
}

/** Calls every operation of the API at least once, and with all parameters that change its statements. */
async function everything(): Promise<void> {
  const story = { story_id: stories[1001] as number };
  const sprint = { sprint_id: sprints[SPRINTS / 2 + 3] as number };
  const task = { task_id: tasks[1000] as number };
  await boards();
  for (const operation of operations()) {
    const isPlain =
      operation.startsWith('GET') && !/\/(stream|session|\{token_id\})$/.test(operation);
    if (isPlain) await call(operation, { ...story, ...sprint, ...task });
  }
  await lists(sprint);
  for (const which of ['current', 'next', 'previous']) {
    const path = `${BOARD}/sprints/${which}`;
    await call(`POST ${path}/stories`, {}, { title: 'A story' });
  }

  await call(`POST ${BOARD}/sprints`, {}, { start_date: week(200), external_id: 'S-1' });
  for (const method of ['PUT', 'PATCH'])
    await call(`${method} ${SPRINT}`, sprint, { external_id: method });
  await call(`PUT ${SPRINT}`, sprint, { start_date: week(9), end_date: week(12) });

  const headers = { 'Idempotency-Key': 'once' };
  for (let i = 0; i < 2; i += 1) {
    await call(`POST ${SPRINT}/stories`, sprint, { title: 'A story' }, { headers });
  }
  await call(`POST ${BOARD}/backlog`, {}, { title: 'A story', external_id: 'NEW-1' });
  await call(`POST ${BOARD}/import`, {}, undefined, {
    query: '?format=csv',
    headers: { 'Content-Type': 'text/csv' },
    raw: 'external_id,title,sprint\nIMPORTED-1,Imported,Imported\n,Imported,\nEXT-2,Changed,\n',
  });
  // A board with a deleted sprint and a deleted story.
  const restored = { board_name: 'Restored' };
  const sprintOfIt = await call(`POST ${BOARD}/sprints`, restored, { start_date: week(1) });
  const storyOfIt = {
    story_id: (await call(`POST ${BOARD}/backlog`, restored, { title: 'A' })).body.id,
  };
  const taskOfIt = await call(`POST ${STORY}/tasks`, storyOfIt, { title: 'A' });
  await call(`POST ${BOARD}/backlog`, restored, { title: 'B' });
  await call(`DELETE ${TASK}`, { task_id: taskOfIt.body.id });
  await call(`DELETE ${STORY}`, storyOfIt);
  await call(`DELETE ${SPRINT}`, { sprint_id: sprintOfIt.body.id });
  const headersOfExport = { 'Content-Type': 'application/x-ndjson' };
  for (const log of [false, true]) {
    const query = `?log=${log}`;
    const exported = await call(`GET ${BOARD}/export`, restored, undefined, { query });
    await call(`POST ${BOARD}/import`, { board_name: `Restored ${log}` }, undefined, {
      headers: headersOfExport,
      raw: exported.text,
    });
  }
  await call(`GET ${STORY}/history`, story, undefined, { by: limited, query: '?limit=1' });
  for (const method of ['PUT', 'PATCH']) await call(`${method} ${STORY}`, story, { title: method });
  await call(`PUT ${STORY}`, story, { ...sprint, external_id: 'NEW-2' });
  await call(`PUT ${STORY}`, story, { sprint_id: null });
  await moves(sprint);
  await call(`POST ${STORY}/tasks`, story, { title: 'A task', external_id: 'T-1' });
  for (const method of ['PUT', 'PATCH']) await call(`${method} ${TASK}`, task, { title: method });
  await batches(story.story_id, task.task_id, sprint.sprint_id);
  await call(`DELETE ${TASK}`, task);
  await call(`DELETE ${STORY}`, { story_id: stories[1005] as number });

  const ended = { sprint_id: sprints[SPRINTS / 2 - 1] as number };
  await call(`POST ${SPRINT}/start`, ended);
  await call(`POST ${BOARD}/sprints/current/start`);
  for (const unfinished of ['next', 'backlog', sprint.sprint_id]) {
    await call(`POST ${SPRINT}/complete`, ended, { unfinished });
    await call(`POST ${SPRINT}/reopen`, ended);
  }
  await call(`POST ${BOARD}/sprints/current/complete`);
  // No sprint is active now.
  for (const which of ['current', 'next', 'previous']) await call(`GET ${BOARD}/sprints/${which}`);
  await call(`DELETE ${SPRINT}`, sprint);
  await call(`DELETE ${SPRINT}`, { sprint_id: sprints[0] as number }, undefined, {
    query: '?force=true',
  });
  await tokens();
  await call(`DELETE ${BOARD}`, {}, undefined, { query: '?force=true' });
  await service.app.get(DeletedBoards)['purging'];
}

async function boards(): Promise<void> {
  for (const by of [client, limited]) {
    await call('GET /api/boards', {}, undefined, { by });
    const { headers } = await call('GET /api/boards', {}, undefined, { by, query: '?limit=1' });
    await call('GET /api/boards', {}, undefined, { by, query: next(headers) });
  }
  await call('POST /api/boards', {}, { name: 'New' });
  await call(`GET ${BOARD}`);
  await call(`PUT ${BOARD}`, {}, { time_zone: 'Europe/Berlin' });
  await call(`PATCH ${BOARD}`, { board_name: 'Team 9' }, { name: 'Renamed' });
  await call(`GET ${BOARD}/events`, {}, undefined, { query: '?after=5&limit=10' });
  const some = '?type=sprint.created&entity=sprint&actor=ada&limit=3';
  await call(`GET ${BOARD}/events`, {}, undefined, { query: some });
  const csv = { headers: { accept: 'text/csv' } };
  await call(`GET ${BOARD}/events`, {}, undefined, { query: '?limit=10', ...csv });
  await call(`GET ${BOARD}/stories`, {}, undefined, { query: '?limit=10', ...csv });
  await call(`GET ${BOARD}/export`, {}, undefined, { query: '?log=true' });
  await streams();
  await service.app.get(ExpiredKeys).delete();
}

/** Calls operations that lock their board before they find their rows. */
async function batches(story: number, task: number, sprint: number): Promise<void> {
  const operations = [
    { op: 'create', type: 'story', set: { title: 'A story', sprint_id: sprint } },
    { op: 'update', type: 'story', id: story, set: { title: 'In a batch' } },
    { op: 'update', type: 'task', id: task, set: { title: 'In a batch' } },
    { op: 'update', type: 'sprint', id: sprint, set: { goal: 'In a batch' } },
    { op: 'start', type: 'sprint', id: 'current' },
  ];
  await call(`POST ${BOARD}/batch`, {}, { operations });
}

/** Reads a stream from its beginning, and polls it. */
async function streams(): Promise<void> {
  const operation = `GET ${BOARD}/stream`;
  called.add(operation);
  const stream = await Stream.open(`${service.url}/api/boards/${names.board}/stream?after=5`, {
    headers: client.headers,
  });
  await stream.until(({ logged }) => logged.length > 200);
  await service.app.get(StreamsService).poll();
  await service.app.get(StreamsService).checkAccess();
  stream.close();
}

/** Returns the query of the next page. */
const next = (headers: Headers): string => /\?[^>]*/.exec(headers.get('link') ?? '')?.[0] ?? '';

/** Values of the filters of every list. */
const FILTERS: Record<Exclude<FilterName, 'sprint_id'>, string> = {
  status: 'todo',
  assignee: 'user%203',
  external_id: 'EXT-90',
  priority: '2',
  label: 'api',
  q: 'story',
  updated_since: '2000-01-01',
};

async function lists(sprint: { sprint_id: number }): Promise<void> {
  for (const path of [`${SPRINT}/stories`, `${BOARD}/backlog`, `${BOARD}/stories`]) {
    await call(`GET ${path}`, sprint);
    const recent = '2026-11-21T11:00:00Z';
    const queries = Object.entries(FILTERS).map(([name, value]) => `&${name}=${value}`);
    for (const filter of ['', ...queries, `&updated_since=${recent}`]) {
      const query = `?limit=10${filter}`;
      const { headers } = await call(`GET ${path}`, sprint, undefined, { query });
      if (next(headers)) await call(`GET ${path}`, sprint, undefined, { query: next(headers) });
    }
  }
  const some = `?limit=10&sprint_id=${sprint.sprint_id}`;
  const several = `${some}&sprint_id=${sprints[1]}`;
  for (const query of [
    some,
    several,
    `${some}&sprint_id=`,
    `${several}&updated_since=2000-01-01`,
  ]) {
    const { headers } = await call(`GET ${BOARD}/stories`, {}, undefined, { query });
    await call(`GET ${BOARD}/stories`, {}, undefined, { query: next(headers) });
  }
  for (const state of [
    '',
    ...['planned', 'active', 'ended', 'completed'].map((s) => `&state=${s}`),
  ]) {
    const query = `?limit=3${state}`;
    const { headers } = await call(`GET ${BOARD}/sprints`, {}, undefined, { query });
    if (next(headers)) await call(`GET ${BOARD}/sprints`, {}, undefined, { query: next(headers) });
  }
  await call(`GET ${BOARD}/sprints`);
}

async function moves({ sprint_id }: { sprint_id: number }): Promise<void> {
  const one = { story_id: stories[1003] as number };
  const many = stories.slice(2001, 2040).filter((_, i) => i % 2 === 0);
  for (const position of ['first', 'last', { before: stories[3] }, { after: stories[3] }]) {
    await call(`POST ${STORY}/move`, one, { position });
    await call(`POST ${BOARD}/stories/move`, {}, { story_ids: many, position });
  }
  // There is no gap between these two stories, so others are shifted.
  await call(`PUT ${STORY}`, one, { sprint_id: null });
  await call(`POST ${STORY}/move`, one, { position: { after: stories[501] } });
  await call(`POST ${BOARD}/stories/move`, {}, { story_ids: many.slice(0, 5), sprint_id });
  // To another board and back.
  const [otherSprint] = await ids(
    `SELECT s.id FROM sprints s JOIN boards b ON b.id = s.board_id WHERE b.name = '${names.other}' LIMIT 1`,
  );
  await call(`POST ${STORY}/move`, one, { sprint_id: otherSprint });
  await call(`POST ${STORY}/move`, one, { sprint_id });
  await call(
    `POST ${BOARD}/stories/move`,
    {},
    { story_ids: many.slice(5, 9), sprint_id: otherSprint },
  );
}

async function tokens(): Promise<void> {
  const made = await call('POST /api/tokens', {}, { name: 'Guest', scope: 'read' });
  const session = await call('POST /api/session', {}, { token: made.body.token });
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const by = service.client.with({ cookie });
  await call('GET /api/session', {}, undefined, { by });
  await service.app.get(SessionsService).existing([1, 2]);
  await service.app.get(SessionsService).deleteExpired();
  await call('DELETE /api/session', {}, undefined, { by });
  await call('GET /api/tokens', {}, undefined, { query: '?limit=2' });
  await call('GET /api/tokens/{token_id}', { token_id: made.body.id });
  await call('DELETE /api/tokens/{token_id}', { token_id: made.body.id });
}

/**
 * Statements that may read all rows of a board or sort rows, with `scans` even read all rows of a table, and the reason
 * why that is acceptable.
 */
const EXCEPTIONS: { sql: RegExp; scans?: true; because: string }[] = [
  {
    sql: /^SELECT s.id, s.name, s.external_id, s.start_date, s.end_date, s.completed_at, s.created_at FROM sprints/,
    because: 'an import looks for its sprints among all sprints of the board',
  },
  {
    sql: /(FROM|UPDATE) tokens /,
    scans: true,
    because:
      'there are few tokens, and only changes of tokens or of names of boards read all of them',
  },
  {
    sql: /FROM `?sessions`? .*token_id.* ORDER BY/,
    because: 'it sorts the sessions of a token, of which there are about a hundred',
  },
  {
    sql: /FROM boards b WHERE b.name IS NOT NULL ORDER BY b.name LIMIT/,
    scans: true,
    because: 'MariaDB prefers to sort 300 boards; of 20,000 it reads the first ones by the index',
  },
  {
    sql: /FROM boards WHERE name IS NULL ORDER BY id/,
    because: 'it sorts the boards that are being deleted',
  },
  {
    sql: /AND s.updated_at >= \? (AND s.seq >= |ORDER BY)/,
    because: 'it sorts the stories that were changed since an instant, if they are few',
  },
  {
    sql: /AND \(s.external_id IN \(\?\)\) ORDER BY/,
    because: 'it sorts the stories with these external ids, one for each',
  },
  {
    sql: /AND \(s.sprint_id IN \(\?, …\)\) .*ORDER BY \+s.seq/,
    because: 'it sorts the stories of several sprints',
  },
  {
    sql: /WHERE s.board_id = \S+ AND s.sprint_id = \S+ (AND s.seq .*)?ORDER BY s.seq, s.id/,
    because: 'MariaDB prefers to sort the stories of a small sprint',
  },
  {
    sql: /FROM boards b JOIN stories s .* JOIN tasks t .* s.sprint_id = \? ORDER BY t.story_id/,
    because: 'it sorts the tasks of a sprint in full',
  },
  {
    sql: /FROM \(SELECT DISTINCT entity_id FROM events WHERE sprint_id = \?\) i/,
    because: 'it reads the ids of the stories of a sprint, from an index',
  },
  {
    sql: /e.entity = 'story' AND e.entity_id = \S+ ORDER BY/,
    because: 'it sorts the events of one story',
  },
  {
    sql: /^SELECT COUNT\(\*\) AS count, COUNT\(points\) AS estimated/,
    scans: true,
    because: 'it counts a backlog that is a quarter of this small table',
  },
  {
    sql: /^SELECT s.id, s.name FROM sprints s WHERE s.board_id = \?$/,
    because: 'a list as CSV needs the names of all sprints of the board',
  },
  {
    sql: /FROM sprints s .* WHERE s.board_id = \S+ AND s.id > \S+ ORDER BY s.id/,
    because: 'an export sorts the sprints of the board by their ids, 500 at a time',
  },
  {
    sql: /FROM stories s .* AND s.external_id IS NULL AND s.id > \? ORDER BY s.id LIMIT/,
    because: 'MariaDB sorts the stories of the board without an external id, 2,000 at a time',
  },
  {
    sql: /^SELECT s.id FROM stories s .* AND \+s.id > \? ORDER BY \+s.id LIMIT/,
    because: 'an export sorts the ids of the stories of the board, 20,000 at a time',
  },
  {
    sql: /^DELETE FROM boards WHERE/,
    because: 'it checks that no row refers to the board',
  },
  {
    sql: /^DELETE FROM sprints WHERE id IN/,
    scans: true,
    because: 'it deletes nearly all sprints of this small table',
  },
];

const described = ({ sql, steps }: Plan): string => [sql, ...steps].join('\n    ');

it('calls every operation', async () => {
  await everything();
  expect(operations().filter((operation) => !called.has(operation))).toEqual([]);
});

it('reads rows by an index and without sorting, except in the listed statements', async () => {
  // MySQL prefers to sort a few rows instead of using an index; its plans do not show how many.
  const sorting =
    service.database.engine === 'sqlite' ||
    /mariadb/i.test(JSON.stringify(await service.app.get(Database).query('SELECT VERSION()')));
  const wide = plans.all.filter((plan) => isWide(plan, sorting));
  const excepted = (plan: Plan): boolean =>
    EXCEPTIONS.some(({ sql, scans }) => sql.test(plan.sql) && (scans || !isScan(plan)));
  expect(wide.filter((plan) => !excepted(plan)).map(described)).toEqual([]);
  // Shows that the test recorded statements and recognises bad plans.
  expect(plans.all.length).toBeGreaterThan(100);
  expect(wide.length).toBeGreaterThan(5);
});

it('sorts the stories that were changed since an instant only if they are few', () => {
  const since = (sql: string): boolean => /s.updated_at >= \? .*ORDER BY/.test(sql);
  const many = plans.all.filter(({ sql }) => since(sql) && sql.includes('+s.updated_at'));
  const few = plans.all.filter(({ sql }) => since(sql) && !sql.includes('+s.updated_at'));
  expect(many.length).toBeGreaterThan(0);
  expect(many.filter((plan) => /ix_stories_updated/.test(plan.steps.join()))).toEqual([]);
  expect(few.length).toBeGreaterThan(0);
});

it('reads the stories of lists by the index of the lists, not by that of the board', () => {
  const ofLists =
    /FROM stories .*board_id = \S+ AND \(?(s\.)?sprint_id (IS NULL|= \S+|IN \().* ORDER BY .*seq/;
  const asked = plans.all.filter(({ sql }) => ofLists.test(sql) && !/ OR s.sprint_id/.test(sql));
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter(({ steps }) => /ix_stories_board/.test(steps.join())).map(described)).toEqual(
    [],
  );
});
