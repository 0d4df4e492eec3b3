import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { insertRows, storyRow } from '../support/fill';
import { made2xx, Workspace } from '../support/make';
import { expectProblem } from '../support/problems';

const MAX = 2000;

const service = useApp();
beforeEach(() => service.clock.set('2026-11-20T12:00:00Z'));

/** Creates a board whose current sprint has `count` stories and whose next sprint has three. */
async function boardWith(count: number): Promise<{
  board: Workspace;
  full: any;
  next: any;
  others: any[];
}> {
  const board = await Workspace.create(service.client);
  const full = await board.sprint('2026-11-16', { end_date: '2026-11-27' });
  const next = await board.sprint('2026-11-30', { end_date: '2026-12-11' });
  const { id } = (await service.client.get(board.path)).body;
  await insertRows(service, 'stories', count, (i) => storyRow(id, i, { sprint_id: full.id }));
  const others = [await board.story(next), await board.story(next), await board.story(next)];
  return { board, full, next, others };
}

const countOf = async (sprint: { id: number }): Promise<number> => {
  const path = `/api/sprints/${sprint.id}/stories?limit=1&count=true`;
  return Number((await service.client.get(path)).headers.get('x-total-count'));
};

describe('a full sprint', () => {
  it('rejects another story in every operation, and is unchanged', async () => {
    const { client } = service;
    const { board, full, next, others } = await boardWith(MAX);
    const [story] = others;
    const elsewhere = await (await Workspace.create(client)).story(null);
    const earlier = await board.sprint('2026-11-02', { end_date: '2026-11-06' });
    await board.story(earlier);
    const revision = await board.revision();
    const sprint_id = full.id as number;
    const title = 'One more';
    const inside = (await client.get(`/api/sprints/${full.id}/stories?limit=1`)).body[0];
    const calls: [string, string, object][] = [
      ['POST', `/api/sprints/${full.id}/stories`, { title }],
      ['POST', `${board.path}/sprints/current/stories`, { title }],
      ['PUT', `/api/stories/${story.id}`, { sprint_id }],
      ['PATCH', `/api/stories/${story.id}`, { sprint_id: 'current', title }],
      ['PUT', `/api/stories/${elsewhere.id}`, { sprint_id }],
      ['POST', `/api/stories/${story.id}/move`, { sprint_id }],
      ['POST', `/api/stories/${story.id}/move`, { position: { after: inside.id } }],
      ['POST', `${board.path}/stories/move`, { sprint_id, story_ids: [inside.id, story.id] }],
      ['POST', `/api/sprints/${earlier.id}/complete`, { unfinished: full.id }],
      ['POST', `/api/sprints/${earlier.id}/complete`, { unfinished: 'next', dry_run: true }],
    ];
    for (const [method, path, body] of calls) {
      expectProblem(await client.call(method, path, body), 409, 'sprint_full');
    }
    expect([await countOf(full), await countOf(next), await countOf(earlier)]).toEqual([MAX, 3, 1]);
    expect(await board.revision()).toBe(revision);
    // Its stories can still be changed, moved within it, and deleted to make space.
    await made2xx(client.put(`/api/stories/${inside.id}`, { title, sprint_id }));
    await made2xx(client.post(`/api/stories/${inside.id}/move`, { sprint_id, position: 'last' }));
    await made2xx(client.delete(`/api/stories/${inside.id}`));
    await made2xx(client.post(`/api/sprints/${earlier.id}/complete`, { unfinished: full.id }));
    expect(await countOf(full)).toBe(MAX);
  });

  it('rejects a carry-over or a bulk move that does not fit as a whole', async () => {
    const { client } = service;
    const { board, full, next, others } = await boardWith(MAX - 2);
    const story_ids = others.map(({ id }) => id as number);
    const move = { sprint_id: full.id, story_ids };
    expectProblem(await client.post(`${board.path}/stories/move`, move), 409, 'sprint_full');
    const complete = { unfinished: 'next' };
    const path = `${board.path}/sprints/current/complete`;
    expectProblem(await client.post(path, complete), 409, 'sprint_full');
    expect([await countOf(full), await countOf(next)]).toEqual([MAX - 2, 3]);
    await made2xx(client.put(`/api/stories/${story_ids[0]}`, { sprint_id: null }));
    await made2xx(client.post(path, complete));
    expect([await countOf(full), await countOf(next)]).toEqual([0, MAX]);
  });

  it('moves all of its stories to the backlog, which has no limit, when it is deleted', async () => {
    const { client } = service;
    const { board, full } = await boardWith(MAX);
    const deleted = await client.delete(`/api/sprints/${full.id}`);
    expect(deleted.body.stories_moved_to_backlog).toBe(MAX);
    const backlog = await client.get(`${board.path}/backlog?limit=1&count=true`);
    expect(backlog.headers.get('x-total-count')).toBe(String(MAX));
  });

  it('keeps stories beyond the limit from an earlier version, and rejects others', async () => {
    const { client } = service;
    const { board, full, others } = await boardWith(MAX + 5);
    expect((await client.get(`/api/sprints/${full.id}/stories`)).body).toHaveLength(MAX + 5);
    const add = (): Promise<Answer> =>
      client.put(`/api/stories/${others[0].id}`, { sprint_id: full.id });
    expectProblem(await add(), 409, 'sprint_full');
    const { body } = await client.get<any[]>(`/api/sprints/${full.id}/stories?limit=6`);
    const story_ids = body.map(({ id }) => id as number);
    const within = { sprint_id: full.id, position: 'last' };
    await made2xx(client.post(`/api/stories/${story_ids[0]}/move`, within));
    await made2xx(client.post(`${board.path}/stories/move`, { ...within, story_ids }));
    expect(await countOf(full)).toBe(MAX + 5);
    await made2xx(client.post(`${board.path}/stories/move`, { story_ids, sprint_id: null }));
    expect((await add()).status).toBe(200);
    expect(await countOf(full)).toBe(MAX);
  });

  it('is filled exactly to its limit by many clients at once', async () => {
    const { client } = service;
    const free = 10;
    const { board, full } = await boardWith(MAX - free);
    const path = `/api/sprints/${full.id}/stories`;
    const sprint_id = full.id as number;
    const stories: any[] = [];
    for (let i = 0; i < 40; i += 1) stories.push(await board.story(null));
    const calls = stories.flatMap(({ id }, i): Promise<Answer>[] => [
      client.post(path, { title: `Created ${i}` }),
      i % 2
        ? client.put(`/api/stories/${id}`, { sprint_id })
        : client.post(`/api/stories/${id}/move`, { sprint_id: 'current' }),
    ]);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status < 300)).toHaveLength(free);
    expect(statuses.filter((status) => status === 409)).toHaveLength(calls.length - free);
    expect(await countOf(full)).toBe(MAX);
  });
});

