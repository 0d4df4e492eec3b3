import type { TestApp } from '../support/app';
import { startApp } from '../support/app';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

describe('stories', () => {
  it('of a deleted sprint go to the end of the backlog in their order', async () => {
    const { client } = service;
    const sprint = await client.post('/api/boards/Deletion/sprints', { start_date: '2026-11-23' });
    await client.post('/api/boards/Deletion/backlog', { title: 'first', seq: 7 });
    for (const title of ['a', 'b', 'c']) {
      await client.post(`/api/sprints/${sprint.body.id}/stories`, { title });
    }
    const deleted = await client.delete(`/api/sprints/${sprint.body.id}`);
    expect(deleted.body).toEqual({
      deleted: true,
      id: sprint.body.id,
      stories_moved_to_backlog: 3,
    });
    const backlog = await client.get('/api/boards/Deletion/backlog');
    expect(backlog.body.map((s: any) => [s.title, s.seq])).toEqual([
      ['first', 7],
      ['a', 8],
      ['b', 9],
      ['c', 10],
    ]);
  });
});
