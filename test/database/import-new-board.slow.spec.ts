import { randomUUID } from 'node:crypto';
import { startApp, useApp } from '../support/app';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { rowCounts } from '../support/row-counts';
import { onStatement } from '../support/statements';
import { upload } from '../support/upload';

const service = useApp();

const COUNT = 3000;
const FILE = `external_id,title,sprint\n${Array.from(
  { length: COUNT },
  (_, i) => `N-${i},Story ${i},Sprint ${i % 5}`,
).join('\n')}\n`;

const load = (name: string, query = '', headers?: Record<string, string>) =>
  upload(service.client, name, FILE, { query, type: 'text/csv', headers });

/** Calls `then` once, when the first transaction with new stories has been committed. */
function onFirstPart(then: () => void): () => void {
  let written = false;
  let called = false;
  return onStatement({
    after: ({ sql }) => {
      if (sql.startsWith('INSERT INTO stories')) written = true;
      if (sql !== 'COMMIT' || !written || called) return;
      called = true;
      then();
    },
  });
}

describe('an import that creates its board', () => {
  it('lets other boards be changed meanwhile, and is not visible before its end', async () => {
    const other = await Workspace.create(service.client);
    const { id } = await other.story(null);
    const name = freshName('Long');
    const order: string[] = [];
    let meanwhile: Promise<unknown> | undefined;
    const stop = onFirstPart(() => {
      const change = async (): Promise<void> => {
        const board = await service.client.get(boardPath(name));
        await made2xx(service.client.put(`/api/stories/${id}`, { title: 'meanwhile' }));
        order.push(`change, ${board.status}`);
      };
      meanwhile = change();
    });
    try {
      const answer = await load(name);
      order.push('import');
      expect([answer.status, answer.body.created]).toEqual([
        200,
        { sprints: 5, stories: COUNT, tasks: 0 },
      ]);
      // The board, its sprints and its stories.
      expect(answer.headers.get('x-board-revision')).toBe(String(1 + 5 + COUNT));
    } finally {
      stop();
    }
    await meanwhile;
    expect(order).toEqual(['change, 404', 'import']);
    const board = await made2xx<any>(service.client.get(boardPath(name)));
    expect([board.revision, board.version]).toEqual([1 + 5 + COUNT, 1]);
    const [created] = await made2xx<any[]>(service.client.get(`${boardPath(name)}/events?limit=1`));
    expect(created).toMatchObject({ type: 'board.created', after: { ...board, revision: 1 } });
  });

  it('adds its stories to a board that is created with this name meanwhile', async () => {
    const name = freshName('Raced');
    const before = await rowCounts(service);
    let meanwhile: Promise<unknown> | undefined;
    const stop = onFirstPart(() => {
      const story = { title: 'was first', external_id: 'N-7' };
      meanwhile = made2xx(service.client.post(`${boardPath(name)}/backlog`, story));
    });
    const key = { 'Idempotency-Key': randomUUID() };
    let answer;
    try {
      answer = await load(name, '', key);
    } finally {
      stop();
    }
    await meanwhile;
    expect([answer.status, answer.body.created.stories, answer.body.updated.stories]).toEqual([
      200,
      COUNT - 1,
      1,
    ]);
    const after = await rowCounts(service);
    expect(after.map((count, i) => count - (before[i] as number)).slice(0, 3)).toEqual([
      1,
      5,
      COUNT,
    ]);
    const repeated = await load(name, '', key);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(repeated.body).toEqual(answer.body);
  });

  it('starts again in one transaction after a conflict, and doubles nothing', async () => {
    const name = freshName('Conflict');
    const before = await rowCounts(service);
    let fails = false;
    const stops = [
      onFirstPart(() => (fails = true)),
      onStatement({
        before: ({ sql }) => {
          if (!fails || !sql.startsWith('INSERT INTO')) return;
          fails = false;
          throw Object.assign(new Error('Deadlock found'), { errno: 1213 });
        },
      }),
    ];
    try {
      expect((await made2xx(load(name))).created.stories).toBe(COUNT);
    } finally {
      for (const stop of stops) stop();
    }
    const after = await rowCounts(service);
    expect(after.map((count, i) => count - (before[i] as number))).toEqual([
      1,
      5,
      COUNT,
      0,
      1 + 5 + COUNT,
    ]);
  });

  it('leaves nothing after a dry run or an error', async () => {
    const before = await rowCounts(service);
    const real = freshName('Dry');
    const dry = await load(real, '?dry_run=true');
    expect([dry.status, dry.body.created.stories]).toEqual([200, COUNT]);
    expect(dry.headers.get('x-board-revision')).toBe('0');
    expect((await service.client.get(boardPath(real))).status).toBe(404);
    const stop = onFirstPart(() => undefined);
    const failing = onStatement({
      before: ({ sql }) => {
        if (sql.startsWith('UPDATE boards SET revision')) throw new Error('a defect');
      },
    });
    try {
      expect((await load(real)).status).toBe(500);
    } finally {
      stop();
      failing();
    }
    expect(await rowCounts(service)).toEqual(before);
  });

  it.each([
    ['its beginning', /^INSERT INTO .boards./],
    ['its end', /^UPDATE .boards. SET .*revision_tag/],
  ])('waits if the database is locked at %s for longer than a change waits', async (_, locked) => {
    const deadline = 400;
    const environment = { DATABASE_DEADLINE_MS: String(deadline) };
    const other = await startApp({ environment });
    let until: number | undefined;
    const stop = onStatement({
      before: ({ sql }) => {
        if (!locked.test(sql)) return;
        until ??= performance.now() + deadline;
        if (performance.now() > until) return;
        throw Object.assign(new Error('Lock wait timeout exceeded'), { errno: 1205 });
      },
    });
    try {
      const type = 'text/csv';
      const answer = await upload(other.client, freshName('Locked'), 'title\na\n', { type });
      expect([until !== undefined, answer.status]).toEqual([true, 200]);
    } finally {
      stop();
      await other.close();
    }
  });
});

it('a repeated import with its key has its first response, although its board was renamed or deleted since', async () => {
  const { client } = service;
  const board = await Workspace.create(client);
  await made2xx(client.post(`${board.path}/backlog`, { title: 'Ant', external_id: 'A-1' }));
  const tag = (await client.get(`${board.path}/stories`)).headers.get('etag')!;
  const headers = { 'idempotency-key': randomUUID(), 'if-match': tag };
  const repeat = (): ReturnType<typeof load> =>
    upload(client, board.name, 'external_id,status\nA-1,done\n', { type: 'text/csv', headers });
  const first = await repeat();
  expect(first.status).toBe(200);
  const name = freshName('Renamed');
  await made2xx(client.put(board.path, { name }));
  for (const end of [
    () => Promise.resolve(),
    () => client.delete(`${boardPath(name)}?force=true`),
  ]) {
    await end();
    const again = await repeat();
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
  }
});
