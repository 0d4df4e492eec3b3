import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { Config } from '../../src/config/config';
import { Database } from '../../src/database/database';
import { ExpectedError } from '../../src/logging/expected-error';
import { listen } from '../../src/listen';
import { afterwards } from '../support/faults';

/** The lines that are logged when the service listens, and during the next minute. */
async function logged(HOST: string, databaseMs = 0, stopping = false): Promise<string[]> {
  jest.useFakeTimers();
  afterwards(() => jest.useRealTimers());
  const untilReady = () => new Promise<void>((resolve) => setTimeout(resolve, databaseMs));
  const app = {
    listen: async () => undefined,
    getHttpServer: () => ({ address: () => ({ port: 3000 }) }),
    get: (provider: unknown) => (provider === Database ? { untilReady } : { stopping }),
  } as unknown as NestFastifyApplication;
  const info = jest.fn<void, [string]>();
  const config = Config.from({ DATABASE_URL: 'sqlite:a.db', HOST });
  const listening = listen(app, config, { info } as unknown as Logger);
  await jest.advanceTimersByTimeAsync(60_000);
  await listening;
  return info.mock.calls.map(([line]) => line);
}

it('logs that it waits for the database only if it does', async () => {
  const ready = 'Sprintline is ready: the boards at http://localhost:3000/, the documentation at';
  expect(await logged('127.0.0.1')).toEqual([expect.stringContaining(ready)]);
  expect(await logged('127.0.0.1', 1000)).toEqual([
    expect.stringContaining('waits for the database'),
    expect.stringContaining(ready),
  ]);
});

it('does not log that it is ready if it was stopped while it waited for the database', async () => {
  expect(await logged('127.0.0.1', 1000, true)).toEqual([
    expect.stringContaining('waits for the database'),
  ]);
});

it.each([
  ['EADDRINUSE', 'Port 80 is taken by another program; PORT sets another one, as in PORT=81.'],
  ['EACCES', 'This user may not listen on port 80; PORT sets another one, as in PORT=3000.'],
  ['EADDRNOTAVAIL', 'HOST=192.0.2.7 is not an address of this machine.'],
])('explains %s', async (code, message) => {
  const listening = () => Promise.reject(Object.assign(new Error(code), { code }));
  const app = { listen: listening } as unknown as NestFastifyApplication;
  const config = Config.from({ HOST: '192.0.2.7', PORT: '80' });
  await expect(listen(app, config, {} as Logger)).rejects.toThrow(new ExpectedError(message));
});

it.each([
  ['0.0.0.0', 'http://localhost:3000/'],
  ['::', 'http://localhost:3000/'],
  ['127.0.0.2', 'http://127.0.0.2:3000/'],
  ['192.0.2.7', 'http://192.0.2.7:3000/'],
  ['2001:DB8:0::7', 'http://[2001:db8::7]:3000/'],
  ['fe80::1%eth0', 'http://[fe80::1]:3000/'],
])('logs an address for a browser: on %s %s', async (host, url) => {
  expect(await logged(host)).toEqual([expect.stringContaining(`boards at ${url},`)]);
});
