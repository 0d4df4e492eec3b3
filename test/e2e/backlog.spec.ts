import { useApp } from '../support/app';
import { freshName, boardPath, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';

const service = useApp();

describe('the backlog', () => {
  it('has the stories of a board that are in no sprint, by seq, then id', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const other = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    await board.story(sprint, { title: 'in a sprint' });
    await other.story(null, { title: 'of another board' });
    for (const [title, seq] of [
      ['d', 7],
      ['b', 2],
      ['a', -1],
      ['c', 2],
    ] as const) {
      await board.story(null, { title, seq });
    }
    const listed = await client.get<any[]>(`${board.path}/backlog`);
    expect(listed.body.map(({ title }) => title)).toEqual(['a', 'b', 'c', 'd']);
    expect(listed.body.every((story) => story.sprint_id === null)).toBe(true);
  });

  it('accepts new stories, with the same body as a sprint', async () => {
    const { client } = service;
    const path = `${boardPath(freshName())}/backlog`;
    const made = await client.post(path, { title: 'x', points: 1, labels: ['y'], seq: 4 });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api/stories/${made.body.id}`);
    expect(made.body).toMatchObject({ sprint_id: null, points: 1, labels: ['y'], seq: 4 });
    expectErrors(await client.post(path, { title: 'x', sprint_id: 1 }), '/sprint_id unknown_field');
  });

  it('of a new board is empty; that of a missing board is not found', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    expect((await client.get(`${board.path}/backlog`)).body).toEqual([]);
    expectProblem(await client.get(`${boardPath(freshName())}/backlog`), 404, 'board_not_found');
  });

  it('cannot be replaced or deleted', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await client.call(method, `${board.path}/backlog`);
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
    }
  });

  it('rejects an invalid board name', async () => {
    const { client } = service;
    for (const name of ['%00', '%0A', '.%20', 'x'.repeat(101), '%C2%85']) {
      const answer = await client.post(`/api/boards/${name}/backlog`, { title: 'x' });
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].parameter).toBe('board_name');
      expectProblem(await client.get(`/api/boards/${name}/backlog`), 404, 'board_not_found');
    }
  });
});
