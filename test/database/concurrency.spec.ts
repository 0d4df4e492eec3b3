import Libsql from 'libsql';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { UnitOfWork } from '../../src/database/unit-of-work';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { createDatabase, engineUnderTest } from '../support/databases';
import { LONG_DEADLINE } from '../support/faults';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { inOrder, replay } from '../support/replay';

/** Starts `count` runs at once, each with its number. */
const atOnce = <T>(count: number, run: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => run(i)));

/** Counts the responses by status. */
function tally(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Returns a pseudorandom generator with a seed, so that every run has the same numbers (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

describe.each([1, 2])('%i instance(s) on one database', (count) => {
  let instances: TestApp[];
  let drop: () => Promise<void>;
  let turn = 0;
  /** Returns the client of the next instance, in rotation. */
  const client = (): Client => (instances[(turn += 1) % instances.length] as TestApp).client;

  beforeAll(async () => {
    const database = await createDatabase();
    drop = () => database.drop();
    // All of them migrate the empty database at once.
    instances = await atOnce(count, () => startApp({ database, environment: LONG_DEADLINE }));
  });
  afterAll(async () => {
    for (const instance of instances) await instance.close();
    await drop();
  });

  it('create one board from first sprints and stories that arrive at once', async () => {
    const path = boardPath(freshName('First'));
    const answers = await atOnce(24, (i) =>
      client().post(
        `${path}/${i % 2 ? 'sprints' : 'backlog'}`,
        i % 2 ? { start_date: '2026-11-23' } : { title: 'x' },
      ),
    );
    expect(tally(answers)).toEqual({ 201: 24 });
    const events = (await client().get<any[]>(`${path}/events`)).body;
    expect(events.filter(({ type }) => type === 'board.created')).toHaveLength(1);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, i) => i + 1));
    expect((await client().get(path)).body.revision).toBe(25);
    expect((await client().get<any[]>(`${path}/sprints`)).body).toHaveLength(12);
  });

  it('give each new story of a list a different seq', async () => {
    const board = await Workspace.create(client());
    const sprint = await board.sprint('2026-11-23');
    const answers = await atOnce(60, () =>
      client().post(`/api/sprints/${sprint.id}/stories`, { title: 'x' }),
    );
    expect(answers.map(({ body }) => body.seq as number).sort((a, b) => a - b)).toEqual(
      answers.map((_, i) => i + 1),
    );
    const story = await board.story(null);
    const tasks = await atOnce(30, () =>
      client().post(`/api/stories/${story.id}/tasks`, { title: 'x' }),
    );
    expect(new Set(tasks.map(({ body }) => body.seq as number)).size).toBe(30);
  });

  it('accept exactly one of many changes with the same entity tag', async () => {
    const board = await Workspace.create(client());
    const sprint = await board.sprint('2026-11-23');
    const story = await board.story(sprint);
    const task = await board.task(story);
    for (const [path, member] of [
      [board.path, 'time_zone'],
      [`/api/sprints/${sprint.id}`, 'goal'],
      [`/api/stories/${story.id}`, 'title'],
      [`/api/tasks/${task.id}`, 'title'],
    ] as const) {
      const tag = (await client().get(path)).headers.get('etag') as string;
      const zones = Intl.supportedValuesOf('timeZone');
      const answers = await atOnce(20, (i) =>
        client().put(path, { [member]: zones[i] }, { headers: { 'if-match': tag } }),
      );
      expect([path, tally(answers)]).toEqual([path, { 200: 1, 412: 19 }]);
      const acceptedAnswer = answers.find(({ status }) => status === 200);
      expect((await client().get(path)).body).toEqual(acceptedAnswer?.body);
    }
    const deletions = await atOnce(10, () => client().delete(`/api/stories/${story.id}`));
    expect(tally(deletions)).toEqual({ 200: 1, 404: 9 });
  });

  it('accept a name and an external id from only one of many requests', async () => {
    const boards = await atOnce(8, () => Workspace.create(client()));
    const name = freshName('Wanted');
    const renamed = await Promise.all([
      ...boards.map((board) => client().put(board.path, { name })),
      ...boards.map(() => client().post('/api/boards', { name })),
    ]);
    expect(renamed.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(tally(renamed)[409]).toBe(15);
    const ids = await atOnce(16, () =>
      client().post(`${boardPath(name)}/backlog`, { title: 'x', external_id: 'E' }),
    );
    expect(tally(ids)).toEqual({ 201: 1, 409: 15 });
  });

  it('serve a burst of 300 changes to one board', async () => {
    const board = await Workspace.create(client());
    const sprint = await board.sprint('2026-11-23');
    const stories = await atOnce(10, () => board.story(sprint));
    const answers = await atOnce(300, (i) =>
      i % 2
        ? client().post(`/api/sprints/${sprint.id}/stories`, { title: `${i}` })
        : client().put(`/api/stories/${stories[i % 10].id}`, { description: `${i}` }),
    );
    expect(tally(answers)).toEqual({ 200: 150, 201: 150 });
    expect(await board.revision()).toBe(2 + 10 + 300);
  });

  it('lose no story of a sprint that is deleted while stories are created in it and moved to it', async () => {
    const board = await Workspace.create(client());
    const otherBoard = await Workspace.create(client());
    for (let round = 0; round < 6; round += 1) {
      const sprint = await board.sprint('2026-11-23');
      const movers = await atOnce(6, (i) => (i % 2 ? board : otherBoard).story(null));
      const stories = `/api/sprints/${sprint.id}/stories`;
      let deleted: Answer | undefined;
      const answers = await atOnce(30, async (i) => {
        if (i === 15) return (deleted = await client().delete(`/api/sprints/${sprint.id}`));
        const mover = movers[i - 20];
        return mover
          ? client().put(`/api/stories/${mover.id}`, { sprint_id: sprint.id })
          : client().post(stories, { title: 'x' });
      });
      expect(answers.every(({ status }) => [200, 201, 400, 404].includes(status))).toBe(true);
      expect(deleted?.status).toBe(200);
      const inSprint = answers.filter(({ body }) => body.sprint_id === sprint.id);
      expect(deleted?.body.stories_moved_to_backlog).toBe(inSprint.length);
      const backlog = (await client().get<any[]>(`${board.path}/backlog`)).body;
      for (const { body } of inSprint)
        expect(backlog.map(({ id }) => id as number)).toContain(body.id);
    }
    const all = (await client().get<any[]>(`${board.path}/stories`)).body;
    expect(all.every(({ sprint_id }) => sprint_id === null)).toBe(true);
    replay(await board.events());
  });

  it('lose no story that is moved between boards in both directions', async () => {
    const boards = await atOnce(3, () => Workspace.create(client()));
    const sprints = await Promise.all(boards.map((board) => board.sprint('2026-11-23')));
    const stories = await atOnce(12, (i) => (boards[i % 3] as Workspace).story(sprints[i % 3]));
    const tasks = await Promise.all(stories.map((story) => (boards[0] as Workspace).task(story)));
    const random = randomFrom(1);
    const answers = await atOnce(80, () => {
      const story = stories[random(12)];
      const task = tasks[random(12)];
      return random(4) === 0
        ? client().put(`/api/tasks/${task.id}`, { title: `t${random(1000)}` })
        : client().put(`/api/stories/${story.id}`, { sprint_id: sprints[random(3)].id });
    });
    expect(tally(answers)).toEqual({ 200: 80 });
    const found: any[] = [];
    for (const board of boards) {
      const shown = (await client().get<any[]>(`${board.path}/stories`)).body;
      const state = replay(await board.events());
      expect([...state.stories.values()].sort(inOrder)).toEqual(shown);
      const withTask = shown.map(
        ({ id }) => tasks[stories.findIndex((story) => story.id === id)].id as number,
      );
      expect([...state.tasks.keys()].sort()).toEqual(withTask.sort());
      found.push(...shown);
    }
    expect(found.map(({ id }) => id as number).sort()).toEqual(
      stories.map(({ id }) => id as number).sort(),
    );
  });

  it('delete a board with everything in it while clients write to it', async () => {
    const board = await Workspace.create(client());
    const sprint = await board.sprint('2026-11-23');
    const answers = await atOnce(30, (i) =>
      i === 15
        ? client().delete(`${board.path}?force=true`)
        : client().post(`/api/sprints/${sprint.id}/stories`, { title: 'x' }),
    );
    expect(
      Object.keys(tally(answers))
        .map(Number)
        .every((status) => [200, 201, 404].includes(status)),
    ).toBe(true);
    expect((await client().get(board.path)).status).toBe(404);
    const made = answers.filter(({ status }) => status === 201);
    for (const { body } of made)
      expect((await client().get(`/api/stories/${body.id}`)).status).toBe(404);
  });

  it('store all acknowledged changes and no rejected one, and show no partial change', async () => {
    const board = await Workspace.create(client());
    const sprints = [
      await board.sprint('2020-01-01'),
      await board.sprint('2019-01-01', { end_date: '2019-01-02' }),
    ];
    const [current, other] = sprints;
    const seeds = await atOnce(20, (i) =>
      board.story(i % 2 ? current : null, { external_id: `seed ${i}` }),
    );
    const random = randomFrom(7);
    const rejected: Answer[] = [];
    const accepted: Answer[] = [];
    let expectedRejections = 0;

    /** Sends one request of a client; every fourth is invalid. */
    const sendOne = async (i: number): Promise<void> => {
      const story = seeds[random(20)];
      const bad = i % 4 === 0;
      if (bad) expectedRejections += 1;
      const path = `/api/stories/${story.id}`;
      const answer = (await (
        bad
          ? [
              () =>
                client().post(`${board.path}/backlog`, {
                  title: `refused ${i}`,
                  external_id: 'seed 1',
                }),
              () => client().put(path, { title: `refused ${i}`, sprint_id: 999_999_999 }),
              () =>
                client().put(
                  path,
                  { title: `refused ${i}` },
                  { headers: { 'if-match': '"stale"' } },
                ),
              () => client().post(`/api/sprints/999999999/stories`, { title: `refused ${i}` }),
              () => client().put(path, { title: `refused ${i}`, seq: 'x' }),
            ][random(5)]
          : [
              () => client().post(`/api/sprints/${current.id}/stories`, { title: `made ${i}` }),
              () => client().put(path, { description: `changed ${i}` }),
              () => client().put(path, { sprint_id: [current.id, other.id, null][random(3)] }),
              () => client().post(`/api/stories/${story.id}/tasks`, { title: `task ${i}` }),
              () => client().put(path, { status: ['todo', 'done'][random(2)], points: random(9) }),
            ][random(5)]
      )?.()) as Answer;
      (answer.status < 300 ? accepted : rejected).push(answer);
    };

    let isWriting = true;
    const readings: { from: number; to: number; full: any }[] = [];
    const read = async (): Promise<void> => {
      while (isWriting) {
        const from = (await client().get(board.path)).body.revision as number;
        const full = (await client().get(`${board.path}/sprints/current`)).body;
        readings.push({ from, to: (await client().get(board.path)).body.revision as number, full });
      }
    };
    const readers = Array.from({ length: 6 }, read);
    await atOnce(24, async (worker) => {
      for (let i = 0; i < 16; i += 1) await sendOne(worker * 16 + i);
    });
    isWriting = false;
    await Promise.all(readers);

    expect(rejected.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
    expect(rejected).toHaveLength(expectedRejections);

    const events = await board.events();
    const versions = new Map<string, Set<number>>();
    const wanted = new Map<number, string>();
    for (const reading of readings) {
      for (let r = reading.from; r <= reading.to; r += 1) wanted.set(r, '[]');
    }
    const state = replay(events, (revision, { stories, tasks }) => {
      const { entity, id } = events[revision - 1];
      const key = `${entity} ${id}`;
      const version = (entity === 'story' ? stories : tasks).get(id)?.version as number;
      versions.set(key, (versions.get(key) ?? new Set()).add(version));
      if (!wanted.has(revision)) return;
      const inSprint = [...stories.values()].filter(({ sprint_id }) => sprint_id === current.id);
      const full = inSprint.sort(inOrder).map((story) => ({
        ...story,
        tasks: [...tasks.values()].filter(({ story_id }) => story_id === story.id).sort(inOrder),
      }));
      wanted.set(revision, JSON.stringify(full));
    });

    // The log has every acknowledged version and no rejected change.
    for (const { body } of accepted) {
      const key = `${'story_id' in body ? 'task' : 'story'} ${body.id}`;
      expect([key, body.version, versions.get(key)?.has(body.version as number)]).toEqual([
        key,
        body.version,
        true,
      ]);
    }
    expect(JSON.stringify(events)).not.toContain('refused');
    const shown = (await client().get<any[]>(`${board.path}/stories`)).body;
    expect([...state.stories.values()].sort(inOrder)).toEqual(shown);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, i) => i + 1));

    // Every response shows the board at a single revision.
    expect(readings.length).toBeGreaterThan(10);
    for (const { from, to, full } of readings) {
      const seen = JSON.stringify(full.stories);
      const revisions = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      expect(revisions.some((revision) => wanted.get(revision) === seen)).toBe(true);
    }
  }, 60_000);
});

