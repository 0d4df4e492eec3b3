import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { useApp } from '../support/app';
import { afterwards } from '../support/faults';
import { sendBytes } from '../support/http';
import { Workspace } from '../support/make';
import { noOpenStreams } from '../support/reading';
import { onStatement } from '../support/statements';

const log: string[] = [];
const service = useApp({ log, environment: { LOG_LEVEL: 'error' } });
afterEach(() => expect(log.splice(0)).toEqual([]));

/** Connects for a request. `disconnect` resolves when the service has noticed that the connection is closed. */
async function connected(path: string) {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  afterwards(() => socket.destroy());
  const [connection] = (await once(service.app.getHttpServer(), 'connection')) as [Socket];
  const closed = once(connection, 'close');
  return {
    send: () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    disconnect: () => {
      socket.destroy();
      return closed;
    },
  };
}

describe('a client that disconnects', () => {
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
