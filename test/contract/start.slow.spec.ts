import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterwards } from '../support/faults';
import { send } from '../support/http';
import { freePort } from '../support/mysql-server';
import { Program } from '../support/program';

// The output of the built program when it starts or fails to start.

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sprintline-start-'))));
// Runs after the programs have ended.
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

/** Runs a command without root's permission to write every file: if the tests run as root, as the user `nobody`. */
const WITHOUT_RIGHTS =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];

/** The first packet of a MySQL server, which offers TLS (protocol version 10). */
const HANDSHAKE = Buffer.concat([
  Buffer.from([73, 0, 0, 0, 10]),
  Buffer.from('8.0.0\0'),
  Buffer.from([1, 0, 0, 0]),
  Buffer.from('12345678\0'),
  // Capabilities: protocol 4.1, TLS, secure connection; then character set, status, and plugin authentication.
  Buffer.from([0x00, 0x8a, 45, 2, 0, 0x08, 0, 21]),
  Buffer.alloc(10),
  Buffer.from('123456789012\0'),
  Buffer.from('mysql_native_password\0'),
]);

async function outputOf(
  environment: Record<string, string>,
  { file = join(folder, 'a.db'), wrapper = [] as string[] } = {},
): Promise<string> {
  const program = await Program.spawn({ url: `sqlite:${file}` }, { environment, wrapper });
  expect((await program.exited).code).toBe(1);
  expect(program.log.map(({ level }) => level as string)).toEqual([]);
  return program.output;
}

describe('a program that cannot start ends with one sentence and the exit code 1', () => {
  it('when another program has the port', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      expect(await outputOf({ PORT: String(port), LOG_LEVEL: 'info' })).toBe(
        `Port ${port} is taken by another program; PORT sets another one, as in PORT=${port + 1}.\n`,
      );
    } finally {
      other.close();
    }
  });

  it('when a setting is invalid', async () => {
    expect(await outputOf({ PORT: 'http' })).toBe(
      'The configuration is invalid:\n  PORT must be an integer from 0 to 65535 (it is "http").\n',
    );
  });

  it.each([
    [
      'the folder of the database cannot be created',
      () => {
        chmodSync(folder, 0o755);
        writeFileSync(join(folder, 'file'), '');
        return join(folder, 'file', 'data', 'a.db');
      },
      /the folder .*data cannot be created: a part of the path is a file\.$/,
    ],
    ['the database is a folder', () => folder, /is a folder\.$/],
    [
      'the folder of the database cannot be written',
      () => {
        chmodSync(folder, 0o555);
        return join(folder, 'a.db');
      },
      /the folder .* cannot be written: this user lacks the permission\.$/,
    ],
    [
      'the database cannot be written',
      () => {
        chmodSync(folder, 0o755);
        mkdirSync(join(folder, 'data'));
        chmodSync(join(folder, 'data'), 0o777);
        const file = join(folder, 'data', 'a.db');
        writeFileSync(file, '');
        chmodSync(file, 0o444);
        return file;
      },
      /the file .*a\.db cannot be written: this user lacks the permission\.$/,
    ],
  ])('when %s', async (_, prepare, sentence) => {
    const file = prepare();
    const output = await outputOf({}, { file, wrapper: WITHOUT_RIGHTS });
    expect(output.split('\n')).toEqual([
      'The configuration is invalid:',
      expect.stringMatching(sentence),
      '',
    ]);
    expect(output).toContain('  DATABASE_URL: ');
  });

  it('when other machines can reach it and no token exists', async () => {
    const output = await outputOf({ HOST: '0.0.0.0' });
    expect(output).toMatch(/^HOST=0\.0\.0\.0 makes the service reachable from other machines/);
    expect(output).toContain(
      'with the same settings:\n\n  node dist/cli.js tokens create --name admin',
    );
  });

  it('when the database is not an SQLite file', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'Buy milk. '.repeat(1000));
    const program = await Program.spawn({ url: `sqlite:${file}` });
    expect((await program.exited).code).toBe(1);
    expect(program.log.map(({ msg }) => msg as string)).toEqual([
      'DATABASE_URL names a file that is not an SQLite database.',
    ]);
  });
});

