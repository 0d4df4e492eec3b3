import * as fc from 'fast-check';
import { useApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { fillBacklog, insertRows, storyRow } from '../support/fill';
import { boardPath, eventsOf, made2xx } from '../support/make';
import { expectProblem } from '../support/problems';
import { storiesOf } from '../support/replay';
import { onStatement } from '../support/statements';

const service = useApp();
let client: Client;
beforeAll(() => {
  ({ client } = service);
});

let boards = 0;

/** Creates a board with a sprint whose stories have these `seq` and, in this order, the titles a, b, c, … */
async function list(seqs: number[]): Promise<{ board: string; sprint: number; ids: number[] }> {
  const board = `Move ${(boards += 1)}`;
  const sprint = await client.post(`/api/boards/${board}/sprints`, { start_date: '2026-11-23' });
  const ids: number[] = [];
  for (const [i, seq] of seqs.entries()) {
    const story = { title: 'abcdefghijkl'[i], seq };
    const { body } = await client.post(`/api/sprints/${sprint.body.id}/stories`, story);
    ids.push(body.id);
  }
  return { board, sprint: sprint.body.id, ids };
}

const inSprint = async (id: number): Promise<string[]> =>
  (await client.get(`/api/sprints/${id}/stories`)).body.map((s: any) => s.title + s.seq);
const inBacklog = async (board: string): Promise<string[]> =>
  (await client.get(`/api/boards/${board}/backlog`)).body.map((s: any) => s.title + s.seq);
const revision = async (board: string): Promise<number> =>
  (await client.get(`/api/boards/${board}`)).body.revision;
const move = (id: number | undefined, body: object, options?: object): Promise<Answer> =>
  client.post(`/api/stories/${id}/move`, body, options);
const moveAll = (board: string, body: object, options?: object): Promise<Answer> =>
  client.post(`/api/boards/${board}/stories/move`, body, options);

/** Expects the replay of the log to equal the lists. */
async function expectReplayToEqualLists(board: string): Promise<void> {
  const shown = await client.get(`/api/boards/${board}/stories`);
  expect(storiesOf(await eventsOf(client, board))).toEqual(shown.body);
}

describe('moving a story', () => {
  it('to an end of its list changes no other story', async () => {
    const { sprint, ids, board } = await list([1, 2, 3]);
    expect((await move(ids[2], { position: 'first' })).body).toMatchObject({ seq: 0, version: 2 });
    expect(await inSprint(sprint)).toEqual(['c0', 'a1', 'b2']);
    expect((await move(ids[0], { position: 'last' })).status).toBe(200);
    expect(await inSprint(sprint)).toEqual(['c0', 'b2', 'a3']);
    await expectReplayToEqualLists(board);
  });

  it.each(['constructor', '__proto__', 'toString', 'other'])(
    'rejects a position with the unknown member %s',
    async (name) => {
      const { ids, board } = await list([1, 2, 3]);
      const position = Object.fromEntries([
        ['before', ids[0]],
        [name, 1],
      ]);
      const operations = [{ op: 'move', type: 'story', id: ids[2], set: { position } }];
      for (const answer of [
        await move(ids[2], { position }),
        await moveAll(board, { story_ids: [ids[2]], position }),
        await client.post(`/api/boards/${board}/batch`, { operations }),
      ]) {
        expectProblem(answer, 400, 'invalid_request');
      }
    },
  );

  it('moves it to the end without a position', async () => {
    const { sprint, ids } = await list([1, 2, 3]);
    await move(ids[0], {});
    expect(await inSprint(sprint)).toEqual(['b2', 'c3', 'a4']);
  });

  it('to its own position changes nothing and appends no event', async () => {
    const { ids, board } = await list([1, 2, 3]);
    const before = await revision(board);
    for (const [i, position] of [
      [0, 'first'],
      [2, 'last'],
      [1, { after: ids[0] }],
      [1, { before: ids[2] }],
    ] as const) {
      const { body, status } = await move(ids[i], { position });
      expect([status, body.seq, body.version]).toEqual([200, i + 1, 1]);
    }
    expect(await revision(board)).toBe(before);
  });

  it('into a gap changes no other story', async () => {
    const { sprint, ids, board } = await list([10, 20, 30]);
    await move(ids[2], { position: { before: ids[1] } });
    expect(await inSprint(sprint)).toEqual(['a10', 'c15', 'b20']);
    const [last] = (await eventsOf(client, board)).slice(-1);
    expect(last).toMatchObject({
      type: 'story.moved',
      before: { seq: 30, version: 1 },
      after: { seq: 15, version: 2 },
    });
    expect(last.after).not.toHaveProperty('sprint_id');
  });

  it('without a gap shifts the shorter side, with one event', async () => {
    const { sprint, ids, board } = await list([1, 2, 3, 4, 5]);
    const before = await revision(board);
    await move(ids[4], { position: { after: ids[0] } });
    expect((await inSprint(sprint)).map((story) => story[0]).join('')).toBe('aebcd');
    const events = (await eventsOf(client, board)).slice(before);
    expect(events.map(({ type, entity, id }) => [type, entity, id])).toEqual([
      ['stories.shifted', 'sprint', sprint],
      ['story.moved', 'story', ids[4]],
    ]);
    expect(events[0]).toMatchObject({
      before: { first: { id: ids[0], seq: 1 }, last: { id: ids[0], seq: 1 } },
      after: { by: -2, count: 1, except: [] },
    });
    // A shifted story has a new representation, so it has a new version and a new entity tag.
    const shown = await client.get(`/api/stories/${ids[0]}`);
    expect(shown.body).toMatchObject({ seq: -1, version: 2, updated_at: events[0].at });
    await expectReplayToEqualLists(board);
  });

  it.each([
    ['below', 4500],
    ['above', 5500],
  ])('shifts the thousands of stories %s it in several statements', async (_, index) => {
    const board = `Move ${(boards += 1)}`;
    const path = boardPath(board);
    const { id: boardId } = await made2xx(client.post('/api/boards', { name: board }));
    // Three stories with each seq, so that a part may end among them.
    const seqOf = (i: number): number => Math.floor(i / 3);
    await insertRows(service, 'stories', 10_000, (i) => storyRow(boardId, i, { seq: seqOf(i) }));
    const order = async (): Promise<number[]> =>
      (await client.get(`${path}/stories`)).body.map(({ id }: { id: number }) => id);
    const before = await order();
    const { id } = await made2xx(client.post(`${path}/backlog`, { title: 'moved' }));
    const updates: string[] = [];
    const stop = onStatement({ before: ({ sql }) => void updates.push(sql) });
    await made2xx(move(id, { position: { after: before[index] } }));
    stop();
    expect(await order()).toEqual(before.toSpliced(index + 1, 0, id));
    const shifts = updates.filter((sql) => sql.startsWith('UPDATE stories SET seq = seq'));
    expect(shifts.length).toBeGreaterThan(2);
    const events = await eventsOf(client, board);
    const shifted = events.filter(({ type }) => type === 'stories.shifted');
    expect(shifted.map(({ after }) => after.count < 4503)).toEqual([true]);
  });

  it.each([
    ['the stories above', 'aebcd', 0],
    ['the stories below', 'abced', 2],
  ])('among stories with the same seq shifts only %s', async (_, order, after) => {
    const { sprint, ids, board } = await list([5, 5, 5, 5, 5]);
    await move(ids[4], { position: { after: ids[after] } });
    const stories = await inSprint(sprint);
    expect(stories.map((story) => story[0]).join('')).toBe(order);
    const [before, at, next] = stories.slice(after).map((story) => Number(story.slice(1)));
    expect(before).toBeLessThan(at as number);
    expect(at).toBeLessThan(next as number);
    expect(stories.filter((story) => story.endsWith('5') && !story.startsWith('e'))).toHaveLength(
      3,
    );
    const events = await eventsOf(client, board);
    const shifts = events.filter(({ type }) => type === 'stories.shifted');
    // The moved story has the same seq as the shifted ones, but is not among them.
    expect(shifts.map((event) => event.after.except)).toEqual([[]]);
    await expectReplayToEqualLists(board);
  });

  it('works at both ends of the range of seq', async () => {
    const { sprint, ids, board } = await list([-2147483648, -2147483647, 2147483646, 2147483647]);
    await move(ids[2], { position: 'first' });
    expect((await inSprint(sprint)).map((story) => story[0]).join('')).toBe('cabd');
    await move(ids[0], { position: 'last' });
    expect((await inSprint(sprint)).map((story) => story[0]).join('')).toBe('cbda');
    await expectReplayToEqualLists(board);
  });

  it('moves it to another sprint, to the backlog and back, by list or by neighbour', async () => {
    const { sprint, ids, board } = await list([1, 2, 3]);
    const other = await client.post(`/api/boards/${board}/sprints`, { start_date: '2026-12-07' });
    const otherId = other.body.id as number;
    expect((await move(ids[0], { sprint_id: otherId })).body.sprint_id).toBe(otherId);
    expect((await move(ids[1], { position: { before: ids[0] } })).body.sprint_id).toBe(otherId);
    expect((await inSprint(otherId)).map((story) => story[0]).join('')).toBe('ba');
    expect((await move(ids[1], { sprint_id: null, position: 'first' })).body.sprint_id).toBeNull();
    expect(await inBacklog(board)).toHaveLength(1);
    expect((await move(ids[2], { position: { after: ids[1] } })).body.sprint_id).toBeNull();
    expect((await inBacklog(board)).map((story) => story[0]).join('')).toBe('bc');
    expect(await inSprint(sprint)).toEqual([]);
    await move(ids[1], { sprint_id: sprint, position: 'last' });
    const event = (await eventsOf(client, board)).at(-1);
    expect(event).toMatchObject({
      type: 'story.moved',
      before: { sprint_id: null },
      after: { sprint_id: sprint },
    });
    await expectReplayToEqualLists(board);
  });

  it('to a sprint of another board moves its tasks too, with events in both logs', async () => {
    const from = await list([1, 2]);
    const to = await list([1, 2]);
    await client.post(`/api/stories/${from.ids[0]}/tasks`, { title: 'task' });
    const moved = await move(from.ids[0], {
      sprint_id: to.sprint,
      position: { before: to.ids[1] },
    });
    expect(moved.body).toMatchObject({ board_name: to.board, sprint_id: to.sprint, version: 2 });
    expect((await inSprint(to.sprint)).map((story) => story[0]).join('')).toBe('aab');
    expect((await client.get(`/api/stories/${from.ids[0]}`)).body).toEqual(moved.body);
    expect((await client.get(`/api/stories/${from.ids[0]}/tasks`)).body).toHaveLength(1);
    expect((await eventsOf(client, from.board)).at(-1)).toMatchObject({ type: 'story.moved_out' });
    const { type, after } = (await eventsOf(client, to.board)).at(-1);
    expect([type, after.tasks.length]).toEqual(['story.moved_in', 1]);
    expect((await move(from.ids[1], { position: { after: from.ids[0] } })).body).toMatchObject({
      board_name: to.board,
      sprint_id: to.sprint,
    });
    expect((await inSprint(to.sprint)).map((story) => story[0]).join('')).toBe('aabb');
    await expectReplayToEqualLists(from.board);
    await expectReplayToEqualLists(to.board);
  });

  it('next to a story in the backlog of another board moves it there, even if it keeps its seq', async () => {
    const from = await list([]);
    const to = await list([]);
    const post = (board: string, title: string, seq: number): Promise<{ id: number }> =>
      made2xx(client.post(`/api/boards/${board}/backlog`, { title, seq, description: 'd' }));
    const moved = await post(from.board, 'a', 5);
    const neighbour = await post(to.board, 'b', 3);
    const { body } = await move(moved.id, { position: { after: neighbour.id } });
    expect(body).toMatchObject({ board_name: to.board, sprint_id: null, seq: 5, version: 2 });
    expect(await inBacklog(from.board)).toEqual([]);
    expect(await inBacklog(to.board)).toEqual(['b3', 'a5']);
    // Only a request that replaces the description keeps the old one in this event.
    const left = (await eventsOf(client, from.board)).at(-1);
    expect(left).toMatchObject({ type: 'story.moved_out', before: { board_name: from.board } });
    expect(left.before).not.toHaveProperty('description');
    await expectReplayToEqualLists(from.board);
    await expectReplayToEqualLists(to.board);
  });

  it('to a board where its external_id is taken is rejected', async () => {
    const from = await list([1]);
    const to = await list([1]);
    await client.put(`/api/stories/${from.ids[0]}`, { external_id: 'X-1' });
    await client.put(`/api/stories/${to.ids[0]}`, { external_id: 'X-1' });
    const rejected = await move(from.ids[0], { sprint_id: to.sprint });
    expect([rejected.status, rejected.body.code]).toEqual([409, 'external_id_taken']);
  });

  it('within its board keeps its external_id', async () => {
    const { ids, sprint, board } = await list([1, 2]);
    await made2xx(client.put(`/api/stories/${ids[0]}`, { external_id: 'X-1' }));
    for (const place of [{}, { sprint_id: null }, { sprint_id: sprint }]) {
      expect((await move(ids[0], place)).body).toMatchObject({ external_id: 'X-1' });
      const [moved] = await made2xx(moveAll(board, { ...place, story_ids: [ids[0]] }));
      expect(moved).toMatchObject({ external_id: 'X-1' });
    }
  });

  it('checks If-Match, and answers with the tag of the story', async () => {
    const { ids } = await list([1, 2]);
    const { headers } = await client.get(`/api/stories/${ids[0]}`);
    const condition = { headers: { 'if-match': headers.get('etag') as string } };
    const moved = await move(ids[0], { position: 'last' }, condition);
    expect(moved.status).toBe(200);
    const shown = await client.get(`/api/stories/${ids[0]}`);
    expect(moved.headers.get('etag')).toBe(shown.headers.get('etag'));
    const stale = await move(ids[0], { position: 'first' }, condition);
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
  });

  it('is possible with a form', async () => {
    const { ids, board } = await list([1, 2]);
    const moved = await move(ids[1], undefined as never, { form: 'position=first&sprint_id=' });
    expect([moved.status, moved.body.sprint_id]).toEqual([200, null]);
    const all = { form: `story_ids=${ids[1]}&story_ids=${ids[0]}&position=first` };
    const both = await moveAll(board, undefined as never, all);
    expect(both.body.map(({ id }: any) => id)).toEqual([ids[1], ids[0]]);
  });

  it.each([
    [400, '/position', { position: 'middle' }],
    [400, '/position', { position: null }],
    [400, '/position', { position: [] }],
    [400, '/position', { position: ['first'] }],
    [400, '/position', { position: {} }],
    [400, '/position', { position: { before: 0 } }],
    [400, '/position', { position: { before: 'x' } }],
    [400, '/position', { position: { before: 1, after: 2 } }],
    [400, '/position', { position: { beside: 1 } }],
    [400, '/position', { position: { before: 999_999_999 } }],
    [400, '/sprint_id', { sprint_id: 999_999_999 }],
    [400, '/sprint_id', { sprint_id: 9007199254740991 }],
    [400, '/sprint_id', { sprint_id: 'x' }],
    [400, '/where', { where: 'first' }],
  ])('is rejected with %i at %s for %j', async (status, pointer, body) => {
    const { ids, board } = await list([1]);
    const before = await revision(board);
    const rejected = await move(ids[0], body);
    expect([rejected.status, rejected.body.errors.map((e: any) => e.pointer)]).toEqual([
      status,
      [pointer],
    ]);
    const together = await moveAll(board, { ...body, story_ids: [ids[0]] });
    expect([together.status, together.body.errors]).toEqual([status, rejected.body.errors]);
    expect(await revision(board)).toBe(before);
  });

  it('next to itself, or to a story of another list, is 400', async () => {
    const { ids, board, sprint } = await list([1, 2]);
    const otherList = await list([1]);
    const inOtherBacklog = await made2xx(
      client.post(`/api/boards/${otherList.board}/backlog`, { title: 'z' }),
    );
    for (const [body, pointer] of [
      [{ position: { after: ids[0] } }, '/position'],
      [{ position: { after: ids[1] }, sprint_id: null }, '/position'],
      [{ position: { after: otherList.ids[0] }, sprint_id: sprint }, '/position'],
      [{ position: { after: inOtherBacklog.id }, sprint_id: null }, '/position'],
    ] as const) {
      const rejected = await move(ids[0], body);
      expect([rejected.status, rejected.body.errors[0].pointer]).toEqual([400, pointer]);
      expect((await moveAll(board, { ...body, story_ids: [ids[0]] })).status).toBe(400);
    }
    expect((await move(999_999_999, { position: 'x' })).status).toBe(404);
    expect((await move(999_999_999, {})).status).toBe(404);
  });
});

describe('moving many stories', () => {
  it('puts them together in the given order, whichever lists they were in', async () => {
    const { sprint, ids, board } = await list([1, 2, 3, 4, 5, 6]);
    await move(ids[0], { sprint_id: null });
    const story_ids = [ids[5], ids[0], ids[2]];
    const moved = await moveAll(board, { story_ids, position: { after: ids[3] } });
    expect(moved.status).toBe(200);
    expect(moved.body.map(({ id }: any) => id)).toEqual(story_ids);
    expect((await inSprint(sprint)).map((story) => story[0]).join('')).toBe('bdface');
    for (const story of moved.body) {
      expect((await client.get(`/api/stories/${story.id}`)).body).toEqual(story);
    }
    await expectReplayToEqualLists(board);
  });

  it('without a list moves each story within its own list', async () => {
    const { sprint, ids, board } = await list([1, 2, 3, 4]);
    await moveAll(board, { story_ids: [ids[0], ids[1]], sprint_id: null });
    const story_ids = [ids[1], ids[3], ids[0]];
    // The response is in the order of the request, whichever lists the stories are in.
    const moved = await made2xx(moveAll(board, { story_ids, position: 'first' }));
    expect(moved.map(({ id }: any) => id)).toEqual(story_ids);
    expect((await inSprint(sprint)).map((story) => story[0]).join('')).toBe('dc');
    expect((await inBacklog(board)).map((story) => story[0]).join('')).toBe('ba');
    expect((await moveAll(board, { story_ids: [] })).body).toEqual([]);
  });

  it('moves all or none, and reports each story that is not on the board', async () => {
    const { ids, board, sprint } = await list([1, 2, 3]);
    const otherList = await list([1]);
    const before = await revision(board);
    const story_ids = [ids[2], otherList.ids[0], ids[0], 999_999_999];
    const rejected = await moveAll(board, { story_ids, position: 'first' });
    expect(rejected.status).toBe(400);
    expect(rejected.body.errors.map((e: any) => [e.pointer, e.code])).toEqual([
      ['/story_ids/1', 'not_found'],
      ['/story_ids/3', 'not_found'],
    ]);
    for (const [story_ids, pointers] of [
      [[999_999_999], ['/story_ids/0', '/sprint_id']],
      [[], ['/sprint_id']],
    ]) {
      const nowhere = await moveAll(board, { story_ids, sprint_id: 999_999_999 });
      expect([nowhere.status, nowhere.body.errors?.map((e: any) => e.pointer)]).toEqual([
        400,
        pointers,
      ]);
    }
    const twice = await moveAll(board, { story_ids: [ids[0], ids[1], ids[0]] });
    expect(twice.body.errors.map((e: any) => [e.pointer, e.code])).toEqual([
      ['/story_ids/2', 'duplicate'],
    ]);
    for (const wrong of [{}, { story_ids: 'x' }, { story_ids: [true] }, { story_ids: null }]) {
      expect((await moveAll(board, wrong)).status).toBe(400);
    }
    const tooMany = { story_ids: Array.from({ length: 1001 }, (_, i) => i + 1) };
    expect((await moveAll(board, tooMany)).body.errors[0].code).toBe('too_many');
    expect((await moveAll('No such board', { story_ids: [] })).status).toBe(404);
    expect(await revision(board)).toBe(before);
    expect(await inSprint(sprint)).toEqual(['a1', 'b2', 'c3']);
  });

  it('changes as few of them as possible', async () => {
    const { sprint, ids, board } = await list([1, 2, 3, 10, 20]);
    const before = await revision(board);
    await moveAll(board, { story_ids: [ids[2], ids[3], ids[1], ids[4]], position: 'last' });
    expect((await inSprint(sprint)).map((story) => story[0]).join('')).toBe('acdbe');
    expect((await revision(board)) - before).toBe(1);
  });

  it("checks If-Match against the entity tag of the board's lists", async () => {
    const { ids, board } = await list([1, 2]);
    const { headers } = await client.get(`/api/boards/${board}/stories`);
    const condition = { headers: { 'if-match': headers.get('etag') as string } };
    const body = { story_ids: [ids[0]] };
    expect((await moveAll(board, body, condition)).status).toBe(200);
    expect((await moveAll(board, body, condition)).status).toBe(412);
  });

  it('moves 1,000 stories at once', async () => {
    const { board, sprint } = await list([]);
    await fillBacklog(service, boardPath(board), 1000);
    const backlog = await client.get(`/api/boards/${board}/backlog`);
    const story_ids = backlog.body.map(({ id }: any) => id).reverse();
    const moved = await moveAll(board, { story_ids, sprint_id: sprint });
    expect(moved.status).toBe(200);
    const after = await client.get(`/api/sprints/${sprint}/stories`);
    expect(after.body.map(({ id }: any) => id)).toEqual(story_ids);
  });

  it('to another board moves them all', async () => {
    const from = await list([1, 2, 3]);
    const to = await list([1]);
    const story_ids = [from.ids[2], from.ids[0]];
    const moved = await moveAll(from.board, { story_ids, sprint_id: to.sprint, position: 'first' });
    expect(moved.body.map((s: any) => s.board_name)).toEqual([to.board, to.board]);
    expect((await inSprint(to.sprint)).map((story) => story[0]).join('')).toBe('caa');
    await expectReplayToEqualLists(from.board);
    await expectReplayToEqualLists(to.board);
  });
});

describe('any sequence of moves', () => {
  it('has the same order as in a plain array, and a log whose replay is the board', async () => {
    const { board, sprint, ids } = await list([1, 1, 2, 3, 7, 7, 7, 8]);
    const model = new Map<number | null, number[]>([
      [sprint, [...ids]],
      [null, []],
    ]);
    const steps = fc.record({
      moved: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 4 }),
      to: fc.constantFrom(sprint, null),
      where: fc.constantFrom('first', 'last', 'before', 'after'),
      next: fc.nat(7),
    });
    for (const { moved, to, where, next } of fc.sample(steps, { numRuns: 60, seed: 7 })) {
      const story_ids = moved.map((i) => ids[i] as number);
      const rest = (model.get(to) ?? []).filter((id) => !story_ids.includes(id));
      const neighbour = rest[next % Math.max(1, rest.length)];
      const beside = neighbour !== undefined && (where === 'before' || where === 'after');
      const position = beside ? { [where]: neighbour } : where === 'first' ? 'first' : 'last';
      const answer = await moveAll(board, { story_ids, sprint_id: to, position });
      expect(answer.status).toBe(200);
      const at = beside
        ? rest.indexOf(neighbour) + (where === 'after' ? 1 : 0)
        : position === 'first'
          ? 0
          : rest.length;
      for (const [id, stories] of model) {
        model.set(
          id,
          stories.filter((story) => !story_ids.includes(story)),
        );
      }
      model.set(to, rest.toSpliced(at, 0, ...story_ids));
      const stories = (await client.get(`/api/boards/${board}/stories`)).body;
      for (const [id, order] of model) {
        const shown = stories.filter((s: any) => s.sprint_id === id);
        expect(shown.map((s: any) => s.id)).toEqual(order);
        const around = shown.slice(id === to ? Math.max(0, at - 1) : 0, at + story_ids.length + 1);
        const seqs = around.map((s: any) => s.seq);
        if (id === to) expect(new Set(seqs).size).toBe(seqs.length);
      }
    }
    await expectReplayToEqualLists(board);
  });
});

