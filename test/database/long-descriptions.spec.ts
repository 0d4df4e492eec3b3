import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { insertRows, storyRow } from '../support/fill';
import { made2xx, Workspace } from '../support/make';
import { onStatement } from '../support/statements';

const STORIES = 120;
const LONG = 'A long text. '.repeat(2000);

/** The most descriptions that one statement reads. */
const MOST_READ = 8;

const service = useApp();

/** Creates a board with an ended sprint of long stories, another sprint, and a board for other stories. */
async function fill() {
  const board = await Workspace.create(service.client);
  const sprint = await board.sprint('2020-01-01', { end_date: '2020-01-14' });
  const next = await board.sprint('2020-01-15');
  const other = await Workspace.create(service.client);
  const { body } = await service.client.get(board.path);
  await insertRows(service, 'stories', STORIES, (i) =>
    storyRow(body.id as number, i, {
      description: LONG,
      sprint_id: sprint.id as number,
      external_id: `EXT-${i}`,
    }),
  );
  const stories = await service.client.get(`/api/sprints/${sprint.id}/stories`);
  const ids: number[] = stories.body.map(({ id }: any) => id as number);
  return { board, sprint, next, ids, elsewhere: await other.sprint('2020-01-01') };
}

type Made = Awaited<ReturnType<typeof fill>>;

/** Changes whose events are short. */
const CHANGES: Record<string, (made: Made) => Promise<Answer>> = {
  'moving them to another sprint': ({ board, ids, next }) =>
    service.client.post(`${board.path}/stories/move`, { story_ids: ids, sprint_id: next.id }),
  'completing their sprint': ({ sprint, next }) =>
    service.client.post(`/api/sprints/${sprint.id}/complete`, { unfinished: next.id }),
  'deleting their sprint': ({ sprint }) => service.client.delete(`/api/sprints/${sprint.id}`),
  'importing their points': ({ board, ids }) =>
    importInto(board, ['external_id,points', ...ids.map((_, i) => `EXT-${i},${i}`)]),
};

const importInto = (board: Workspace, lines: string[]): Promise<Answer> =>
  service.client.post(`${board.path}/import`, undefined, {
    raw: lines.join('\n'),
    headers: { 'content-type': 'text/csv' },
  });

/** Changes whose events contain the descriptions. */
const LOGGED: typeof CHANGES = {
  'moving them to another board': ({ board, ids, elsewhere }) =>
    service.client.post(`${board.path}/stories/move`, { story_ids: ids, sprint_id: elsewhere.id }),
  'importing other descriptions': ({ board, ids }) =>
    importInto(board, ['external_id,description', ...ids.map((_, i) => `EXT-${i},short`)]),
  'importing them': ({ board, ids }) =>
    importInto(board, ['title,description', ...ids.map((_, i) => `New ${i},${LONG}`)]),
  'a batch of updates': ({ board, ids }) =>
    service.client.post(`${board.path}/batch`, {
      operations: ids.map((id) => ({ op: 'update', type: 'story', id, set: { description: '' } })),
    }),
  'a batch of deletions': ({ board, ids }) =>
    service.client.post(`${board.path}/batch`, {
      operations: ids.map((id) => ({ op: 'delete', type: 'story', id })),
    }),
};

/**
 * Makes a change, and counts the descriptions that one statement reads, the parts in which events are written, and the
 * descriptions that are searched in the log.
 */
async function readAndWritten(change: (made: Made) => Promise<Answer>) {
  const made = await fill();
  let read = 0;
  let parts = 0;
  let searches = 0;
  const stop = onStatement({
    after: ({ sql }, result) => {
      const rows: any[] = Array.isArray(result) ? result : [];
      read = Math.max(read, rows.filter(({ description }) => description === LONG).length);
      if (sql.startsWith('UPDATE boards SET revision')) parts += 1;
      if (/^SELECT e\.`before` FROM events/.test(sql)) searches += 1;
    },
  });
  try {
    await made2xx(change(made));
  } finally {
    stop();
  }
  return { read, parts, searches };
}