// MySQL queues lock waits itself; on SQLite the unit of work has to retry.
const onSqlite = engineUnderTest() === 'sqlite' ? it : it.skip;

onSqlite('other requests run between the changes of a burst', async () => {
  const service = await startApp();
  try {
    let turns = 0;
    let done = false;
    const countTurn = (): void => {
      turns += 1;
      if (!done) setImmediate(countTurn);
    };
    // Blocks the process, as the synchronous statements of the driver do.
    const change = (): Promise<void> => {
      for (const end = performance.now() + 5; performance.now() < end;);
      return Promise.resolve();
    };
    countTurn();
    const unitOfWork = service.app.get(UnitOfWork);
    await Promise.all(Array.from({ length: 40 }, () => unitOfWork.maintain(change)));
    done = true;
    // The 40 changes take 0.2 s, and other requests can run after every second one.
    expect(turns).toBeGreaterThanOrEqual(15);
  } finally {
    await service.close();
  }
});

onSqlite(
  'a change waits for few changes of another process that writes without a pause',
  async () => {
    const service = await startApp();
    const { database, client } = service;
    const board = await Workspace.create(client);
    const story = await board.story(null);
    const other = await startApp({ database });
    let changed = 0;
    let done = false;
    const changes = (async () => {
      for (; !done; changed += 1) {
        await other.app.get(UnitOfWork).maintain(() => sleep(40));
        await sleep(5);
      }
    })();
    try {
      for (let i = 0; i < 10; i += 1) {
        await made2xx(client.put(`/api/stories/${story.id}`, { title: `Title ${i}` }));
      }
      // Each change waits for about one change of the other process; with retries after up to 64 ms it was 3 to 5.
      expect(changed).toBeLessThan(20);
    } finally {
      done = true;
      await changes;
      await other.close();
      await service.close();
    }
  },
);

