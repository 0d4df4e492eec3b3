import type { TestApp } from '../support/app';
import { startApp } from '../support/app';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

describe('what is read again and again', () => {
  it('reads the same, an instant without a fraction of a second too', async () => {
    const { client, clock } = service;
    clock.set('2026-11-21T09:30:00.000Z');
    const story = await client.post('/api/boards/Repetition/backlog', {
      title: 'on the second',
      status: 'done',
    });
    clock.set('2026-11-21T09:30:00.120Z');
    const task = await client.post(`/api/stories/${story.body.id}/tasks`, { title: 'a bit later' });
    clock.set();
    for (let times = 0; times < 5; times += 1) {
      const read = await client.get(`/api/stories/${story.body.id}`);
      expect(read.text).toBe(story.text);
      expect(read.body).toMatchObject({
        created_at: '2026-11-21T09:30:00.000Z',
        updated_at: '2026-11-21T09:30:00.000Z',
        done_at: '2026-11-21T09:30:00.000Z',
      });
      expect((await client.get(`/api/tasks/${task.body.id}`)).body).toEqual(task.body);
      expect(task.body.created_at).toBe('2026-11-21T09:30:00.120Z');
    }
  });

  it('reads the same whether it is few or many', async () => {
    const { client } = service;
    for (let i = 1; i <= 12; i += 1) {
      const story = await client.post('/api/boards/Few%20or%20many/backlog', {
        title: `story ${i}`,
      });
      // At first the list is short, then long: it is asked for in two ways of the protocol.
      for (let times = 0; times < 3; times += 1) {
        const list = await client.get('/api/boards/Few%20or%20many/backlog');
        expect(list.body).toHaveLength(i);
        expect(list.body[i - 1]).toEqual(story.body);
      }
    }
  });
});
