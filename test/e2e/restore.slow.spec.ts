import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BoardLoader } from '../../src/boards/board-loader.service';
import { DeletedBoards } from '../../src/boards/deleted-boards.service';
import { Board, LOADING } from '../../src/boards/board.entity';
import { OPERATOR } from '../../src/cli/application';
import { Database } from '../../src/database/database';
import { UnitOfWork } from '../../src/database/unit-of-work';
import { EVENT_TYPES } from '../../src/events/event';
import type { Caller } from '../../src/http/caller';
import { survey } from '../../src/transfer/restore/restore-survey';
import type { ImportView } from '../../src/transfer/import/import.dto';
import { RestoreService } from '../../src/transfer/restore/restore.service';
import { startApp, useApp } from '../support/app';
import type { Answer } from '../support/client';
import { command } from '../support/command';
import { engineUnderTest } from '../support/databases';
import { asOfEarlierVersion, linesOf, signed } from '../support/export-file';
import { afterwards } from '../support/faults';
import { boardWithFullLog } from '../support/board-with-full-log';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { expectProblem } from '../support/problems';
import { rowCounts } from '../support/row-counts';
import { asRestored, everythingOf } from '../support/same-board';
import { onStatement } from '../support/statements';
import { upload } from '../support/upload';

const service = useApp();
let board: Workspace;
let file: string;
beforeAll(async () => {
  board = await boardWithFullLog(service);
  file = (await service.client.get(`${board.path}/export?log=true`)).text;
}, 60_000);

const send = (
  text: string | Buffer,
  name: string,
  query = '',
  headers?: Record<string, string>,
): Promise<Answer> =>
  upload(service.client, name, text, { query, type: 'application/x-ndjson', headers });

/** Imports a file and returns what was created. */
const restore = async (text: string | Buffer, name: string, query = ''): Promise<unknown> =>
  (await made2xx(send(text, name, query))).created;

/** Restores a board with a call of the service instead of the API, from a source that a test controls. */
async function restoreFrom(
  name: string,
  open: () => AsyncIterable<Buffer>,
  caller: Caller = OPERATOR,
): Promise<void> {
  const exported = { survey: await survey(open()), open };
  await service.app.get(RestoreService).restore(caller, name, exported, {} as ImportView, {
    dryRun: false,
    progress: () => undefined,
  });
}

/** Imports a file that must be rejected and returns the code and the line of the error. */
async function failure(text: string | Buffer, name = freshName('Refused')): Promise<unknown[]> {
  const answer = await send(text, name, '?format=sprintline');
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_file']);
  expect((await service.client.get(boardPath(name))).status).toBe(404);
  const [error] = answer.body.errors ?? [];
  return [error?.code, error?.line];
}

