import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { asOfEarlierVersion, linesOf, signed } from '../support/export-file';
import { boardWithFullLog } from '../support/board-with-full-log';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { upload } from '../support/upload';

const service = useApp();
let board: Workspace;
let file: string;
beforeAll(async () => {
  board = await boardWithFullLog(service);
  for (let i = 0; i < 3; i += 1) await board.story(null, { title: 'the same', labels: ['a,b'] });
  file = (await service.client.get(`${board.path}/export`)).text;
}, 60_000);

const send = (name: string, query = '', text = file): Promise<Answer> =>
  upload(service.client, name, text, { query, type: 'application/x-ndjson' });

/** Returns the rows of an export without the fields that an import cannot restore, such as ids. */
async function rowsOf(name: string): Promise<unknown[]> {
  const { text } = await service.client.get(`${boardPath(name)}/export`);
  const names = new Map<number, string>();
  return text
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => {
      const { sprint, story, task } = JSON.parse(line);
      const kept = (row: any): object => {
        const { id, board_name, updated_at, version, sprint_id, story_id, ...fields } = row;
        void [id, board_name, updated_at, version, story_id];
        return sprint_id === undefined ? fields : { ...fields, sprint: names.get(sprint_id) };
      };
      if (sprint) names.set(sprint.id as number, sprint.name as string);
      return sprint
        ? { sprint: kept(sprint) }
        : story
          ? { story: kept(story) }
          : { task: kept(task) };
    });
}

const kindsOf = (rows: unknown[], kind: string): unknown[] =>
  rows
    .filter((row) => kind in (row as object))
    .map((row) => JSON.stringify(row))
    .sort();

