import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Database } from '../../src/database/database';
import { unavailable } from '../../src/database/errors';
import { ExportService } from '../../src/transfer/export/export.service';
import { useApp } from '../support/app';
import type { Outcome } from '../support/command';
import { command } from '../support/command';
import { shownBoard } from '../support/fingerprint';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { expectProblem } from '../support/problems';

const service = useApp();
let board: Workspace;
beforeAll(async () => {
  service.clock.set('2026-11-24T12:00:00Z');
  board = await Workspace.create(service.client, 'Europe/Berlin');
  const sprint = await board.sprint('2026-11-23', { name: 'Sprint 1', goal: 'Ship' });
  await board.sprint('2026-12-07');
  for (let i = 0; i < 30; i += 1) {
    const story = await board.story(i % 3 ? sprint : null, {
      title: `Story ${i}\n"é"`,
      seq: 9 - i,
    });
    for (let task = 0; task < i % 4; task += 1) await board.task(story, { seq: -task });
  }
  const { id } = await board.story(null, { title: 'gone' });
  await made2xx(service.client.delete(`/api/stories/${id}`));
});

const linesOf = (text: string): any[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Returns the values of the lines of a kind. */
const valuesOf = (lines: any[], kind: string): any[] =>
  lines.filter((line) => kind in line).map((line) => line[kind]);

const byId = (a: { id: number }, b: { id: number }): number => a.id - b.id;

describe('an export', () => {
  it('has a header, every sprint, story and task as the API shows them, and an end', async () => {
    const answer = await service.client.get(`${board.path}/export`);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const shown = await shownBoard(service.client, board.name);
    const lines = linesOf(answer.text);
    expect(lines[0]).toEqual({
      sprintline_export: 1,
      board: shown.board,
      revision: shown.board.revision,
      log: false,
    });
    expect(valuesOf(lines, 'sprint')).toEqual(shown.sprints.sort(byId));
    expect(valuesOf(lines, 'story')).toEqual(shown.stories.sort(byId));
    expect(valuesOf(lines, 'task').sort(byId)).toEqual(shown.tasks.sort(byId));
    expect(lines).toHaveLength(2 + 2 + 30 + shown.tasks.length);
  });

  it('has the tasks of each story after it, in their order', async () => {
    const lines = linesOf((await service.client.get(`${board.path}/export`)).text);
    let story: any;
    let tasks: any[] = [];
    for (const line of lines) {
      if (line.story) [story, tasks] = [line.story, []];
      if (!line.task) continue;
      tasks.push(line.task);
      expect(line.task.story_id).toBe(story.id);
      const { body } = await service.client.get(`/api/stories/${story.id}/tasks`);
      expect(tasks).toEqual(body.slice(0, tasks.length));
    }
  });

  it('with the log has each event as /events shows it, and the fields that a restore needs', async () => {
    const { text } = await service.client.get(`${board.path}/export?log=true`);
    const lines = linesOf(text);
    expect(lines[0].log).toBe(true);
    const events = lines.filter((line) => 'event' in line);
    expect(events.map(({ event }) => event)).toEqual(await board.events());
    for (const { event, version, sprint_id } of events) {
      expect(version).toBe(event.after?.version ?? event.before.version + 1);
      expect(sprint_id).toBe(event.after?.sprint_id ?? null);
    }
  });

  it('ends with the number of its lines and the checksum of all bytes before', async () => {
    for (const query of ['', '?log=true']) {
      const { text } = await service.client.get(`${board.path}/export${query}`);
      const end = text.lastIndexOf('\n', text.length - 2) + 1;
      const before = text.slice(0, end);
      expect(text.slice(end)).toBe(
        `${JSON.stringify({
          end: true,
          lines: before.split('\n').length - 1,
          sha256: createHash('sha256').update(before).digest('hex'),
        })}\n`,
      );
    }
  });

  it('has an entity tag, which changes with the board and the day', async () => {
    const path = `${board.path}/export`;
    const tags = new Set<string | null>();
    const see = async (query: string): Promise<void> => {
      const answer = await service.client.get(path + query);
      expect(answer.headers.get('x-board-revision')).toBe(String(await board.revision()));
      const etag = answer.headers.get('etag') ?? '';
      tags.add(etag);
      const head = await service.client.call('HEAD', path + query);
      expect([head.headers.get('etag'), head.text]).toEqual([etag, '']);
      expect(head.headers.get('content-disposition')).toMatch(/^attachment/);
      const again = await service.client.get(path + query, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    };
    await see('');
    await see('?log=true');
    service.clock.set('2026-11-25T12:00:00Z');
    await see('');
    await board.story(null);
    await see('');
    expect(tags.size).toBe(4);
  });

  it('that fails is a problem document, not a file', async () => {
    const opening = jest.spyOn(service.app.get(Database), 'openStream');
    opening.mockRejectedValueOnce(unavailable());
    const answer = await service.client.get(`${board.path}/export`);
    opening.mockRestore();
    expectProblem(answer, 503, 'database_unavailable');
    expect(answer.headers.get('content-disposition')).toBeNull();
  });

  it.each([
    ['Team 7', '', 'attachment; filename="Team 7.ndjson"'],
    ['Team 8', '?log=true', 'attachment; filename="Team 8-with-history.ndjson"'],
    ['a/b\\c"d;e', '', 'attachment; filename="a_b_c_d_e.ndjson"'],
    ['../etc', '', 'attachment; filename="__etc.ndjson"'],
    [
      'Zoë 队',
      '',
      `attachment; filename="Zo_ _.ndjson"; filename*=UTF-8''Zo%C3%AB%20%E9%98%9F.ndjson`,
    ],
  ])('of the board %j%s has a safe file name', async (name, query, disposition) => {
    await made2xx(service.client.post('/api/boards', { name }));
    const path = `/api/boards/${encodeURIComponent(name)}/export${query}`;
    const answer = await service.client.get(path);
    expect(answer.headers.get('content-disposition')).toBe(disposition);
  });

  it('is compressed if the client accepts it', async () => {
    const answer = await service.client.get(`${board.path}/export`, {
      headers: { 'accept-encoding': 'gzip' },
      undocumented: true,
    });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
  });

  it('needs an existing board, and has only one format', async () => {
    const { client } = service;
    expectProblem(await client.get('/api/boards/Nowhere/export'), 404, 'board_not_found');
    const headers = { accept: 'text/csv' };
    expectProblem(await client.get(`${board.path}/export`, { headers }), 406, 'not_acceptable');
  });

  it('of stories of maximum size is complete', async () => {
    const large = await Workspace.create(service.client);
    const description = '\u0001'.repeat(32_767);
    for (let i = 0; i < 40; i += 1) {
      await large.story(null, { title: `s${i}`, ...(i > 25 && { description }) });
    }
    const { text } = await service.client.get(`${large.path}/export?log=true`);
    const lines = linesOf(text);
    expect(valuesOf(lines, 'story').map(({ title }) => title as string)).toEqual(
      Array.from({ length: 40 }, (_, i) => `s${i}`),
    );
    expect(valuesOf(lines, 'event')).toHaveLength(41);
  });
});

it('an export has the states of the sprints on the day of its entity tag', async () => {
  const database = service.app.get(Database);
  const exports = service.app.get(ExportService);
  service.clock.set('2026-11-22T22:59:59Z');
  const snapshot = await database.openStream({ key: 'test' });
  try {
    const { parts } = await exports.read(snapshot, board.name, false);
    service.clock.set('2026-11-22T23:00:01Z');
    let text = '';
    for await (const part of parts) text += part;
    expect(valuesOf(linesOf(text), 'sprint').map(({ state }) => state)).toEqual([
      'planned',
      'planned',
    ]);
  } finally {
    await snapshot.close();
    service.clock.set('2026-11-24T12:00:00Z');
  }
});

describe('the command export', () => {
  const run = (...words: string[]): Promise<Outcome> =>
    command(service.database, 'export', ...words);

  it('writes the response of the API for this user alone, from the database or from a running service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sprintline-export-'));
    try {
      for (const [flags, path] of [
        [[], 'export'],
        [['--log'], 'export?log=true'],
        [['--csv'], 'stories?format=csv'],
      ] as const) {
        for (const from of [[], ['--url', `${service.url}/`]]) {
          const file = join(folder, `${flags.join()}${from.length}`);
          const outcome = await run(file, '--board', board.name, ...flags, ...from);
          expect(outcome).toEqual({
            code: 0,
            out: `Exported ${board.name} to ${file}.\n`,
            err: '',
          });
          const { text } = await service.client.get(`${board.path}/${path}`);
          // The command has its own clock, so the states of sprints may differ.
          const stable = (content: string): string =>
            content.replace(/"state":"\w+"/g, '').replace(/"sha256":"\w+"/, '');
          expect(stable(readFileSync(file, 'utf8'))).toBe(stable(text));
          expect((await run(file, '--board', board.name)).err).toBe(`${file} already exists.\n`);
        }
      }
      const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
      expect(modes).toEqual(Array(6).fill(0o600));
      const missing = join(folder, 'missing');
      for (const from of [[], ['--url', service.url]]) {
        const outcome = await run(missing, '--board', 'Nowhere', ...from);
        expect(outcome).toEqual({ code: 1, out: '', err: 'There is no board with this name.\n' });
      }
      expect(existsSync(missing)).toBe(false);
      const away = await run(missing, '--board', 'x', '--url', 'http://127.0.0.1:1');
      expect([away.code, away.err]).toEqual([1, expect.stringContaining('does not answer')]);
      const page = await run(missing, '--board', 'x', '--url', `${service.url}/docs?then=`);
      expect([page.code, page.err]).toEqual([1, expect.stringContaining('is not Sprintline')]);
      expect(existsSync(missing)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  /** Runs the command with another standard output. */
  async function runWith(output: Writable, ...words: string[]): Promise<Outcome> {
    const { stdout } = process;
    Object.defineProperty(process, 'stdout', { value: output, configurable: true });
    try {
      return await run(...words);
    } finally {
      Object.defineProperty(process, 'stdout', { value: stdout, configurable: true });
    }
  }

  it('writes only the export to standard output, whatever the name of the board', async () => {
    const name = freshName('50% / ?');
    await made2xx(service.client.post('/api/boards', { name }));
    const exported = await service.client.get(`${boardPath(name)}/export`);
    for (const from of [[], ['--url', service.url]]) {
      const output = new PassThrough();
      const outcome = await runWith(output, '--board', name, ...from);
      expect(outcome).toEqual({ code: 0, out: '', err: '' });
      output.end();
      expect(await text(output)).toBe(exported.text);
    }
  });

  it('says that its output cannot be written', async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) =>
        done(
          Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' }),
        ),
    });
    expect(await runWith(full, '--board', board.name)).toEqual({
      code: 1,
      out: '',
      err: 'Standard output cannot be written: ENOSPC: no space left on device, write.\n',
    });
  });

  it('says that the service was lost, and keeps no part of the file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sprintline-export-'));
    let meanwhile: string[] = [];
    const lost = createServer((_, response) => {
      response.setHeader('content-type', 'application/x-ndjson').write('{"sprintline_export":1}\n');
      meanwhile = readdirSync(folder);
      setImmediate(() => response.destroy());
    });
    await once(lost.listen(0, '127.0.0.1'), 'listening');
    try {
      const url = `http://127.0.0.1:${(lost.address() as AddressInfo).port}`;
      const file = join(folder, 'lost.ndjson');
      expect(await run(file, '--board', 'x', '--url', url)).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(/^http:.* stopped answering: .*\.\n$/) as string,
      });
      // If the command is interrupted, an incomplete file is not taken for the export.
      expect(meanwhile).toEqual(['lost.ndjson.unfinished']);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
      lost.close();
    }
  });

  it('rejects --csv with --log', async () => {
    expect(await run('--board', board.name, '--csv', '--log')).toEqual({
      code: 1,
      out: '',
      err: '--csv cannot be used with --log.\n',
    });
  });
});