describe('a board that is restored with its log', () => {
  it('is the same except for its ids and its name: rows, events, history and every report', async () => {
    const name = freshName('Restored');
    const before = await everythingOf(service.client, board.name);
    const counts = await restore(file, name);
    expect(counts).toEqual({
      sprints: before.sprints.length,
      stories: before.stories.length,
      tasks: before.tasks.flat().length,
    });
    const after = await everythingOf(service.client, name);
    const expected = asRestored(before, after);
    for (const part of Object.keys(expected)) {
      expect([part, after[part]]).toEqual([part, expected[part]]);
    }
    // The log of the board has every type of event.
    const types = new Set(before.events.map(({ type }: any) => type as string));
    expect([...types].sort()).toEqual(
      EVENT_TYPES.filter((type) => type !== 'board.deleted').sort(),
    );
    expect(before.forecasts[0].when).toHaveLength(3);
  });

  it('has the same export, except for its ids and its name', async () => {
    const name = freshName('Again');
    await restore(file, name);
    const again = (await service.client.get(`${boardPath(name)}/export?log=true`)).text;
    const shape = (text: string): string[] =>
      text
        .trimEnd()
        .split('\n')
        .slice(0, -1)
        .map((line) => line.replaceAll(name, board.name).replace(/("(\w+_)?id":|:\[)\d+/g, '$1'));
    expect(shape(again)).toEqual(shape(file));
    // Restored once more under its first name, it differs only in its ids.
    await made2xx(service.client.delete(`${board.path}?force=true`));
    await restore(again, board.name);
    const third = (await service.client.get(`${board.path}/export?log=true`)).text;
    expect(shape(third)).toEqual(shape(file));
  });

  it('has null for fields that an earlier version did not export', async () => {
    const name = freshName('Earlier');
    await restore(asOfEarlierVersion(file), name);
    const before = await everythingOf(service.client, board.name);
    const after = await everythingOf(service.client, name);
    const expected = asRestored(before, after);
    for (const part of ['sprints', 'stories', 'tasks']) {
      expect([part, after[part]]).toEqual([part, expected[part]]);
    }
  });

  it('has different entity tags from an earlier board of its name at the same revision', async () => {
    const [one, two] = [freshName('Tags'), freshName('Tags')];
    await restore(file, one);
    const first = await service.client.get(`${boardPath(one)}/stories`);
    await made2xx(service.client.put(boardPath(one), { name: two }));
    await restore(file, one);
    const second = await service.client.get(`${boardPath(one)}/stories`);
    expect(second.headers.get('x-board-revision')).toBe(first.headers.get('x-board-revision'));
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
  });

  it('has different entity tags from a restore to the same id and revision, as after a backup was restored', async () => {
    const tags = new Map<string | null, unknown>();
    for (const empty of [await startApp(), await startApp()]) {
      afterwards(() => empty.close());
      await made2xx(upload(empty.client, 'Restored', file, { type: 'application/x-ndjson' }));
      const { body } = await empty.client.get('/api/boards/Restored');
      const { headers } = await empty.client.get('/api/boards/Restored/stories');
      tags.set(headers.get('etag'), [body.id, headers.get('x-board-revision')]);
    }
    const [one, two] = [...tags.values()];
    expect(two).toEqual(one);
  });

  it('can be changed', async () => {
    const name = freshName('Living');
    await restore(file, name);
    const path = boardPath(name);
    const { revision } = (await service.client.get(path)).body;
    const story = await made2xx(service.client.post(`${path}/backlog`, { title: 'new' }));
    expect((await service.client.get(`${path}/events?after=${revision}`)).body).toMatchObject([
      { revision: revision + 1, type: 'story.created', id: story.id },
    ]);
  });

  it('may be empty', async () => {
    const empty = await Workspace.create(service.client);
    const { text } = await service.client.get(`${empty.path}/export?log=true`);
    const name = freshName('Empty');
    expect(await restore(text, name)).toEqual({ sprints: 0, stories: 0, tasks: 0 });
    expect((await service.client.get(boardPath(name))).body).toMatchObject({ revision: 1 });
  });

  it('is not created by a dry run, which has the same counts', async () => {
    const before = await rowCounts(service);
    const name = freshName('Dry');
    const counts = await restore(file, name, '?dry_run=true');
    expect((await service.client.get(boardPath(name))).status).toBe(404);
    expect(await rowCounts(service)).toEqual(before);
    expect(await restore(file, name)).toEqual(counts);
  });
});

describe('a restore is rejected and creates nothing', () => {
  let before: number[];
  beforeAll(async () => {
    // The log of a deleted board is kept for a minute.
    service.clock.set('2026-11-21T09:00:00Z');
    before = await rowCounts(service);
  });
  afterEach(async () => {
    expect(await rowCounts(service)).toEqual(before);
  });

  it('if the file is cut anywhere', async () => {
    const bytes = Buffer.from(file);
    const lengths = fc.sample(fc.integer({ min: 1, max: bytes.length - 1 }), 40);
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([at]) => at);
    for (const length of [1, bytes.length - 1, ends[0] ?? 0, ends.at(-2) ?? 0, ...lengths]) {
      const [code, line] = await failure(bytes.subarray(0, length));
      expect([length, code]).toEqual([length, 'cut']);
      expect(line).toBe(1 + ends.filter((at) => at < length - 1).length);
    }
  });

  it('if any byte is changed', async () => {
    const at = fc.nat(Buffer.byteLength(file) - 1);
    const bit = fc.integer({ min: 0, max: 7 });
    for (const [index, bits] of fc.sample(fc.tuple(at, bit), 60)) {
      const changed = Buffer.from(file);
      changed[index] = (changed[index] ?? 0) ^ (1 << bits);
      const [code, line] = await failure(changed);
      expect([index, typeof code, typeof line]).toEqual([index, 'string', 'number']);
    }
  });

  it('if anything follows the end of the export', async () => {
    expect((await failure(`${file}\n`))[0]).toBe('unexpected');
    expect((await failure(file + file))[0]).toBe('unexpected');
  });

  it('if a line is invalid, even with a correct checksum', async () => {
    const lines = linesOf(file);
    const at = (kind: string): number => lines.findIndex((line) => line.startsWith(`{"${kind}"`));
    const changed = (kind: string, from: string | RegExp, to: string): Promise<unknown[]> => {
      const other = [...lines];
      const index = at(kind);
      other[index] = lines[index]?.replace(from, to) ?? '';
      expect(other[index]).not.toBe(lines[index]);
      return failure(signed(other));
    };
    const errorOf = async (kind: string, from: string | RegExp, to: string): Promise<unknown> => {
      const [code, line] = await changed(kind, from, to);
      expect(line).toBe(at(kind) + 1);
      return code;
    };
    const tooLong = `"title":"${'x'.repeat(256)}"`;
    expect(await errorOf('story', /"title":"[^"]*"/, tooLong)).toBe('invalid_value');
    expect(await errorOf('story', '"seq":', '"sec":')).toBe('unknown_field');
    expect(await errorOf('story', /"seq":-?\d+,/, '')).toBe('required');
    expect(await errorOf('story', /"created_at":"2026-0/, '"created_at":"2026-9')).toBe(
      'invalid_value',
    );
    expect(await errorOf('story', /"status":"\w+"/, '"status":"open"')).toBe('invalid_value');
    expect(await errorOf('story', /"sprint_id":\w+/, '"sprint_id":987654')).toBe('not_found');
    expect(await errorOf('task', /"story_id":\d+/, '"story_id":987654')).toBe('unexpected');
    expect(await errorOf('sprint', /"end_date":"2026/, '"end_date":"2025')).toBe('out_of_range');
    expect(await errorOf('sprint', /^/, '[')).toBe('malformed');
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
    expect(await errorOf('sprint', /"goal":.*/, `"goal":${deep}}}`)).toBe('too_deep');
    const long = `[${'0,'.repeat(50_000)}0]`;
    expect(await errorOf('sprint', /"goal":.*/, `"goal":${long}}}`)).toBe('too_many');
    expect(await errorOf('sprint', '"sprint"', '"toString"')).toBe('malformed');
    expect(await errorOf('sprint', '"sprint"', '"__proto__"')).toBe('malformed');
    expect(await errorOf('sprintline_export', /"log":true/, '"log":1')).toBe('malformed');
    expect(await errorOf('sprintline_export', 'export":1', 'export":2')).toBe('unknown_version');
    expect(await errorOf('event', /"revision":1,/, '"revision":0,')).toBe('unexpected');
    expect(await errorOf('event', '"version":1,"sprint_id"', '"sprint_id"')).toBe('malformed');
    const repeated = [...lines];
    repeated.splice(at('task'), 0, lines[at('task')] ?? '');
    expect(await failure(signed(repeated))).toEqual(['duplicate', at('task') + 2]);
    const sprints = lines.filter((line) => line.startsWith('{"sprint"'));
    expect(await failure(signed([...lines, sprints[0] ?? '']))).toEqual([
      'unexpected',
      lines.length + 1,
    ]);
  });

  it('if its header is not one that an export has', async () => {
    const [header = '', ...rest] = linesOf(file);
    const rows = rest.filter((line) => !line.startsWith('{"event"'));
    const unborn = header.replace(/"revision":\d+/g, '"revision":0');
    expect(await failure(signed([unborn, ...rows]))).toEqual(['malformed', 1]);
    const days = header.replace(/"working_days":\[[^\]]*\]/, '"working_days":["fri","mon"]');
    expect(days).not.toBe(header);
    expect(await failure(signed([days, ...rest]))).toEqual(['invalid_value', 1]);
  });

  it('if an event has an invalid value', async () => {
    const lines = linesOf(file);
    const created = lines.findIndex((line) => line.includes('"type":"sprint.created"'));
    const other = lines.with(
      created,
      lines[created]!.replace(/"start_date":"[^"]*"/, '"start_date":7'),
    );
    expect(await failure(signed(other))).toEqual(['invalid_value', created + 1]);
  });

  it('if an event lacks what the reports of a sprint need', async () => {
    const lines = linesOf(file);
    const at = (type: string): number => lines.findIndex((line) => line.includes(`"${type}"`));
    const changed = (index: number, ...changes: [RegExp, string][]): Promise<unknown[]> => {
      const line = changes.reduce((text, change) => {
        const other = text.replace(...change);
        expect(other).not.toBe(text);
        return other;
      }, lines[index]!);
      return failure(signed(lines.with(index, line)));
    };
    const completed = at('sprint.completed');
    const time = /("after":\{.*)"completed_at":"[^"]*",/;
    for (const other of ['$1', '$1"completed_at":null,']) {
      expect(await changed(completed, [time, other])).toEqual(['malformed', completed + 1]);
    }
    expect(await changed(completed, [/"at":"\d{4}/, '"at":"9999'])).toEqual([
      'invalid_value',
      completed + 1,
    ]);
    const created = at('sprint.created');
    const started = await changed(
      created,
      [/sprint\.created/, 'sprint.started'],
      [/"before":null/, '"before":{}'],
    );
    expect(started).toEqual(['unexpected', created + 1]);
  });

  it('if the event of a new row lacks a field', async () => {
    const lines = linesOf(file);
    for (const [type, field] of [
      ['sprint.created', /"start_date":"[^"]*",/],
      ['story.created', /"seq":-?\d+,/],
      ['task.created', /"status":"\w+",/],
    ] as const) {
      const created = lines.findIndex((line) => line.includes(`"type":"${type}"`));
      const line = lines[created]!.replace(field, '');
      expect(line).not.toBe(lines[created]);
      const error = await failure(signed(lines.with(created, line)));
      expect([type, ...error]).toEqual([type, 'required', created + 1]);
    }
  });

  it('if the revisions of the events have a gap, or are not those of the board', async () => {
    const lines = linesOf(file);
    const last = lines.length - 1;
    const isEvent = (line: string): boolean => line.startsWith('{"event"');
    const first = lines.findIndex(isEvent);
    const revised = (index: number, revision: number): string[] =>
      lines.with(index, lines[index]!.replace(/"revision":\d+/, `"revision":${revision}`));
    const withRevision = (revision: number, other: string[]): string[] =>
      other.with(0, other[0]!.replace(/"revision":\d+/g, `"revision":${revision}`));
    const MAX = 2 ** 31 - 1;
    const count = lines.filter(isEvent).length;
    expect(await failure(signed(lines.toSpliced(first, 1)))).toEqual(['unexpected', first + 1]);
    expect(await failure(signed(lines.toSpliced(last - 1, 1)))).toEqual(['unexpected', last]);
    expect(await failure(signed(lines.slice(0, -1)))).toEqual(['cut', last + 1]);
    expect(await failure(signed(revised(last, count + 1)))).toEqual(['unexpected', last + 1]);
    expect(await failure(signed(withRevision(MAX, revised(last, MAX))))).toEqual([
      'unexpected',
      last + 1,
    ]);
    expect(await failure(signed(withRevision(MAX, lines)))).toEqual(['cut', last + 2]);
  });

  it('if an event does not have the fields of its type, or its version is too large', async () => {
    const lines = linesOf(file);
    const changed = async (type: string, from: RegExp, to: string): Promise<void> => {
      const index = lines.findIndex((line) => line.includes(`"type":"${type}"`));
      const line = lines[index]!.replace(from, to);
      expect(line).not.toBe(lines[index]);
      const error = await failure(signed(lines.with(index, line)));
      expect([type, ...error]).toEqual([type, expect.any(String), index + 1]);
    };
    await changed('story.created', /"after":\{.*\},"version"/, '"after":null},"version"');
    await changed('story.updated', /"before":\{.*\},"after"/, '"before":null,"after"');
    await changed('sprint.deleted', /"after":null/, '"after":{}');
    await changed('task.created', /"before":null/, '"before":{}');
    await changed('sprint.completed', /"entity":"sprint"/, '"entity":"story"');
    await changed('story.created', /,"after":\{.*\}(?=\},"version")/, '');
    await changed('story.updated', /,"before":\{.*\}(?=,"after")/, '');
    await changed('story.created', /"version":\d+,"sprint_id"/, '"version":2147483648,"sprint_id"');
  });

  it('if two stories have the same external id', async () => {
    const lines = linesOf(file);
    const other = lines.map((line) =>
      line.startsWith('{"story"')
        ? line.replace(/"external_id":"[^"]*"/, '"external_id":"X"')
        : line,
    );
    expect(await failure(signed(other))).toEqual([undefined, undefined]);
  });

  it('if two sprints, or two tasks of a story, have the same external id', async () => {
    const lines = linesOf(file);
    const withId = (index: number): string =>
      lines[index]!.replace(/"external_id":(?:null|"[^"]*")/, '"external_id":"X"');
    const [first = 0, second = 0] = lines.flatMap((line, i) =>
      line.startsWith('{"sprint":') ? [i] : [],
    );
    expect(
      await failure(signed(lines.with(first, withId(first)).with(second, withId(second)))),
    ).toEqual(['duplicate', second + 1]);
    const task = lines.findIndex((line) => line.startsWith('{"task"'));
    const other = withId(task).replace(/"id":\d+/, '"id":987654');
    expect(await failure(signed(lines.toSpliced(task, 1, withId(task), other)))).toEqual([
      'duplicate',
      task + 2,
    ]);
  });

  it('if another board has the name, even if that board is created during the restore', async () => {
    expectProblem(await send(file, board.name), 409, 'name_taken');
    const name = freshName('Raced');
    let readings = 0;
    const open = (): AsyncIterable<Buffer> =>
      (async function* () {
        readings += 1;
        yield Buffer.from(file);
        // The file is read a second time to load it.
        if (readings === 2) await made2xx(service.client.post('/api/boards', { name }));
      })();
    await expect(restoreFrom(name, open)).rejects.toMatchObject({ code: 'name_taken' });
    expect((await service.client.get(`${boardPath(name)}/stories`)).body).toEqual([]);
    await made2xx(service.client.delete(boardPath(name)));
    service.clock.set('2026-11-21T10:00:00Z');
  });

  it('if the caller is not an admin', async () => {
    const writer = { actor: 'ada', tokenId: 0, scope: 'write' as const, clientKey: 'test' };
    const open = (): AsyncIterable<Buffer> => Readable.from([Buffer.from(file)]);
    await expect(restoreFrom(freshName('Refused'), open, writer)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

it('a restore is repeated safely with an idempotency key', async () => {
  const name = freshName('Repeated');
  const repeat = (): Promise<Answer> =>
    send(file, name, '', { 'idempotency-key': encodeURIComponent(name) });
  const before = await rowCounts(service);
  const first = await repeat();
  const after = await rowCounts(service);
  const second = await repeat();
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(after[0]).toBe((before[0] ?? 0) + 1);
  expect(await rowCounts(service)).toEqual(after);
});

it('a restore is possible with the command line, too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sprintline-restore-'));
  try {
    const path = join(folder, 'board.ndjson');
    const name = freshName('Command');
    writeFileSync(path, file);
    const counts = (await restore(file, freshName('Counted'))) as any;
    const { sprints, stories, tasks } = counts;
    const run = () => command(service.database, 'import', path, '--board', name);
    const done = {
      code: 0,
      out: `${name}: ${stories} stories, ${sprints} sprints and ${tasks} tasks created.\n`,
      err: '',
    };
    expect(await run()).toEqual(done);
    expect(await run()).toEqual({ code: 1, out: '', err: 'Another board has this name.\n' });
    writeFileSync(path, file.slice(0, -1));
    expect((await run()).err).toMatch(/^line \d+: the file ends early/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const onSqlite = engineUnderTest() === 'sqlite' ? it : it.skip;

onSqlite(
  'a restore syncs its publication and the changes of others to the disk, but not its parts',
  async () => {
    const other = await Workspace.create(service.client);
    const story = await other.story(null);
    const levels: Record<'part' | 'change' | 'other', number[]> = {
      part: [],
      change: [],
      other: [],
    };
    let written = '';
    const stop = onStatement({
      before: async ({ sql, query }) => {
        if (sql !== 'COMMIT') written += sql;
        else {
          const isPart = written.includes('UPDATE boards SET updated_at');
          const isChange = written.includes('UPDATE stories SET');
          const [row] = (await query('PRAGMA synchronous')) as { synchronous: number }[];
          levels[isPart ? 'part' : isChange ? 'change' : 'other'].push(row?.synchronous ?? -1);
          written = '';
        }
      },
    });
    try {
      let pieces = 0;
      const pause = async function* (): AsyncGenerator<Buffer> {
        for (let at = 0; at < file.length; at += file.length / 4) {
          yield Buffer.from(file.slice(at, at + file.length / 4));
          const title = `Piece ${(pieces += 1)}`;
          await made2xx(service.client.put(`/api/stories/${story.id}`, { title }));
        }
      };
      await restoreFrom(freshName('Synced'), pause);
    } finally {
      stop();
    }
    const [normal, full] = [1, 2];
    expect(levels.part.length).toBeGreaterThan(3);
    expect(new Set(levels.part)).toEqual(new Set([normal]));
    expect(levels.change).toEqual(Array(8).fill(full));
    // The start of the load, and its publication.
    expect(levels.other).toEqual([full, full]);
  },
);

it('two concurrent restores with one name create one board', async () => {
  const name = freshName('Twice');
  const before = await rowCounts(service);
  const done = await Promise.all([send(file, name), send(file, name)]);
  expect(done.map(({ status }) => status).sort()).toEqual([200, 409]);
  const one = (await rowCounts(service)).map((count, i) => count - (before[i] ?? 0));
  const shown = await everythingOf(service.client, name);
  expect(one).toEqual([
    1,
    shown.sprints.length,
    shown.stories.length,
    shown.tasks.flat().length,
    shown.events.length,
  ]);
});

describe('a load that stops', () => {
  it('is deleted once a purge has seen its last part for five minutes, whatever its clock', async () => {
    service.clock.set('2026-11-21T12:00:00Z');
    const before = await rowCounts(service);
    const name = freshName('Stopped');
    let reading = 0;
    const stopped = restoreFrom(name, () => {
      reading += 1;
      const isSecond = reading === 2;
      return (async function* () {
        if (!isSecond) {
          yield Buffer.from(file);
          return;
        }
        const half = file.lastIndexOf('\n{"event"') + 1;
        yield Buffer.from(file.slice(0, half));
        // The transactions have the clock of another instance.
        for (const time of ['14:00:00', '14:04:59']) {
          service.clock.set(`2026-11-21T${time}Z`);
          expect((await rowCounts(service))[2]).toBeGreaterThan(before[2] ?? 0);
        }
        service.clock.set('2026-11-21T14:05:01Z');
        expect(await rowCounts(service)).toEqual(before);
        yield Buffer.from(file.slice(half));
      })();
    });
    // Its rows were deleted, so the load fails, too.
    await expect(stopped).rejects.toMatchObject({ code: 'database_unavailable' });
    expect((await service.client.get(boardPath(name))).status).toBe(404);
    expect(await rowCounts(service)).toEqual(before);
  });

  it('cannot be published once a purge has ended it', async () => {
    const name = freshName('Ended');
    const { app, client } = service;
    const { body } = await client.get(board.path);
    const load = app.get(BoardLoader).load(OPERATOR, { ...body, name }, async ({ boardId }) => {
      // As the purge ends it, whose deletion of the rows then follows.
      const end = { id: boardId, version: LOADING };
      await app.get(UnitOfWork).maintain((manager) => manager.update(Board, end, { version: 1 }));
      return {};
    });
    await expect(load).rejects.toMatchObject({ code: 'database_unavailable' });
    expect((await client.get(boardPath(name))).status).toBe(404);
  });

  it('is not deleted by a purge that has found it before it is published', async () => {
    const name = freshName('Published');
    const database = service.app.get(Database);
    const query = database.query.bind(database);
    let publish = (): void => undefined;
    const published = new Promise<void>((resolve) => (publish = resolve));
    const delayed = jest.spyOn(database, 'query').mockImplementation(async (sql, parameters) => {
      const found = await query(sql, parameters);
      if (sql.includes('name IS NULL')) await published;
      return found;
    });
    let purge: Promise<void> | undefined;
    let reading = 0;
    const open = async function* (): AsyncGenerator<Buffer> {
      const half = file.lastIndexOf('\n{"event"') + 1;
      yield Buffer.from(file.slice(0, half));
      // The first reading surveys the file, the second one loads the board.
      if (++reading === 2) purge = service.app.get(DeletedBoards).purge();
      yield Buffer.from(file.slice(half));
    };
    try {
      await restoreFrom(name, open);
    } finally {
      publish();
      delayed.mockRestore();
    }
    await purge;
    const before = await everythingOf(service.client, board.name);
    const after = await everythingOf(service.client, name);
    expect(after).toEqual(asRestored(before, after));
  });
});
