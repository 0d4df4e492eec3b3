import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { useApp } from '../support/app';
import { afterwards } from '../support/faults';
import { CREATED, insertRows } from '../support/fill';
import { sendBytes } from '../support/http';
import { made2xx, Workspace } from '../support/make';
import { noOpenStreams } from '../support/reading';
import type { Statement } from '../support/statements';
import { onStatement } from '../support/statements';

/** Stories of each sprint; their events are read by 5 statements. */
const STORIES = 200;
const STATEMENTS = 5;

const log: string[] = [];
const service = useApp({ log, environment: { LOG_LEVEL: 'info' } });
const isError = (line: string): boolean => /"level":"(error|fatal)"/.test(line);
afterEach(() => expect(log.splice(0).filter(isError)).toEqual([]));

/** Creates a board with completed sprints. */
async function boardWithSprints(count: number): Promise<{ team: Workspace; sprint: any }> {
  const team = await Workspace.create(service.client);
  const { id: board_id } = await made2xx(service.client.get(team.path));
  const sprints: any[] = [];
  for (let i = 0; i < count; i += 1) {
    const sprint = await team.sprint('2026-03-02', { end_date: '2026-03-13' });
    await made2xx(service.client.post(`/api/sprints/${sprint.id}/complete`));
    sprints.push(sprint);
  }
  const ids = sprints.map(({ id }) => id as number);
  await insertRows(service, 'events', count * STORIES, (i) => {
    const sprint_id = ids[i % count] as number;
    return {
      board_id,
      revision: 1_000_000 + i,
      type: 'story.created',
      at: CREATED,
      actor: 'ada',
      entity: 'story',
      entity_id: 1_000_000 * sprint_id + i,
      entity_version: 1,
      sprint_id,
      before: null,
      after: JSON.stringify({ title: 'A story', sprint_id }),
    };
  });
  return { team, sprint: sprints[0] };
}

/** Connects for a request. `disconnect` resolves when the service has noticed that the connection is closed. */
async function connected(path: string) {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  afterwards(() => socket.destroy());
  const [connection] = (await once(service.app.getHttpServer(), 'connection')) as [Socket];
  const closed = once(connection, 'close');
  return {
    send: () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    responds: () => once(socket, 'data'),
    disconnect: () => {
      socket.destroy();
      return closed;
    },
  };
}

/** Calls a function before each statement that reads events of stories. */
function beforeReads(call: () => Promise<unknown>): void {
  const isRead = (sql: string): boolean => sql.includes("e.entity = 'story'");
  afterwards(onStatement({ before: async ({ sql }) => void (isRead(sql) && (await call())) }));
}

describe('a client that disconnects', () => {
  it.each([
    ['report', 1],
    ['burndown', 1],
    // The totals of a sprint are cached, so they are read to their end, but no other sprint is.
    ['velocity', STATEMENTS],
    ['forecast', STATEMENTS],
  ])('ends the reads for its %s', async (name, expected) => {
    const { team, sprint } = await boardWithSprints(3);
    const ofBoard = expected === STATEMENTS;
    const request = await connected(`${ofBoard ? team.path : `/api/sprints/${sprint.id}`}/${name}`);
    let reads = 0;
    await new Promise<void>((resolve) => {
      beforeReads(async () => {
        reads += 1;
        await request.disconnect();
        resolve();
      });
      request.send();
    });
    await noOpenStreams(service);
    expect(reads).toBe(expected);
  });

  it('does not end reads that another client waits for, too', async () => {
    const { team } = await boardWithSprints(1);
    const path = `${team.path}/velocity`;
    const request = await connected(path);
    let waiting = 0;
    const after = ({ sql }: Statement): void => {
      if (/completed_at\W* IS NOT NULL/.test(sql)) waiting += 1;
    };
    afterwards(onStatement({ after }));
    const reading = new Promise<void>((resolve) => {
      beforeReads(async () => {
        resolve();
        while (waiting < 2) await setImmediate();
        await request.disconnect();
      });
    });
    request.send();
    await reading;
    expect((await made2xx(service.client.get(path))).sprints).toHaveLength(1);
    await noOpenStreams(service);
  });

  it.each([
    ['report', 'snapshot', 10],
    ['list', 'openStream', 4],
  ] as const)('leaves the queue of its %ss', async (name, method, limit) => {
    const team = await Workspace.create(service.client);
    const sprint = await team.sprint('2026-03-02');
    const path = name === 'list' ? `${team.path}/stories?q=x` : `/api/sprints/${sprint.id}/report`;
    const opening = jest.spyOn(service.app.get(Database), method);
    afterwards(() => opening.mockRestore());
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const isRead = (sql: string): boolean => / FROM \W?(events|stories)/.test(sql);
    afterwards(onStatement({ before: async ({ sql }) => void (isRead(sql) && (await ended)) }));
    const others = Array.from({ length: limit }, () => service.client.get(path));
    while (opening.mock.calls.length < limit) await setImmediate();

    const request = await connected(path);
    request.send();
    while (opening.mock.calls.length === limit) await setImmediate();
    const waiting = opening.mock.results[limit]?.value as Promise<unknown>;
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ name: 'AbortError' }),
      request.disconnect(),
    ]);
    end();
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
    await noOpenStreams(service);
  });

  it('has a line in the log, before and during its response', async () => {
    const { path } = await Workspace.create(service.client);
    const waiting = await connected(`${path}/velocity`);
    const streaming = await connected(`${path}/stream`);
    const disconnected = new Promise<void>((resolve) => {
      const isRead = (sql: string): boolean => /completed_at\W* IS NOT NULL/.test(sql);
      const before = async ({ sql }: Statement): Promise<void> => {
        if (isRead(sql)) await waiting.disconnect().then(() => resolve());
      };
      afterwards(onStatement({ before }));
    });
    waiting.send();
    await disconnected;
    streaming.send();
    await streaming.responds();
    await streaming.disconnect();

    const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ method }) => method === 'GET')).toMatchObject([
      { url: `${path}/velocity`, status: 499 },
      { url: `${path}/stream`, status: 200 },
    ]);
    await noOpenStreams(service);
  });

  it('is not one whose chunked body has arrived', async () => {
    const team = await Workspace.create(service.client);
    const sprint = await team.sprint('2026-03-02');
    const answer = await sendBytes(
      service.url,
      `GET /api/sprints/${sprint.id}/report HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
        'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    );
    expect(answer.status).toBe(200);
  });
});