describe('a sprint_id of current, next or previous in a body', () => {
  it('is a sprint of the board of the story, or of the path', async () => {
    const { client } = service;
    const { board, full, next, others } = await boardWith(0);
    const other = await boardWith(0);
    const [a, b, c] = others;
    const ids = async (sprint: any): Promise<number[]> =>
      (await client.get<any[]>(`/api/sprints/${sprint.id}/stories`)).body.map(({ id }) => id);
    await made2xx(client.put(`/api/stories/${a.id}`, { sprint_id: 'current', points: 3 }));
    await made2xx(
      client.post(`/api/stories/${b.id}/move`, { sprint_id: 'current', position: 'first' }),
    );
    expect([await ids(full), await ids(next)]).toEqual([[b.id, a.id], [c.id]]);
    const many = { story_ids: [c.id, a.id], sprint_id: 'current', position: { before: b.id } };
    await made2xx(client.post(`${board.path}/stories/move`, many));
    expect(await ids(full)).toEqual([c.id, a.id, b.id]);
    const form = { form: { sprint_id: 'next' } };
    const moved = await client.put(`/api/stories/${c.id}`, undefined, form);
    expect([moved.status, moved.body.sprint_id]).toEqual([200, next.id]);
    // A story of another board stays on its board.
    const [theirs] = other.others;
    const answer = await client.put(`/api/stories/${theirs.id}`, { sprint_id: 'current' });
    expect(answer.body).toMatchObject({ board_name: other.board.name, sprint_id: other.full.id });
    const wrong = { story_ids: [theirs.id], sprint_id: 'current' };
    expect((await client.post(`${board.path}/stories/move`, wrong)).body.errors).toEqual([
      expect.objectContaining({ pointer: '/story_ids/0', code: 'not_found' }),
    ]);
  });

  it('is rejected with 400 if the board has no such sprint, and changes nothing', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const story = await board.story(null);
    const revision = await board.revision();
    for (const word of ['current', 'next']) {
      const body = { sprint_id: word };
      for (const call of [
        client.put(`/api/stories/${story.id}`, body),
        client.post(`/api/stories/${story.id}/move`, body),
        client.post(`/api/stories/${story.id}/move`, { ...body, position: { after: story.id } }),
        client.post(`${board.path}/stories/move`, { ...body, story_ids: [story.id] }),
      ]) {
        const answer = await call;
        expect(answer.status).toBe(400);
        expect(answer.body.errors).toContainEqual({
          pointer: '/sprint_id',
          code: 'not_found',
          detail: `sprint_id names the ${word} sprint, which the board does not have`,
        });
      }
    }
    for (const other of ['previous', 'Current', 'backlog', '']) {
      const answer = await client.put(`/api/stories/${story.id}`, { sprint_id: other });
      expect(answer.body.errors).toMatchObject([{ pointer: '/sprint_id' }]);
    }
    const created = await client.post(`${board.path}/backlog`, {
      title: 'x',
      sprint_id: 'current',
    });
    expect(created.body.errors).toMatchObject([{ pointer: '/sprint_id', code: 'unknown_field' }]);
    expect(await board.revision()).toBe(revision);
  });

  it('is the same sprint when a request is repeated, even if the word means another one by then', async () => {
    const { client } = service;
    const { board, full } = await boardWith(0);
    const story = await board.story(null);
    const headers = { 'Idempotency-Key': 'move-it' };
    const move = (): Promise<Answer> =>
      client.post(`/api/stories/${story.id}/move`, { sprint_id: 'current' }, { headers });
    const first = await move();
    expect(first.body.sprint_id).toBe(full.id);
    await made2xx(client.post(`${board.path}/sprints/current/complete`));
    expectProblem(await client.get(`${board.path}/sprints/current`), 404, 'no_current_sprint');
    const again = await move();
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await client.get(`/api/stories/${story.id}`)).body.sprint_id).toBeNull();
  });
});
