import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { CREATED, insertRows, storyRow } from '../support/fill';
import { made2xx, Workspace } from '../support/make';
import { onStatement } from '../support/statements';

// Two instances of the service on one database: one changes the sprint that the other has cached.
let one: TestApp;
let other: TestApp;
beforeAll(async () => {
  one = await startApp();
  other = await startApp({ database: one.database });
});
afterAll(async () => {
  await other.close();
  await one.close();
});
afterEach(() => {
  one.clock.set();
  other.clock.set();
});

const setClocks = (instant: string): void => {
  one.clock.set(instant);
  other.clock.set(instant);
};

/** Creates a board with an active sprint of one story with one task. */
async function board(): Promise<{
  work: Workspace;
  path: string;
  sprint: any;
  story: any;
  task: any;
}> {
  const work = await Workspace.create(one.client);
  const sprint = await work.sprint('2026-11-02');
  const story = await work.story(sprint);
  return { work, path: work.path, sprint, story, task: await work.task(story) };
}

describe('a sprint in full', () => {
  it('shows every change at once, from either instance', async () => {
    const { path, sprint, story, task } = await board();
    const changes: [string, () => Promise<any>][] = [
      ['sprint renamed', () => one.client.put(`/api/sprints/${sprint.id}`, { name: 'renamed' })],
      ['story changed', () => one.client.put(`/api/stories/${story.id}`, { points: 5 })],
      ['task changed', () => one.client.put(`/api/tasks/${task.id}`, { status: 'done' })],
      ['task added', () => one.client.post(`/api/stories/${story.id}/tasks`, { title: 'more' })],
      ['task deleted', () => one.client.delete(`/api/tasks/${task.id}`)],
      [
        'story added',
        () => one.client.post(`/api/sprints/${sprint.id}/stories`, { title: 'another' }),
      ],
      [
        'story moved first',
        async () => {
          const { stories } = (await one.client.get(`${path}/sprints/current`)).body;
          return one.client.post(`/api/stories/${stories[1].id}/move`, { position: 'first' });
        },
      ],
      ['story deleted', () => one.client.delete(`/api/stories/${story.id}`)],
      ['another sprint', () => one.client.post(`${path}/sprints`, { start_date: '2026-11-03' })],
    ];
    let before = await other.client.get(`${path}/sprints/current`);
    for (const [name, change] of changes) {
      await made2xx(change());
      const after = await other.client.get(`${path}/sprints/current`, {
        headers: { 'If-None-Match': before.headers.get('etag') ?? '' },
      });
      expect([name, after.status]).toEqual([name, 200]);
      expect([name, after.text === before.text]).toEqual([name, false]);
      const fresh = await one.client.get(`${path}/sprints/current`);
      expect(after.text).toBe(fresh.text);
      expect(after.headers.get('etag')).toBe(fresh.headers.get('etag'));
      before = after;
    }
  });

  it('has the same bytes and entity tag on every instance while nothing changes', async () => {
    const { path } = await board();
    const first = await one.client.get(`${path}/sprints/current`);
    const tag = first.headers.get('etag') ?? '';
    for (const { client } of [one, other, one, other]) {
      const again = await client.get(`${path}/sprints/current`);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('etag')).toBe(tag);
      const unchanged = await client.get(`${path}/sprints/current`, {
        headers: { 'If-None-Match': tag },
      });
      expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    }
  });

  it('of long stories is streamed from the first request', async () => {
    const { work, path, sprint, story, task } = await board();
    const { id } = (await one.client.get(path)).body;
    const rest = { sprint_id: sprint.id, description: '€'.repeat(32_767) };
    await insertRows(one, 'stories', 20, (i) => storyRow(id, i + 1, rest));
    await work.task(story);
    const answer = await other.client.get(`${path}/sprints/current`);
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(answer.body.stories).toHaveLength(21);
    expect(answer.body.stories[0].tasks[0].id).toBe(task.id);
    await made2xx(one.client.put(`/api/sprints/${sprint.id}`, { goal: 'Fewer words' }));
    const next = await other.client.get(`${path}/sprints/current`);
    expect(next.headers.get('transfer-encoding')).toBe('chunked');
    expect(next.body.goal).toBe('Fewer words');
  });

  it('with many tasks is streamed from the first request', async () => {
    const { path, story } = await board();
    const task = (i: number) => ({
      story_id: story.id as number,
      title: `Task ${i}`,
      seq: i + 2,
      status: 'todo',
      created_at: CREATED,
      updated_at: CREATED,
      version: 1,
    });
    await insertRows(one, 'tasks', 6000, task);
    const answer = await other.client.get(`${path}/sprints/current`);
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(answer.body.stories[0].tasks).toHaveLength(6001);
  });

  it('is streamed only while it is long', async () => {
    const { path, sprint, work } = await board();
    const { id } = (await one.client.get(path)).body;
    await insertRows(one, 'stories', 100, (i) => storyRow(id, i + 1, { sprint_id: sprint.id }));
    const streamed = async (): Promise<boolean> => {
      const { headers } = await one.client.get(`${path}/sprints/current`);
      return headers.get('transfer-encoding') === 'chunked';
    };
    expect(await streamed()).toBe(true);
    const { stories } = (await one.client.get(`${path}/sprints/current`)).body;
    const last = stories.at(-1);
    await made2xx(one.client.put(`/api/stories/${last.id}`, { points: 1 }));
    expect(await streamed()).toBe(true);
    await made2xx(one.client.delete(`/api/stories/${last.id}`));
    // The first response shows that the sprint is short now.
    await streamed();
    await work.story(null);
    expect(await streamed()).toBe(false);
  });

  it('has the same bytes and entity tag from an instance on which it was streamed before', async () => {
    const { work, path, sprint, story, task } = await board();
    const { id } = (await one.client.get(path)).body;
    const rest = { sprint_id: sprint.id };
    await insertRows(one, 'stories', 200, (i) => storyRow(id, i + 1, rest));
    await work.task(story);
    const long = (await one.client.get(`${path}/sprints/current`)).body.stories;
    expect(long).toHaveLength(201);
    const ids = long.map((each: any) => each.id).filter((each: number) => each !== story.id);
    await made2xx(one.client.post(`${path}/stories/move`, { story_ids: ids, sprint_id: null }));
    const [known, unknown] = await Promise.all(
      [one, other].map(({ client }) => client.get(`${path}/sprints/current`)),
    );
    expect(known?.body.stories[0].tasks[0].id).toBe(task.id);
    expect(known?.body.stories).toHaveLength(1);
    expect(known?.text).toBe(unknown?.text);
    expect(known?.headers.get('etag')).toBe(unknown?.headers.get('etag'));
  });

  it("changes at midnight in the board's time zone", async () => {
    const work = await Workspace.create(one.client, 'America/New_York');
    const { path } = work;
    const first = await work.sprint('2026-11-16', { end_date: '2026-11-20' });
    await work.story(first);
    const second = await work.sprint('2026-11-21');
    setClocks('2026-11-21T04:59:59.999Z');
    const evening = await other.client.get(`${path}/sprints/current`);
    expect([evening.body.id, evening.body.state]).toEqual([first.id, 'active']);
    const headers = { 'If-None-Match': evening.headers.get('etag') ?? '' };
    expect((await other.client.get(`${path}/sprints/current`, { headers })).status).toBe(304);
    setClocks('2026-11-21T05:00:00.000Z');
    const morning = await other.client.get(`${path}/sprints/current`, { headers });
    expect([morning.status, morning.body.id]).toEqual([200, second.id]);
    const previous = await other.client.get(`${path}/sprints/previous`);
    expect([previous.body.id, previous.body.state]).toEqual([first.id, 'ended']);
  });

  it('differs for current, next and previous, and has no entity tag without a sprint', async () => {
    const { path, sprint } = await board();
    const tag = (await one.client.get(`${path}/sprints/current`)).headers.get('etag') ?? '';
    for (const given of [tag, '*']) {
      for (const word of ['next', 'previous']) {
        const headers = { 'If-None-Match': given };
        expect((await one.client.get(`${path}/sprints/${word}`, { headers })).status).toBe(404);
      }
    }
    await one.client.delete(`/api/sprints/${sprint.id}`);
    const headers = { 'If-None-Match': '*' };
    expect((await one.client.get(`${path}/sprints/current`, { headers })).status).toBe(404);
  });

  it('belongs to the board that has the name now', async () => {
    const { work, path, sprint } = await board();
    await other.client.get(`${path}/sprints/current`);
    await one.client.delete(`${path}?force=true`);
    expect((await other.client.get(`${path}/sprints/current`)).status).toBe(404);
    const again = await work.sprint('2026-11-02');
    const answer = await other.client.get(`${path}/sprints/current`);
    expect(answer.body.id).toBe(again.id);
    expect(answer.body.id).not.toBe(sprint.id);
  });

  it('is read from one snapshot while others change it', async () => {
    const { path, sprint, story } = await board();
    const ids: number[] = [story.id];
    for (let i = 0; i < 9; i += 1) {
      const { body } = await one.client.post(`/api/sprints/${sprint.id}/stories`, {
        title: `${i}`,
      });
      await one.client.post(`/api/stories/${body.id}/tasks`, { title: 'task' });
      ids.push(body.id);
    }
    let moving = true;
    const move = async (): Promise<void> => {
      for (let times = 0; times < 40; times += 1) {
        const sprint_id = times % 2 === 0 ? null : sprint.id;
        await made2xx(one.client.post(`${path}/stories/move`, { story_ids: ids, sprint_id }));
      }
      moving = false;
    };
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      while (moving) {
        const { body } = await other.client.get(`${path}/sprints/current`);
        const tasks = body.stories.map(({ tasks }: any) => tasks.length);
        seen.add(JSON.stringify(tasks));
      }
    };
    await Promise.all([move(), read(), read(), read()]);
    // Either all ten stories, each with its task, or none.
    const whole = [JSON.stringify([]), JSON.stringify(Array(10).fill(1))];
    expect([...seen].filter((state) => !whole.includes(state))).toEqual([]);
    expect(seen.size).toBe(2);
  });

  it('without tasks is read again if the board changes meanwhile', async () => {
    const work = await Workspace.create(one.client);
    const sprint = await work.sprint('2026-11-02');
    let added: Promise<any> | undefined;
    const stop = onStatement({
      before: async ({ sql }) => {
        if (added || !sql.includes('FROM stories')) return;
        added = work.story(sprint);
        await added;
      },
    });
    const answer = await other.client.get(`${work.path}/sprints/current`).finally(stop);
    expect(answer.body.stories).toHaveLength(1);
    expect(answer.headers.get('x-board-revision')).toBe(String(await work.revision()));
  });

  it('without tasks is read in a snapshot if the board changes during two reads', async () => {
    const work = await Workspace.create(one.client);
    const sprint = await work.sprint('2026-11-02');
    let added = 0;
    let isAdding = false;
    const stop = onStatement({
      before: async ({ sql }) => {
        if (isAdding || added === 2 || !sql.includes('FROM stories')) return;
        isAdding = true;
        await work.story(sprint);
        added += 1;
        isAdding = false;
      },
    });
    const answer = await other.client.get(`${work.path}/sprints/current`).finally(stop);
    expect(answer.body.stories).toHaveLength(2);
    expect(answer.headers.get('x-board-revision')).toBe(String(await work.revision()));
  });

  it('with tasks is read again if one of them changes after the stories were read', async () => {
    const { work, path, task } = await board();
    let changed: Promise<any> | undefined;
    const stop = onStatement({
      before: async ({ sql }) => {
        if (changed || !sql.includes('JOIN tasks')) return;
        changed = made2xx(one.client.put(`/api/tasks/${task.id}`, { title: 'Changed' }));
        await changed;
      },
    });
    const answer = await other.client.get(`${path}/sprints/current`).finally(stop);
    expect(answer.body.stories[0].tasks[0].title).toBe('Changed');
    expect(answer.headers.get('x-board-revision')).toBe(String(await work.revision()));
  });
});