describe('an export without its log', () => {
  it('is imported into a new board with every field and every time of its rows', async () => {
    const name = freshName('Copied');
    const answer = await made2xx(send(name));
    const [from, to] = [await rowsOf(board.name), await rowsOf(name)];
    expect(answer).toMatchObject({
      format: 'sprintline',
      created: {
        sprints: kindsOf(from, 'sprint').length,
        stories: kindsOf(from, 'story').length,
        tasks: kindsOf(from, 'task').length,
      },
      warnings: [],
    });
    for (const kind of ['sprint', 'story', 'task']) {
      expect(kindsOf(to, kind)).toEqual(kindsOf(from, kind));
    }
    const { time_zone, working_days } = (await service.client.get(board.path)).body;
    expect((await service.client.get(boardPath(name))).body).toMatchObject({
      time_zone,
      working_days,
    });
  });

  it('is read with null for fields that an earlier version did not have', async () => {
    const name = freshName('Earlier');
    await made2xx(send(name, '', asOfEarlierVersion(file)));
    const [from, to] = [await rowsOf(board.name), await rowsOf(name)];
    for (const kind of ['sprint', 'story', 'task']) {
      expect(kindsOf(to, kind)).toEqual(kindsOf(from, kind));
    }
  });

  it('of an earlier version does not change the fields that this version did not have', async () => {
    const other = await Workspace.create(service.client);
    const story = await other.story(null, { external_id: 'E-1', points: 3, assignee: 'ada' });
    await made2xx(
      service.client.post(`/api/stories/${story.id}/tasks`, { title: 'a task', assignee: 'bob' }),
    );
    const exported = await service.client.get(`${other.path}/export`);
    const lines = linesOf(exported.text).map((line) =>
      line.replace(/,"(points|assignee)":[^,]+/g, ''),
    );
    expect(lines.join()).not.toMatch(/points|assignee/);
    expect(await made2xx(send(other.name, '', signed(lines)))).toMatchObject({
      updated: { stories: 0, tasks: 0 },
      unchanged: { stories: 1, tasks: 1 },
    });
    expect((await service.client.get(`${other.path}/export`)).text).toBe(exported.text);
  });

  it('may have tasks with the external id of a story', async () => {
    const from = await Workspace.create(service.client);
    const story = await from.story(null, { external_id: 'X-1' });
    await from.task(story, { external_id: 'X-1' });
    const name = freshName('Same ids');
    const exported = (await service.client.get(`${from.path}/export`)).text;
    expect(await made2xx(send(name, '', exported))).toMatchObject({
      created: { stories: 1, tasks: 1 },
      skipped: [],
    });
  });

  it('changes nothing when it is imported again, even for rows without an external id', async () => {
    const name = freshName('Twice');
    await made2xx(send(name));
    const before = (await service.client.get(boardPath(name))).body;
    const again = await made2xx(send(name));
    expect(again.created).toEqual({ sprints: 0, stories: 0, tasks: 0 });
    expect(again.updated).toEqual({ sprints: 0, stories: 0, tasks: 0 });
    expect((await service.client.get(boardPath(name))).body).toEqual(before);
    // An import into the exported board changes nothing either.
    const own = (await service.client.get(board.path)).body;
    expect((await made2xx(send(board.name))).updated).toEqual(again.updated);
    expect((await service.client.get(board.path)).body).toEqual(own);
  });

  it('changes nothing when it is imported again, even for sprints without names that one batch created', async () => {
    const { client } = service;
    const twins = await Workspace.create(client);
    const sprint = (as: string, start_date: string) => ({
      op: 'create',
      type: 'sprint',
      as,
      set: { start_date },
    });
    const { refs } = await made2xx(
      client.post(`${twins.path}/batch`, {
        operations: [
          sprint('later', '2026-11-20'),
          sprint('earlier', '2026-11-01'),
          { op: 'create', type: 'story', set: { title: 'Later', sprint_id: '$later' } },
          { op: 'complete', type: 'sprint', id: '$earlier' },
        ],
      }),
    );
    const { text } = await client.get(`${twins.path}/export`);
    const before = (await client.get(twins.path)).body;
    const none = { sprints: 0, stories: 0, tasks: 0 };
    expect(await made2xx(send(twins.name, '', text))).toMatchObject({
      created: none,
      updated: none,
      warnings: [],
    });
    expect((await client.get(twins.path)).body).toEqual(before);
    // A sprint whose date has changed is not mistaken for the other one.
    await made2xx(client.put(`/api/sprints/${refs.later}`, { start_date: '2026-10-20' }));
    expect(await made2xx(send(twins.name, '', text))).toMatchObject({ created: none });
    const [completed, open] = (await client.get(`${twins.path}/sprints`)).body;
    expect([completed, open]).toMatchObject([
      { id: refs.earlier, start_date: '2026-11-01', state: 'completed' },
      { id: refs.later, start_date: '2026-11-20', state: 'active' },
    ]);
  });

  it('restores the dates of sprints without names that one batch created', async () => {
    const { client } = service;
    const twins = await Workspace.create(client);
    const dates = ['2026-11-20', '2026-11-01'];
    const { results } = await made2xx(
      client.post(`${twins.path}/batch`, {
        operations: dates.map((start_date) => ({
          op: 'create',
          type: 'sprint',
          set: { start_date },
        })),
      }),
    );
    const { text } = await client.get(`${twins.path}/export`);
    for (const [i, start_date] of ['2026-12-20', '2026-12-01'].entries()) {
      await made2xx(client.put(`/api/sprints/${results[i].id}`, { start_date }));
    }
    expect((await made2xx(send(twins.name, '', text))).updated.sprints).toBe(2);
    for (const [i, start_date] of dates.entries()) {
      expect((await client.get(`/api/sprints/${results[i].id}`)).body).toMatchObject({
        start_date,
      });
    }
  });

  it('changes nothing when it is imported again, even if the clock of its service was ahead', async () => {
    service.clock.set('2026-11-23T12:00:00.000Z');
    const ahead = await Workspace.create(service.client);
    await ahead.sprint('2026-11-23', { name: 'Sprint' });
    await ahead.story(null, { title: 'open' });
    const done = await ahead.story(null, { title: 'done', external_id: 'D-1', status: 'done' });
    await ahead.task(done, { title: 'task', status: 'done' });
    const { text } = await service.client.get(`${ahead.path}/export`);
    const name = freshName('Behind');
    for (const [now, isNew] of [
      ['2026-11-23T10:00:00.000Z', true],
      ['2026-11-23T11:00:00.000Z', false],
      ['2026-11-23T13:00:00.000Z', false],
    ] as const) {
      service.clock.set(now);
      const counts = { sprints: 1, stories: 2, tasks: 1 };
      expect(await made2xx(send(name, '', text))).toMatchObject({
        [isNew ? 'created' : 'unchanged']: counts,
      });
    }
    service.clock.set();
  });

  it('starts a sprint, clears its goal and does not reopen it when it is imported again', async () => {
    const from = await Workspace.create(service.client);
    const { id } = await from.sprint('2026-11-23', { end_date: '2026-12-04', goal: 'Old' });
    await from.story({ id });
    const exported = async (): Promise<string> =>
      (await service.client.get(`${from.path}/export`)).text;
    const name = freshName('Again');
    const sprint = async (): Promise<any> =>
      (await service.client.get(`${boardPath(name)}/sprints`)).body[0];
    await made2xx(send(name, '', await exported()));
    const started = await made2xx<any>(service.client.post(`/api/sprints/${id}/start`, {}));
    await made2xx(service.client.put(`/api/sprints/${id}`, { goal: null }));
    expect(await made2xx(send(name, '', await exported()))).toMatchObject({
      updated: { sprints: 1 },
    });
    expect(await sprint()).toMatchObject({ started_at: started.started_at, goal: null });
    expect(await made2xx(send(name, '', await exported()))).toMatchObject({
      updated: { sprints: 0 },
    });
    await made2xx(service.client.post(`/api/sprints/${id}/complete`, {}));
    await made2xx(send(name, '', await exported()));
    await made2xx(service.client.post(`/api/sprints/${id}/reopen`, {}));
    expect(await made2xx(send(name, '', await exported()))).toMatchObject({
      warnings: [
        { code: 'sprint_completed', examples: [expect.stringMatching(/stays completed/)] },
      ],
    });
    expect(await sprint()).toMatchObject({ state: 'completed' });
  });

  it('is added to the stories of an existing board', async () => {
    const other = await Workspace.create(service.client);
    await other.story(null, { title: 'there before' });
    await made2xx(send(other.name));
    const stories = (await made2xx<any[]>(service.client.get(`${other.path}/stories`))).length;
    expect(stories).toBe(1 + kindsOf(await rowsOf(board.name), 'story').length);
  });

  it('is not subject to a mapping, so the response has none', async () => {
    const mapping = { status: { todo: 'done' } };
    const answer = await made2xx(upload(service.client, freshName('Mapped'), file, { mapping }));
    expect(answer.mapping).toEqual({});
  });

  it('is imported with its velocity', async () => {
    const name = freshName('Reported');
    await made2xx(send(name));
    const of = async (path: string): Promise<number[]> =>
      (await made2xx(service.client.get(`${path}/velocity`))).sprints.map(
        ({ completed_points }: any) => completed_points as number,
      );
    expect(await of(boardPath(name))).toEqual(await of(board.path));
  });

  it('is read with any white space in its last line, which is not part of the checksum', async () => {
    const last = file.trimEnd().lastIndexOf('\n') + 1;
    const spaced = file.slice(last).replaceAll(':', ': ').replaceAll(',', ', ');
    await made2xx(send(freshName('Spaced'), '', file.slice(0, last) + spaced));
  });

  it('is rejected if it was cut or changed, and nothing is created', async () => {
    const name = freshName('Refused');
    for (const [code, text] of [
      ['cut', file.slice(0, -1)],
      ['changed', file.replace('Story 0.1', 'Story 0.2')],
      ['changed', file.replace('"end":true,"lines":', '"end":true,"lines":1')],
      ['changed', file.replaceAll('\n', '\r\n')],
    ]) {
      const answer = await send(name, '', text);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_file']);
      expect(answer.body.errors).toMatchObject([{ code }]);
    }
    expect((await service.client.get(boardPath(name))).status).toBe(404);
  });
});