describe('100 moves at once on one list', () => {
  it('keep every story exactly once, each with its own seq', async () => {
    const { board, sprint } = await list([]);
    const ids: number[] = [];
    for (let i = 0; i < 30; i += 1) {
      const { body } = await client.post(`/api/sprints/${sprint}/stories`, { title: `${i}` });
      ids.push(body.id);
    }
    const before = await revision(board);
    const pick = (i: number): number => ids[i % ids.length] as number;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        if (i % 5 === 0) return move(pick(i * 7), { position: 'first' });
        if (i % 5 === 1) return move(pick(i * 7), { position: 'last' });
        if (i % 5 === 2) {
          const story_ids = [pick(i * 7), pick(i * 7 + 1)];
          return moveAll(board, { story_ids, position: { after: pick(i * 7 + 2) } });
        }
        return move(pick(i * 7), { position: { before: pick(i * 7 + 11) } });
      }),
    );
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    const stories = (await client.get(`/api/sprints/${sprint}/stories`)).body;
    expect(stories.map((s: any) => s.id).sort((a: number, b: number) => a - b)).toEqual(ids);
    expect(new Set(stories.map((s: any) => s.seq)).size).toBe(ids.length);
    const again = (await client.get(`/api/boards/${board}/stories`)).body;
    expect(again).toEqual(stories);
    expect(await revision(board)).toBeGreaterThanOrEqual(before + 40);
    await expectReplayToEqualLists(board);
  });

  it('do not deadlock between two boards', async () => {
    const one = await list([1, 2, 3, 4, 5, 6]);
    const other = await list([1, 2, 3, 4, 5, 6]);
    const all = [...one.ids, ...other.ids];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        move(all[(i * 5) % 12], { sprint_id: i % 2 ? one.sprint : other.sprint }),
      ),
    );
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    const stories = await Promise.all(
      [one, other].map(({ sprint }) => client.get(`/api/sprints/${sprint}/stories`)),
    );
    const ids = stories.flatMap(({ body }) => body.map((s: any) => s.id));
    expect(ids.sort((a, b) => a - b)).toEqual(all.sort((a, b) => a - b));
    await expectReplayToEqualLists(one.board);
    await expectReplayToEqualLists(other.board);
  });
});