describe('a program that starts', () => {
  it('prints the addresses of the board and of the documentation once it is ready', async () => {
    const program = await Program.spawn(
      { url: `sqlite:${join(folder, 'new', 'a.db')}` },
      { environment: { LOG_LEVEL: 'info' } },
    );
    const lines = await program.logged(/is ready: /);
    const url = `http://localhost:${program.port}/`;
    expect(lines.at(-1)).toBe(
      `Sprintline is ready: the boards at ${url}, the documentation at ${url}docs`,
    );
    expect((await program.client.get('/health/ready')).status).toBe(200);
    const { text } = await program.client.get('/metrics');
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
  });

  it('creates the folder of its database for its user alone, because others could read the file', async () => {
    await Program.start({ url: `sqlite:${join(folder, 'new', 'a.db')}` });
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
  });

  it('has the longest time limits', async () => {
    const environment = { HEADERS_TIMEOUT_MS: '600000', REQUEST_TIMEOUT_MS: '600000' };
    const { client } = await Program.start(
      { url: `sqlite:${join(folder, 'a.db')}` },
      { environment },
    );
    expect((await client.get('/api/boards')).status).toBe(200);
  });

  it('serves the page, the OpenAPI document, the documentation and pictures', async () => {
    const { client } = await Program.start({ url: `sqlite:${join(folder, 'a.db')}` });
    await client.post('/api/boards', { name: 'Team' });
    const page = await client.get('/', { headers: { accept: 'text/html' } });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<!doctype html>')]);
    const document = await client.get('/openapi.json');
    expect(document.text).toBe(readFileSync(join(__dirname, '../../openapi.json'), 'utf8'));
    const script = /src="(\/docs\/[\w-]+\.js)"/g;
    const docs = (await client.get('/docs')).text;
    const scripts = [...docs.matchAll(script)].map(([, path = '']) => path);
    const texts = await Promise.all(scripts.map(async (path) => (await client.get(path)).text));
    expect(texts.filter((text) => text.includes('/openapi.json'))).toHaveLength(1);
    const picture = await client.get('/api/boards/Team/velocity?format=png');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it('is reached only on the loopback address by default', async () => {
    const program = await Program.start({ url: `sqlite:${join(folder, 'a.db')}` });
    const socket = connect(program.port, '127.0.0.2');
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('warns at each start without authentication', async () => {
    const environment = { HOST: '0.0.0.0', AUTH: 'off' };
    const database = { url: `sqlite:${join(folder, 'a.db')}` };
    for (let starts = 0; starts < 2; starts += 1) {
      const program = await Program.start(database, { environment });
      expect(program.log.map(({ msg }) => msg as string)).toEqual([
        expect.stringMatching(/^AUTH=off: everyone who can reach the service may/),
      ]);
      await program.end('SIGTERM');
    }
  });

  it('is reached by any host name if it listens elsewhere and requires a token', async () => {
    const database = { url: `sqlite:${join(folder, 'a.db')}` };
    const local = await Program.start(database);
    const { body } = await local.client.post('/api/tokens', { name: 'Ada', scope: 'admin' });
    await local.end('SIGTERM');
    const { url } = await Program.start(database, { environment: { HOST: '0.0.0.0' } });
    const headers = { host: 'plan.example.org', authorization: `Bearer ${body.token}` };
    expect((await send(`${url}/api/boards`, { headers })).status).toBe(200);
  });

  it('stops on SIGINT, too', async () => {
    const program = await Program.start({ url: `sqlite:${join(folder, 'a.db')}` });
    expect(await program.end('SIGINT')).toEqual({ code: 0, signal: null });
  });

  it('sends nothing to a database whose TLS certificate names another host', async () => {
    const file = (name: string): string => join(__dirname, '../support/tls', name);
    const [key, cert] = [readFileSync(file('server.key')), readFileSync(file('server.pem'))];
    let received = 0;
    const server = createServer((socket: Socket) => {
      socket.once('error', () => undefined);
      socket.write(HANDSHAKE);
      socket.once('data', () => {
        const secured = new TLSSocket(socket, { isServer: true, key, cert });
        secured.once('error', () => undefined);
        secured.on('data', ({ length }: Buffer) => (received += length));
      });
    });
    server.listen(await freePort(), '127.0.0.1');
    afterwards(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const program = await Program.spawn(
      { url: `mysql://me:secret@localhost:${port}/plan?tls=true` },
      { environment: { NODE_EXTRA_CA_CERTS: file('ca.pem') } },
    );
    // On a busy machine the first attempts may end before the certificate is checked.
    await program.logged(/localhost\. is not in the cert's altnames: DNS:other\.example/);
    expect(received).toBe(0);
  });

  it('logs that it waits for a database that cannot be reached', async () => {
    const program = await Program.spawn(
      { url: 'mysql://unknown@127.0.0.1:1/none' },
      { environment: { LOG_LEVEL: 'info' } },
    );
    const lines = await program.logged(/waits/);
    expect(lines).toEqual([
      expect.stringMatching(/^The database cannot be used: .*127\.0\.0\.1:1/),
      `Sprintline listens at http://localhost:${program.port}/ and waits for the database`,
    ]);
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(await program.logged(/stopped/)).not.toContainEqual(expect.stringMatching(/is ready/));
  });

  it('writes a log for people if LOG_FORMAT is text', async () => {
    const program = await Program.spawn(
      { url: `sqlite:${join(folder, 'a.db')}` },
      { environment: { LOG_LEVEL: 'info', LOG_FORMAT: 'text' } },
    );
    await program.ready();
    await program.end('SIGTERM');
    expect(program.output).toMatch(/^\d\d:\d\d:\d\d info {2}Sprintline is ready: the boards at/m);
    expect(program.output).toMatch(/^\d\d:\d\d:\d\d info {2}GET \/health\/ready 200 [\d.]+ ms$/m);
    expect(program.output).toMatch(/^\d\d:\d\d:\d\d info {2}stopped\n$/m);
  });
});

it.each([
  ['cannot be written', 'json', 'exec "$@" > /dev/full'],
  ['cannot be written', 'text', 'exec "$@" > /dev/full'],
  ['fills a pipe without a reader', 'json', 'exec "$@" > >(trap "" TERM; exec sleep 10)'],
])('a program whose log %s still serves and stops, as %s', async (_, format, command) => {
  const program = await Program.spawn(
    { url: `sqlite:${join(folder, `${format}.db`)}` },
    {
      environment: { LOG_LEVEL: 'info', LOG_FORMAT: format },
      wrapper: ['bash', '-c', command, 'bash'],
    },
  );
  await program.ready();
  for (let i = 0; i < 1000; i += 1) await program.answers('/health/live', 200);
  expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('a program whose log was not read for a while logs again when it is read', async () => {
  const pipe = join(folder, 'log');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const program = await Program.spawn(
    { url: `sqlite:${join(folder, 'unread.db')}` },
    {
      environment: { LOG_LEVEL: 'info', LOG_FORMAT: 'json' },
      wrapper: ['bash', '-c', 'pipe=$0; exec "$@" > "$pipe"', pipe],
    },
  );
  await program.ready();
  // Fills the pipe and the buffer, and drops lines.
  for (let i = 0; i < 8000; i += 1) await program.answers('/health/live', 200);
  let text = '';
  const lines = new Socket({ fd: reader, readable: true }).setEncoding('utf8');
  lines.on('data', (part: string) => (text += part));
  const received = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) await once(lines, 'data');
  };
  await received(() => text.length > 1_000_000);
  expect(text.length).toBeLessThan(1_300_000);
  await program.client.get('/health/live', { headers: { 'x-request-id': 'later' } });
  await received(() => text.includes('"request_id":"later"'));
  for (const line of text.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it.each(['json', 'text'])(
  'a program whose log is no longer read still serves, as %s',
  async (format) => {
    const program = await Program.spawn(
      { url: `sqlite:${join(folder, 'a.db')}` },
      {
        environment: { LOG_LEVEL: 'info', LOG_FORMAT: format },
        wrapper: ['sh', '-c', '"$@" | true', 'sh'],
      },
    );
    await program.ready();
    for (let i = 0; i < 3; i += 1) await program.answers('/health/ready', 200);
    expect(program.output).toBe('');
  },
);
