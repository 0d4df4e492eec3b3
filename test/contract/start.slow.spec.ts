import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      'The configuration cannot be used:\n  PORT must be an integer from 0 to 65535 (it is "http").\n',
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
      'The configuration cannot be used:',
      expect.stringMatching(sentence),
      '',
    ]);
    expect(output).toContain('  DATABASE_URL: ');
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
  });
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
