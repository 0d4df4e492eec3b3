import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { useApp } from '../support/app';
import { insertRows, storyRow } from '../support/fill';
import { Workspace } from '../support/make';

const log: string[] = [];
const service = useApp({ log, environment: { LOG_LEVEL: 'error' } });
let board: Workspace;
beforeAll(async () => {
  board = await Workspace.create(service.client);
  const { id } = await board.sprint('2000-01-01');
  const { body } = await service.client.get(board.path);
  await insertRows(service, 'stories', 400, (i) =>
    storyRow(body.id as number, i, { sprint_id: i < 40 ? id : null, description: 'x'.repeat(500) }),
  );
});

interface Raw {
  status: number;
  headers: Record<string, string | undefined>;
  bytes: Buffer;
}

const read = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> =>
  new Promise((resolve, reject) => {
    request(service.url + path, { method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('end', () => {
        const { statusCode: status = 0, headers: received } = incoming;
        resolve({ status, headers: received as Raw['headers'], bytes: Buffer.concat(chunks) });
      });
    })
      .once('error', reject)
      .end();
  });
const gzip = { 'accept-encoding': 'gzip, br' };

describe('a long response', () => {
  it.each([
    ['a cached sprint', () => `${board.path}/sprints/current`],
    ['a list that is streamed', () => `${board.path}/stories`],
    ['a page', () => `${board.path}/backlog?limit=50`],
    ['a burndown of thousands of days', () => `${board.path}/sprints/current/burndown`],
    ['CSV', () => `${board.path}/sprints/current/burndown?format=csv`],
  ])('is compressed if the client accepts gzip: %s', async (_, path) => {
    const [plain, compressed] = [await read(path()), await read(path(), gzip)];
    expect([plain.status, compressed.status]).toEqual([200, 200]);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    // Both encodings of a representation have a strong entity tag; each is recognised.
    const tags = [plain.headers.etag ?? '', compressed.headers.etag ?? ''];
    expect(tags[1]).toBe(tags[0]?.replace(/"$/, '+gzip"'));
    const same = await read(path(), { ...gzip, 'if-none-match': tags[1] ?? '' });
    expect([same.status, same.headers.etag, same.bytes.length]).toEqual([304, tags[1], 0]);
    const known = await read(path(), { 'if-none-match': tags[0] ?? '' });
    expect(known.status).toBe(304);
    for (const { headers } of [plain, compressed, same, known]) {
      const vary = headers.vary?.toLowerCase().split(', ') ?? [];
      expect(vary.filter((name) => name === 'accept-encoding')).toHaveLength(1);
    }
    // HEAD describes the uncompressed response.
    const head = await read(path(), gzip, 'HEAD');
    expect([head.headers.etag, head.headers['content-encoding']]).toEqual([tags[0], undefined]);
  });

  it('of a resource has an entity tag that is valid in If-Match', async () => {
    const description = 'y'.repeat(30_000);
    const story = await board.story(null, { description });
    const path = `/api/stories/${story.id}`;
    const { headers } = await read(path, gzip);
    expect(headers['content-encoding']).toBe('gzip');
    const condition = { headers: { 'if-match': headers.etag ?? '' } };
    expect((await service.client.put(path, { title: 'New' }, condition)).status).toBe(200);
    expect((await service.client.put(path, { title: 'Newer' }, condition)).status).toBe(412);
  });
});

it('a response is long by its bytes, not by its characters', async () => {
  const { id } = await board.story(null, { description: 'я'.repeat(10_000) });
  for (const headers of [{}, gzip]) {
    const answer = await read(`/api/stories/${id}`, headers);
    expect([headers, answer.headers.vary]).toEqual([headers, 'accept-encoding']);
  }
});

it('a short response is not compressed', async () => {
  const { headers } = await read('/api/boards', gzip);
  expect([headers['content-encoding'], headers.etag]).toEqual([
    undefined,
    expect.stringMatching(/^"[\w-]+"$/),
  ]);
});

it('a client that disconnects leaves no snapshot open, and is not an error', async () => {
  for (let i = 0; i < 3; i += 1) {
    await new Promise<void>((resolve) => {
      const outgoing = request(
        `${service.url}${board.path}/stories`,
        { headers: gzip },
        (incoming) => {
          incoming.once('close', () => resolve());
          incoming.once('error', () => undefined);
          incoming.destroy();
        },
      );
      outgoing.end();
    });
  }
  const open = async (): Promise<string> =>
    /^snapshots_open (\d+)/m.exec((await service.client.get('/metrics')).text)?.[1] ?? '';
  while ((await open()) !== '0');
  expect(log).toEqual([]);
});

it.each(['/openapi.json', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'])(
  '%s is compressed once, not for every request',
  async (path) => {
    const [plain, compressed] = [await read(path), await read(path, gzip)];
    expect([plain.status, compressed.status]).toEqual([200, 200]);
    expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
    // A response that is compressed while it is sent has no length.
    expect(compressed.headers['content-length']).toBe(String(compressed.bytes.length));
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(plain.headers['content-length']).toBe(String(plain.bytes.length));
    for (const [{ headers }, accepted] of [
      [plain, {}],
      [compressed, gzip],
    ] as const) {
      const same = await read(path, { ...accepted, 'if-none-match': headers.etag ?? '' });
      expect([same.status, same.headers.etag]).toEqual([304, headers.etag]);
      expect([headers.vary, same.headers.vary]).toEqual(Array(2).fill('accept-encoding'));
    }
  },
);
