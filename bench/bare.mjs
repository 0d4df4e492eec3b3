// The server to compare with: what node:http and the driver give to somebody who needs neither a
// framework nor a check of anything. The same statements, the same transactions, the same bytes, the
// same line in the log. Whatever makes it faster belongs here.
import Libsql from 'libsql';
import mysql2 from 'mysql2';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pino from 'pino';

let millisecond = 0;
let time = '';
function isoTime() {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    time = `,"time":"${new Date(now).toISOString()}"`;
  }
  return time;
}

const log = pino({
  base: null,
  timestamp: isoTime,
  formatters: { level: (label) => ({ level: label }) },
});

const STORY = `s.id, b.name AS board_name, s.sprint_id, s.title, s.description, s.seq, s.priority, s.status,
  s.points, s.assignee, s.labels, s.external_id, s.created_at, s.updated_at, s.done_at, s.version`;
const STORIES = 'FROM stories s JOIN boards b ON b.id = s.board_id';
const BOARD = 'id, name, time_zone, revision, created_at, updated_at, version';
const LOCKED = `${BOARD}, backlog_revision, backlog_count, backlog_estimated, backlog_hundredths`;
const LATER = `SELECT n.start_date FROM sprints n WHERE n.board_id = s.board_id AND n.start_date >= s.start_date
  AND (n.start_date > s.start_date OR n.id > s.id) ORDER BY n.start_date, n.id LIMIT 1`;

const database = process.env.DATABASE_URL.startsWith('sqlite:') ? openSqlite() : openMysql();
const lock = database.lock;