onSqlite('changes keep their order while another connection has locked the file', async () => {
  const service = await startApp();
  const unitOfWork = service.app.get(UnitOfWork);
  const other = new Libsql(service.database.url.replace('sqlite:', ''));
  const exec = jest.spyOn(Libsql.prototype, 'exec');
  const order: number[] = [];
  try {
    for (let round = 0; round < 5; round += 1) {
      other.exec('BEGIN IMMEDIATE');
      exec.mockClear();
      const changes = atOnce(4, (i) => unitOfWork.maintain(async () => void order.push(i)));
      while (exec.mock.calls.length < 8) await nextTurn();
      other.exec('COMMIT');
      await changes;
    }
    expect(order).toEqual(Array(5).fill([0, 1, 2, 3]).flat());
  } finally {
    exec.mockRestore();
    other.close();
    await service.close();
  }
});

const onServer = engineUnderTest() === 'mysql' ? it : it.skip;

onServer.each<[string, firstMs: number, retryMs: number | undefined]>([
  ['an import', 0, 60_000],
  ['a change that took 0.3 s', 310, undefined],
])('a change that runs again does not wait for %s that runs again', async (_, firstMs, retryMs) => {
  const service = await startApp({ environment: { DATABASE_DEADLINE_MS: '1000' } });
  const unitOfWork = service.app.get(UnitOfWork);
  /** Runs work whose first attempt takes some time and is rolled back. */
  const runAgain = (work: () => Promise<void>, ms = 0, retryMs?: number): Promise<void> => {
    let attempts = 0;
    const once = async (): Promise<void> => {
      attempts += 1;
      if (attempts > 1) return work();
      await sleep(ms);
      throw Object.assign(new Error('Deadlock found'), { errno: 1213 });
    };
    return unitOfWork.maintain(once, { retryMs });
  };
  let end = (): void => undefined;
  let long: Promise<void> | undefined;
  try {
    await new Promise<void>((begin) => {
      const work = (): Promise<void> => {
        begin();
        return new Promise((resolve) => (end = resolve));
      };
      long = runAgain(work, firstMs, retryMs);
    });
    // A change that waited for it would get 503 after a second.
    await runAgain(() => Promise.resolve());
  } finally {
    end();
    await long;
    await service.close();
  }
});
