import { useApp } from '../support/app';

/**
 * A client that was written only from the table of twelve operations: it uses no other path, field, header
 * or parameter, and does not read the OpenAPI document.
 */
class NaiveClient {
  constructor(
    private readonly url: string,
    private readonly type: 'json' | 'form',
  ) {}

  async call(
    method: string,
    path: string,
    body?: Record<string, string | number | null>,
  ): Promise<any> {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(body ?? {})) form.append(name, String(value ?? ''));
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const content = this.type === 'json' ? json : { body: form };
    const response = await fetch(this.url + path, { method, ...(body && content) });
    return { status: response.status, body: await response.json() };
  }
}

describe.each(['sqlite', ...(process.env.TEST_MYSQL_URL ? ['mysql' as const] : [])] as const)(
  'on %s',
  (engine) => {
    const service = useApp({ engine });
    beforeAll(() => {
      service.clock.set('2026-11-21T12:00:00Z');
    });

    it.each(['json', 'form'] as const)(
      'a client that uses only the operations of the table can do all its work (%s)',
      async (type) => {
        const client = new NaiveClient(service.url, type);
        const board = `/api/boards/Naive%20${type}`;
        const ok = async (
          status: number,
          ...call: Parameters<NaiveClient['call']>
        ): Promise<any> => {
          const answer = await client.call(...call);
          expect([call, answer.status]).toEqual([call, status]);
          return answer.body;
        };

        // Sprints: create, list, show, current, update.
        const first = await ok(201, 'POST', `${board}/sprints`, { start_date: '2026-11-16' });
        const second = await ok(201, 'POST', `${board}/sprints`, { start_date: '2026-11-30' });
        expect(await ok(200, 'GET', `${board}/sprints`)).toEqual([first, second]);
        expect(await ok(200, 'GET', `/api/sprints/${first.id}`)).toEqual(first);
        expect(first).not.toHaveProperty('stories');
        const moved = await ok(200, 'PUT', `/api/sprints/${second.id}`, {
          start_date: '2026-12-07',
        });
        expect(moved).toMatchObject({ id: second.id, start_date: '2026-12-07' });

        // Stories: create with required and with optional fields, list, show, update, move.
        const stories = `/api/sprints/${first.id}/stories`;
        const b = await ok(201, 'POST', stories, { title: 'b' });
        const a = await ok(201, 'POST', stories, { title: 'a', seq: -1, priority: 5 });
        expect(a).toMatchObject({ title: 'a', seq: -1, priority: 5, sprint_id: first.id });
        expect(await ok(200, 'GET', stories)).toEqual([a, b]);
        expect(await ok(200, 'GET', `/api/stories/${b.id}`)).toEqual(b);
        expect(
          (await client.call('POST', stories, { title: 'x', sprint_id: first.id })).status,
        ).toBe(400);
        expect((await client.call('POST', stories, { seq: 1 })).status).toBe(400);
        const renamed = await ok(200, 'PUT', `/api/stories/${b.id}`, {
          title: 'c',
          seq: 2,
          priority: 1,
        });
        expect(renamed).toMatchObject({ title: 'c', seq: 2, priority: 1, sprint_id: first.id });
        const current = await ok(200, 'GET', `${board}/sprints/current`);
        expect(current).toEqual({
          ...first,
          stories: [
            { ...a, tasks: [] },
            { ...renamed, tasks: [] },
          ],
        });
        await ok(200, 'PUT', `/api/stories/${a.id}`, { sprint_id: second.id });
        expect(await ok(200, 'GET', `/api/sprints/${second.id}/stories`)).toHaveLength(1);
        await ok(200, 'PUT', `/api/stories/${b.id}`, { sprint_id: null });
        expect((await ok(200, 'GET', `${board}/backlog`)).map((story: any) => story.id)).toEqual([
          b.id,
        ]);

        // Deletions.
        expect(await ok(200, 'DELETE', `/api/stories/${b.id}`)).toMatchObject({
          deleted: true,
          id: b.id,
        });
        expect(await ok(200, 'DELETE', `/api/sprints/${second.id}`)).toMatchObject({
          deleted: true,
          id: second.id,
        });
        expect((await ok(200, 'GET', `${board}/backlog`)).map((story: any) => story.id)).toEqual([
          a.id,
        ]);
        await ok(200, 'DELETE', `/api/sprints/${first.id}`);
        expect((await client.call('GET', `${board}/sprints/current`)).body.code).toBe(
          'no_current_sprint',
        );
        expect(await ok(200, 'GET', `${board}/sprints`)).toEqual([]);
      },
    );
  },
);
