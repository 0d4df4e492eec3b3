// The server to compare with: node:http, the same driver, the same statements in the same transactions,
// the same deadlines, the same bytes and the same log line, without a framework and without any check.
// Like the service, it caches the sprint in full by revision, and answers 304.
import Libsql from 'libsql';
import mysql2 from 'mysql2';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pino from 'pino';

const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime });

const database = process.env.DATABASE_URL.startsWith('sqlite:') ? openSqlite() : openMysql();

/** The fields of a story in their order, with the values of a new one. */
const NEW_STORY = {
  id: null,
  board_name: null,
  sprint_id: null,
  title: null,
  description: null,
  seq: null,
  priority: null,
  status: 'todo',
  points: null,
  assignee: null,
  labels: [],
  external_id: null,
  created_at: null,
  updated_at: null,
  done_at: null,
  version: 1,
};
const STORY = Object.keys(NEW_STORY)
  .map((name) => (name === 'board_name' ? 'b.name AS board_name' : `s.${name}`))
  .join(', ');
const STORY_COLUMNS = Object.keys(NEW_STORY)
  .filter((name) => name !== 'id' && name !== 'board_name')
  .concat('board_id', 'search');
const TASK =
  't.id, t.story_id, t.title, t.seq, t.status, t.assignee, t.external_id, t.created_at, t.updated_at, t.done_at, t.version';
const STORIES = 'FROM stories s JOIN boards b ON b.id = s.board_id';
const BOARD =
  'b.id, b.name, b.time_zone, b.working_days, b.revision, b.revision_tag, b.created_at, b.updated_at, b.version';
const LIST = `SELECT b.revision AS __revision, b.revision_tag AS __revision_tag, ${STORY}
  FROM stories s ${database.byList} JOIN boards b ON b.id = s.board_id`;
const LATER = `SELECT n.start_date FROM sprints n WHERE n.board_id = s.board_id AND n.start_date >= s.start_date
  AND (n.start_date > s.start_date OR n.id > s.id) ORDER BY n.start_date, n.id LIMIT 1`;