const SQL = {
  story: `SELECT ${STORY} ${STORIES} WHERE s.id = ? AND b.name IS NOT NULL`,
  boardOfSprint: `SELECT b.id, b.revision FROM sprints p JOIN boards b ON b.id = p.board_id
    WHERE p.id = ? AND b.name IS NOT NULL`,
  board: `SELECT ${BOARD} FROM boards b WHERE b.name = ?`,
  storiesOfSprint: `SELECT ${STORY} ${STORIES} WHERE s.board_id = ? AND s.sprint_id = ? ORDER BY s.seq, s.id LIMIT 501`,
  backlog: `SELECT ${STORY} ${STORIES} WHERE s.board_id = ? AND s.sprint_id IS NULL ORDER BY s.seq, s.id LIMIT 51`,
  current: `SELECT s.id, s.board_id, b.name AS board_name, b.time_zone, s.name, s.goal, s.start_date, s.end_date,
    s.completed_at, s.created_at, s.updated_at, s.version, CASE WHEN s.end_date IS NULL THEN (${LATER}) END AS next_start
    FROM sprints s JOIN boards b ON b.id = s.board_id WHERE s.board_id = ? AND s.completed_at IS NULL
    AND s.start_date <= ? AND (s.end_date >= ? OR (s.end_date IS NULL AND NOT EXISTS (
      SELECT 1 FROM sprints n WHERE n.board_id = s.board_id AND n.start_date >= s.start_date AND n.start_date <= ?
      AND (n.start_date > s.start_date OR n.id > s.id)))) ORDER BY s.start_date DESC, s.id DESC LIMIT 1`,
  allStories: `SELECT ${STORY} ${STORIES} WHERE s.board_id = ? AND s.sprint_id = ? ORDER BY s.seq, s.id`,
  tasks: `SELECT t.id, t.story_id, t.title, t.seq, t.status, t.assignee, t.created_at, t.updated_at, t.done_at, t.version
    FROM stories s JOIN tasks t ON t.story_id = s.id WHERE s.board_id = ? AND s.sprint_id = ?
    ORDER BY t.story_id, t.seq, t.id`,
  boardIdOfSprint: 'SELECT board_id FROM sprints WHERE id = ?',
  boardIdOfStory: 'SELECT board_id FROM stories WHERE id = ?',
  lockBoard: `SELECT ${LOCKED} FROM boards WHERE id = ? AND name IS NOT NULL${lock}`,
  sprint: 'SELECT completed_at FROM sprints WHERE id = ? AND board_id = ?',
  last: 'SELECT seq FROM stories WHERE board_id = ? AND sprint_id = ? ORDER BY seq DESC LIMIT 1',
  insertStory: `INSERT INTO stories (board_id, sprint_id, title, description, seq, priority, status, points, assignee,
    labels, external_id, search, created_at, updated_at, done_at, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
  updateTitle:
    'UPDATE stories SET title = ?, search = ?, updated_at = ?, version = version + 1 WHERE id = ?',
  revision: `UPDATE boards SET revision = ?, backlog_revision = ?, backlog_count = ?, backlog_estimated = ?,
    backlog_hundredths = ? WHERE id = ?`,
  event: `INSERT INTO events (board_id, revision, type, at, actor, entity, entity_id, entity_version, sprint_id,
    from_sprint_id, \`before\`, \`after\`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};

// The protocol of prepared statements leaves out a fraction of zero.
const instant = (text) => `${text.slice(0, 10)}T${text.slice(11).padEnd(12, '.000')}Z`;

function story(row) {
  row.labels = row.labels === '[]' ? [] : JSON.parse(row.labels);
  row.created_at = instant(row.created_at);
  row.updated_at = instant(row.updated_at);
  if (row.done_at !== null) row.done_at = instant(row.done_at);
  return row;
}

function task(row) {
  row.created_at = instant(row.created_at);
  row.updated_at = instant(row.updated_at);
  if (row.done_at !== null) row.done_at = instant(row.done_at);
  return row;
}

async function show(id) {
  const rows = await database.read(SQL.story, [id]);
  return JSON.stringify(story(rows[0]));
}

async function storiesOfSprint(id) {
  const [board] = await database.read(SQL.boardOfSprint, [id]);
  const rows = await database.readMany(SQL.storiesOfSprint, [board.id, id]);
  return JSON.stringify(rows.map(story));
}

async function backlog(name, limit, headers) {
  const [board] = await database.read(SQL.board, [name]);
  const rows = await database.readMany(SQL.backlog, [board.id]);
  if (rows.length > limit) {
    rows.pop();
    const { seq, id } = rows[limit - 1];
    const cursor = Buffer.from(JSON.stringify([seq, id])).toString('base64url');
    headers.Link = `</api/boards/${encodeURIComponent(name)}/backlog?limit=${limit}&cursor=${cursor}>; rel="next"`;
  }
  return JSON.stringify(rows.map(story));
}

const today = () => new Date().toISOString().slice(0, 10);

async function current(name) {
  const [board] = await database.read(SQL.board, [name]);
  // The benchmark's boards are in UTC.
  const day = today();
  const [row] = await database.read(SQL.current, [board.id, day, day, day]);
  const [stories, tasks] = await Promise.all([
    database.readMany(SQL.allStories, [board.id, row.id]),
    database.readMany(SQL.tasks, [board.id, row.id]),
  ]);
  const byId = new Map();
  for (const one of stories) byId.set(one.id, Object.assign(story(one), { tasks: [] }));
  for (const one of tasks) byId.get(one.story_id).tasks.push(task(one));
  return JSON.stringify({
    id: row.id,
    board_name: row.board_name,
    name: row.name,
    goal: row.goal,
    start_date: row.start_date,
    end_date: row.end_date,
    // What was selected is active.
    state: 'active',
    completed_at: null,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    version: row.version,
    stories,
  });
}

const now = () => new Date().toISOString().replace('T', ' ').slice(0, 23);

function create(sprint, body) {
  const at = now();
  return database.transaction(function* (sql) {
    const [{ board_id }] = yield sql(SQL.boardIdOfSprint, [sprint]);
    const [board] = yield sql(SQL.lockBoard, [board_id]);
    yield sql(SQL.sprint, [sprint, board_id]);
    const [last] = yield sql(SQL.last, [board_id, sprint]);
    const { title, description = null, priority = null, status = 'todo', points = null } = body;
    const { id } = yield sql(SQL.insertStory, [
      board_id,
      sprint,
      title,
      description,
      (last?.seq ?? 0) + 1,
      priority,
      status,
      points,
      body.assignee ?? null,
      stored(body.labels ?? []),
      null,
      (description === null ? title : `${title}\n${description}`).toUpperCase(),
      at,
      at,
      status === 'done' ? at : null,
    ]);
    const [row] = yield sql(SQL.story, [id]);
    const text = JSON.stringify(story(row));
    yield* tell(sql, board, at, ['story.created', id, 1, sprint, null, null, text]);
    return text;
  });
}

function update(id, { title }) {
  const at = now();
  return database.transaction(function* (sql) {
    const [{ board_id }] = yield sql(SQL.boardIdOfStory, [id]);
    const [board] = yield sql(SQL.lockBoard, [board_id]);
    const before = story((yield sql(SQL.story, [id]))[0]);
    const { description } = before;
    const search = (description === null ? title : `${title}\n${description}`).toUpperCase();
    yield sql(SQL.updateTitle, [title, search, at, id]);
    const after = story((yield sql(SQL.story, [id]))[0]);
    const told = ({ title, updated_at, version }) => JSON.stringify({ title, updated_at, version });
    const { sprint_id, version } = after;
    yield* tell(sql, board, at, [
      'story.updated',
      id,
      version,
      sprint_id,
      before.sprint_id,
      told(before),
      told(after),
    ]);
    return JSON.stringify(after);
  });
}

function* tell(sql, board, at, [type, id, version, sprint, from, before, after]) {
  const revision = board.revision + 1;
  // The totals of the backlog stay the same: the stories are in a sprint.
  yield sql(SQL.revision, [
    revision,
    revision,
    board.backlog_count,
    board.backlog_estimated,
    board.backlog_hundredths,
    board.id,
  ]);
  yield sql(SQL.event, [
    board.id,
    revision,
    type,
    at,
    'anonymous',
    'story',
    id,
    version,
    sprint,
    from,
    before,
    after,
  ]);
}

const stored = (labels) =>
  labels.length === 0
    ? '[]'
    : `[\n${labels.map((label) => JSON.stringify(label)).join('\n,\n')}\n]`;

/** The driver's pool of as many connections as the service has. */
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
  // Small answers come sooner from prepared statements; many rows, above all with times in them, are
  // read faster from the text protocol.
  const send = (to, sql, values) =>
    new Promise((resolve, reject) => {
      to.execute(sql, values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  const sendMany = (to, sql, values) =>
    new Promise((resolve, reject) => {
      to.query(sql, values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  // These MySQL does not prepare.
  const control = (connection, sql) =>
    new Promise((resolve, reject) => {
      connection.query(sql, (error) => (error ? reject(error) : resolve()));
    });
  return {
    lock: ' FOR UPDATE',
    read: (sql, values) => send(pool, sql, values),
    readMany: (sql, values) => sendMany(pool, sql, values),
    transaction: async (work) => {
      const connection = await new Promise((resolve, reject) => {
        pool.getConnection((error, taken) => (error ? reject(error) : resolve(taken)));
      });
      try {
        await control(connection, 'START TRANSACTION');
        const steps = work((sql, values) => ({ sql, values }));
        let step = steps.next();
        while (!step.done) {
          const result = await send(connection, step.value.sql, step.value.values);
          step = steps.next(Array.isArray(result) ? result : { id: result.insertId });
        }
        await control(connection, 'COMMIT');
        return step.value;
      } catch (error) {
        await control(connection, 'ROLLBACK');
        throw error;
      } finally {
        connection.release();
      }
    },
  };
}

/** One connection will do: the driver is synchronous, so a transaction has the process to itself. */
function openSqlite() {
  const connection = new Libsql(process.env.DATABASE_URL.slice('sqlite:'.length));
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  const statements = new Map();
  const prepared = (sql) => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = connection.prepare(sql)));
    return statement;
  };
  return {
    lock: '',
    read: (sql, values) => prepared(sql).all(...values),
    readMany: (sql, values) => prepared(sql).all(...values),
    transaction: (work) => {
      connection.exec('BEGIN IMMEDIATE');
      try {
        const steps = work((sql, values) =>
          sql.startsWith('SELECT')
            ? prepared(sql).all(...values)
            : { id: prepared(sql).run(...values).lastInsertRowid },
        );
        let step = steps.next();
        while (!step.done) step = steps.next(step.value);
        connection.exec('COMMIT');
        return step.value;
      } catch (error) {
        connection.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';

function readBody(request) {
  return new Promise((resolve, reject) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part) => (text += part));
    request.on('end', () => resolve(JSON.parse(text)));
    request.on('error', reject);
  });
}

/** What a request asks for: the route for the log, the status, and how the text comes about. */
function find(request, headers) {
  const { method, url } = request;
  const [, , kind, key, what, which] = url.split('/');
  if (kind === 'stories' && method === 'GET') {
    return ['/api/stories/:story_id', 200, show(Number(key))];
  }
  if (kind === 'stories') {
    const work = readBody(request).then((body) => update(Number(key), body));
    return ['/api/stories/:story_id', 200, work];
  }
  if (kind === 'sprints' && method === 'GET') {
    return ['/api/sprints/:sprint_id/stories', 200, storiesOfSprint(Number(key))];
  }
  if (kind === 'sprints') {
    const work = readBody(request).then((body) => create(Number(key), body));
    return ['/api/sprints/:sprint_id/stories', 201, work];
  }
  const name = decodeURIComponent(key);
  if (which === 'current') {
    return ['/api/boards/:board_name/sprints/current', 200, current(name)];
  }
  const limit = Number(what.slice('backlog?limit='.length));
  return ['/api/boards/:board_name/backlog', 200, backlog(name, limit, headers)];
}

const server = createServer(async (request, response) => {
  const start = performance.now();
  const id = randomUUID();
  const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': 0 };
  let found;
  let text;
  try {
    found = find(request, headers);
    text = await found[2];
  } catch (error) {
    found = ['(none)', 500];
    text = JSON.stringify({ detail: String(error) });
  }
  const [route, status] = found;
  headers['Content-Length'] = Buffer.byteLength(text);
  response.writeHead(status, headers);
  response.end(text);
  log.info({
    request_id: id,
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