describe('long descriptions of many stories are never in memory at once', () => {
  it.each(Object.entries({ ...CHANGES, ...LOGGED }))('by %s', async (_name, change) => {
    const { read, searches } = await readAndWritten(change);
    expect(read).toBeLessThanOrEqual(MOST_READ);
    // Nothing has replaced them.
    expect(searches).toBe(0);
  });

  it.each(Object.entries(LOGGED))('nor are the events of %s', async (_name, change) => {
    const { parts } = await readAndWritten(change);
    expect(parts).toBeGreaterThanOrEqual(3);
  });
});

it('is still found by a search after an import of another title', async () => {
  const board = await Workspace.create(service.client);
  const description = `needle ${LONG}`;
  await board.story(null, { external_id: 'X-1', title: 'Old', description });
  expect((await importInto(board, ['external_id,title', 'X-1,New'])).status).toBe(200);
  for (const q of ['needle', 'new']) {
    const { body } = await service.client.get(`${board.path}/stories?q=${q}`);
    expect([q, body]).toMatchObject([q, [{ title: 'New', description }]]);
  }
});

it('of a repeated request is that of its first response, even if the story has another one on another board', async () => {
  const { client } = service;
  const board = await Workspace.create(client);
  const sprint = await board.sprint('2020-01-01');
  const elsewhere = await (await Workspace.create(client)).sprint('2020-01-01');
  const story = await board.story(null, { description: LONG });
  const move = (): Promise<Answer> =>
    client.post(
      `${board.path}/stories/move`,
      { story_ids: [story.id], sprint_id: sprint.id },
      { headers: { 'idempotency-key': `move-${story.id}` } },
    );
  const first = await move();
  expect(first.body).toMatchObject([{ description: LONG }]);
  const changes = { sprint_id: elsewhere.id, description: 'Secret' };
  await made2xx(client.put(`/api/stories/${story.id}`, changes));
  const again = await move();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
});

it('of many stories are all in the response of a move, in their order', async () => {
  const { board, ids, next } = await fill();
  const move = { story_ids: ids, sprint_id: next.id };
  const { body, text } = await service.client.post(`${board.path}/stories/move`, move);
  expect(body.map(({ id }: any) => id)).toEqual(ids);
  expect(body.every(({ description }: any) => description === LONG)).toBe(true);
  expect(text).toBe(`${JSON.stringify(body)}\n`);
});

it('of a repeated batch is the one that it has set, even if it was replaced twice since', async () => {
  const { client } = service;
  const board = await Workspace.create(client);
  const story = await board.story(null, { title: '"description":', description: LONG });
  const set = { description: `Another. ${LONG}` };
  const batch = (): Promise<Answer> =>
    client.post(
      `${board.path}/batch`,
      { operations: [{ op: 'update', type: 'story', id: story.id, set }] },
      { headers: { 'idempotency-key': `batch-${story.id}` } },
    );
  const first = await batch();
  expect(first.body.results).toMatchObject([set]);
  for (const change of [{ title: 'New' }, { description: 'Third' }, { description: 'Fourth' }]) {
    await made2xx(client.patch(`/api/stories/${story.id}`, change));
  }
  const again = await batch();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
});

// Up to 1,000 bytes are in memory during the change.
it.each([1000, 1001])('of %d bytes is the same after a move to another board', async (bytes) => {
  const { client } = service;
  const [board, other] = [await Workspace.create(client), await Workspace.create(client)];
  const sprint = await other.sprint('2020-01-01');
  const story = await board.story(null, { description: 'x'.repeat(bytes) });
  const move = { story_ids: [story.id], sprint_id: sprint.id };
  const { description } = story;
  expect((await client.post(`${board.path}/stories/move`, move)).body).toMatchObject([
    { description },
  ]);
  expect((await client.get(`/api/stories/${story.id}`)).body).toMatchObject({ description });
  expect((await other.events()).at(-1)).toMatchObject({ after: { description } });
});