const SQL = {
  story: `SELECT ${STORY} ${STORIES} WHERE b.name IS NOT NULL AND s.id = ?`,
  boardOfSprint: `SELECT b.id, b.revision, b.revision_tag FROM boards b
    WHERE b.id = (SELECT board_id FROM sprints WHERE id = ?) AND b.name IS NOT NULL`,
  board: `SELECT ${BOARD} FROM boards b WHERE b.name = ?`,
  storiesOfSprint: `${LIST} WHERE s.board_id = ? AND b.name IS NOT NULL AND s.sprint_id = ?
    ORDER BY s.seq, s.id LIMIT 61`,
  backlog: `${LIST} WHERE s.board_id = ? AND b.name IS NOT NULL AND s.sprint_id IS NULL ORDER BY s.seq, s.id LIMIT ?`,
  current: `SELECT s.id, s.board_id, b.name AS board_name, b.time_zone, s.name, s.goal, s.start_date, s.end_date,
    s.started_at, s.completed_at, s.external_id, s.created_at, s.updated_at, s.version, CASE WHEN s.end_date IS NULL THEN (${LATER}) END AS next_start
    FROM sprints s JOIN boards b ON b.id = s.board_id WHERE s.board_id = ? AND s.completed_at IS NULL
    AND s.start_date <= ? AND (s.end_date >= ? OR (s.end_date IS NULL AND NOT EXISTS (
      SELECT 1 FROM sprints n WHERE n.board_id = s.board_id AND n.start_date >= s.start_date AND n.start_date <= ?
      AND (n.start_date > s.start_date OR n.id > s.id)))) ORDER BY s.start_date DESC, s.id DESC LIMIT 1`,
  allStories: `SELECT ${STORY} ${STORIES} WHERE s.board_id = ? AND s.sprint_id = ? ORDER BY s.seq, s.id LIMIT 101`,
  tasks: (
    ids,
  ) => `SELECT ${TASK} FROM boards b JOIN tasks t ON t.story_id IN (${ids.map(() => '?').join(', ')})
    WHERE b.id = ? AND b.revision = ? ORDER BY t.story_id, t.seq, t.id LIMIT 5001`,
  lockBySprint: `SELECT ${BOARD} FROM boards b WHERE b.id = (SELECT board_id FROM sprints WHERE id = ?)
    AND b.name IS NOT NULL${database.lock}`,
  lockByStory: `SELECT ${BOARD} FROM boards b WHERE b.id = (SELECT board_id FROM stories WHERE id = ?)
    AND b.name IS NOT NULL${database.lock}`,
  endOfSprint: `SELECT COALESCE((SELECT MAX(s.seq) FROM stories s WHERE s.board_id = p.board_id
    AND s.sprint_id = p.id), 0) AS last, (SELECT COUNT(*) FROM stories s WHERE s.board_id = p.board_id
    AND s.sprint_id = p.id) AS count, p.completed_at FROM sprints p WHERE p.id = ? AND p.board_id = ?`,
  insertStory: `INSERT INTO stories (${STORY_COLUMNS.join(', ')})
    VALUES (${STORY_COLUMNS.map(() => '?').join(', ')})`,
  updateTitle: 'UPDATE stories SET title = ?, search = ?, updated_at = ?, version = ? WHERE id = ?',
  revision: 'UPDATE boards SET revision = ?, revision_tag = ? WHERE id = ?',
  event: `INSERT INTO events (board_id, revision, type, at, actor, entity, entity_id, entity_version, sprint_id,
    \`before\`, \`after\`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};

const instant = (stored) => `${stored.slice(0, 10)}T${stored.slice(11)}Z`;
const stored = (date) => date.toISOString().replace('T', ' ').slice(0, 23);

function represented(row) {
  row.created_at = instant(row.created_at);
  row.updated_at = instant(row.updated_at);
  if (row.done_at !== null) row.done_at = instant(row.done_at);
  return row;
}

function story(row) {
  row.labels = row.labels === '[]' ? [] : JSON.parse(row.labels);
  return represented(row);
}

/** Removes the revision, which is for the entity tag: JSON leaves out undefined fields. */
function listed(row) {
  row.__revision = undefined;
  row.__revision_tag = undefined;
  return story(row);
}

async function show(id) {
  const [row] = await database.query(SQL.story, [id]);
  return { body: JSON.stringify(story(row)) };
}

async function storiesOfSprint(id) {
  const [board] = await database.query(SQL.boardOfSprint, [id]);
  const rows = await database.query(SQL.storiesOfSprint, [board.id, id]);
  return { body: JSON.stringify(rows.map(listed)) };
}

async function backlog(name, limit) {
  const [board] = await database.query(SQL.board, [name]);
  const rows = await database.query(SQL.backlog, [board.id, limit + 1]);
  const headers = {};
  if (rows.length > limit) {
    rows.pop();
    const { seq, id } = rows[limit - 1];
    const cursor = Buffer.from(JSON.stringify([seq, id])).toString('base64url');
    headers.Link = `</api/boards/${encodeURIComponent(name)}/backlog?limit=${limit}&cursor=${cursor}>; rel="next"`;
  }
  return { headers, body: JSON.stringify(rows.map(listed)) };
}

/** Cached sprints in full, each with its revision and day, by the name of the board. */
const cached = new Map();

async function current(name, { 'if-none-match': tag, 'cache-control': control }) {
  const [board] = await database.query(SQL.board, [name]);
  const day = new Date().toISOString().slice(0, 10); // The boards are in UTC.
  let found = cached.get(name);
  if (found?.revision !== board.revision || found.day !== day || control === 'no-cache') {
    const body = Buffer.from(`${await build(board, day)}\n`);
    const ETag = `"${hash('sha1', body, 'base64url')}"`;
    found = { revision: board.revision, day, body, headers: { ETag } };
    cached.set(name, found);
  }
  return tag === found.headers.ETag ? { status: 304, headers: found.headers } : found;
}

async function build(board, day) {
  const [row] = await database.query(SQL.current, [board.id, day, day, day]);
  const { id, board_name, name, goal, start_date, end_date, external_id, version } = row;
  const stories = await database.query(SQL.allStories, [board.id, id]);
  const ids = stories.map((one) => one.id);
  const tasks = await database.query(SQL.tasks(ids), [...ids, board.id, board.revision]);
  const byId = new Map();
  for (const one of stories) byId.set(one.id, Object.assign(story(one), { tasks: [] }));
  for (const one of tasks) byId.get(one.story_id).tasks.push(represented(one));
  return JSON.stringify({
    ...{ id, board_name, name, goal, start_date, end_date, state: 'active' },
    ...{
      started_at: null,
      completed_at: null,
      external_id,
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      version,
    },
    stories,
  });
}

const searchable = (title, description) =>
  (description === null ? title : `${title}\n${description}`).toUpperCase();

function create(sprintId, body) {
  return database.transaction(function* () {
    const [board] = yield [SQL.lockBySprint, [sprintId]];
    const [{ last }] = yield [SQL.endOfSprint, [sprintId, board.id]];
    const at = stored(new Date());
    const now = instant(at);
    const done = body.status === 'done';
    const place = { board_name: board.name, sprint_id: sprintId, seq: last + 1 };
    const times = { created_at: now, updated_at: now, done_at: done ? now : null };
    const story = { ...NEW_STORY, ...body, ...place, ...times };
    const list = story.labels.map((label) => JSON.stringify(label)).join('\n,\n');
    const row = {
      ...story,
      board_id: board.id,
      search: searchable(story.title, story.description),
      labels: `[\n${list}\n]`,
      ...{ created_at: at, updated_at: at, done_at: done ? at : null },
    };
    const { id } = yield [SQL.insertStory, STORY_COLUMNS.map((name) => row[name])];
    const created = JSON.stringify({ ...story, id });
    yield* record(board, at, ['story.created', id, 1, sprintId, null, created]);
    return { status: 201, body: created, headers: { Location: `/api/stories/${id}` } };
  });
}

function update(id, { title }) {
  return database.transaction(function* () {
    const [board] = yield [SQL.lockByStory, [id]];
    const before = story((yield [SQL.story, [id]])[0]);
    const at = stored(new Date());
    const after = { ...before, title, updated_at: instant(at), version: before.version + 1 };
    const search = searchable(title, before.description);
    yield [SQL.updateTitle, [title, search, at, after.version, id]];
    const changed = ({ title, updated_at, version }) =>
      JSON.stringify({ title, updated_at, version });
    const { sprint_id, version } = after;
    const event = ['story.updated', id, version, sprint_id, changed(before), changed(after)];
    yield* record(board, at, event);
    return { body: JSON.stringify(after) };
  });
}

function* record(board, at, [type, id, version, sprintId, before, after]) {
  const revision = board.revision + 1;
  yield [SQL.revision, [revision, randomBytes(6).toString('base64url'), board.id]];
  const entity = ['anonymous', 'story', id, version];
  yield [SQL.event, [board.id, revision, type, at, ...entity, sprintId, before, after]];
}

/** The driver's pool with the session and the deadlines of the service. */
function openMysql() {
  const url = new URL(process.env.DATABASE_URL);
  const pool = mysql2.createPool({
    host: url.hostname,
    port: Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
    charset: 'utf8mb4',
    timezone: 'Z',
    dateStrings: true,
    decimalNumbers: true,
    connectionLimit: Number(process.env.DATABASE_POOL ?? 10),
  });
  pool.on('connection', (connection) => {
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  });
  const send = (connection, sql, values) =>
    new Promise((resolve, reject) => {
      const late = () => connection.stream.destroy(new Error('no answer in time'));
      const deadline = setTimeout(late, 3000);
      connection.query(sql, values, (error, result) => {
        clearTimeout(deadline);
        if (error) reject(error);
        else resolve(result);
      });
    });
  const lend = async (work) => {
    const connection = await new Promise((resolve, reject) => {
      const deadline = setTimeout(() => reject(new Error('no free connection')), 1500);
      pool.getConnection((error, lent) => {
        clearTimeout(deadline);
        if (error) reject(error);
        else resolve(lent);
      });
    });
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  };
  return {
    lock: ' FOR UPDATE',
    byList: 'USE INDEX (ix_stories_list)',
    query: (sql, values) => lend((connection) => send(connection, sql, values)),
    transaction: (work) =>
      lend(async (connection) => {
        await send(connection, 'START TRANSACTION');
        try {
          const steps = work();
          let step = steps.next();
          while (!step.done) {
            const result = await send(connection, ...step.value);
            step = steps.next(Array.isArray(result) ? result : { id: result.insertId });
          }
          await send(connection, 'COMMIT');
          return step.value;
        } catch (error) {
          await send(connection, 'ROLLBACK');
          throw error;
        }
      }),
  };
}

/** One connection is enough: the driver is synchronous, so nothing else runs during a transaction. */
function openSqlite() {
  const connection = new Libsql(process.env.DATABASE_URL.slice('sqlite:'.length));
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('cache_size = -16384');
  connection.pragma('busy_timeout = 2000');
  const statements = new Map();
  const run = (sql, values) => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = connection.prepare(sql)));
    if (sql.startsWith('SELECT')) return statement.all(...values);
    return { id: statement.run(...values).lastInsertRowid };
  };
  return {
    lock: '',
    byList: '',
    query: run,
    transaction: (work) => {
      connection.exec('BEGIN IMMEDIATE');
      try {
        const steps = work();
        let step = steps.next();
        while (!step.done) step = steps.next(run(...step.value));
        connection.exec('COMMIT');
        return step.value;
      } catch (error) {
        connection.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

async function readBody(request) {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) text += part;
  return JSON.parse(text);
}

/** Answers a request. Returns its route and the response. */
async function answer(request) {
  const [path, query] = request.url.split('?');
  const [, , kind, key, what] = path.split('/');
  if (kind === 'stories') {
    if (request.method === 'GET') return ['/api/stories/:story_id', await show(Number(key))];
    return ['/api/stories/:story_id', await update(Number(key), await readBody(request))];
  }
  if (kind === 'sprints') {
    const route = '/api/sprints/:sprint_id/stories';
    if (request.method === 'GET') return [route, await storiesOfSprint(Number(key))];
    return [route, await create(Number(key), await readBody(request))];
  }
  const name = decodeURIComponent(key);
  if (what === 'backlog') {
    const limit = Number(query.slice('limit='.length));
    return ['/api/boards/:board_name/backlog', await backlog(name, limit)];
  }
  return ['/api/boards/:board_name/sprints/current', await current(name, request.headers)];
}

const JSON_TYPE = 'application/json; charset=utf-8';

const server = createServer(async (request, response) => {
  const start = performance.now();
  const [route, result] = await answer(request).catch((error) => [
    '(none)',
    { status: 500, body: JSON.stringify({ detail: String(error) }) },
  ]);
  const { status = 200, headers } = result;
  const body = typeof result.body === 'string' ? `${result.body}\n` : (result.body ?? '');
  const length = status === 304 ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { 'Content-Type': JSON_TYPE, ...length, ...headers });
  response.end(status === 304 ? undefined : body);
  log.info({
    request_id: randomUUID(),
    method: request.method,
    url: request.url,
    actor: 'anonymous',
    route,
    status,
    duration_ms: Math.round((performance.now() - start) * 1000) / 1000,
  });
});

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
