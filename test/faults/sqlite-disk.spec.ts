import Database from 'libsql';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../support/client';
import { engineUnderTest } from '../support/databases';
import { afterwards, scale } from '../support/faults';
import { postStories } from '../support/fill';
import { Program } from '../support/program';

const WRITES = scale(50, 200);

/** Returns whether a command works that tests need; if not, it warns, and the tests are skipped. */
function works(what: string, command: string, ...words: string[]): boolean {
  const done = spawnSync(command, words, { stdio: 'ignore' }).status === 0;
  if (!done && engineUnderTest() === 'sqlite') {
    console.warn(`!! ${what} does not work, so the tests that need it are SKIPPED`);
  }
  return done;
}

const onSqlite = engineUnderTest() === 'sqlite' ? describe : describe.skip;
const traced = works('strace', 'strace', '-o', '/dev/null', 'true') ? it : it.skip;
const small = mkdtempSync(join(tmpdir(), 'sprintline-small-'));
const mounted =
  engineUnderTest() === 'sqlite' &&
  works(
    'a disk of its own (mount, as root)',
    'mount',
    '-t',
    'tmpfs',
    '-o',
    'size=4m',
    'tmpfs',
    small,
  );
const onSmallDisk = mounted ? it : it.skip;
afterAll(() => {
  if (mounted) execFileSync('umount', ['--lazy', small]);
  rmSync(small, { recursive: true });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sprintline-disk-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs SQLite's integrity checks and returns their errors. */
function integrityErrors(file: string): unknown[] {
  const database = new Database(file);
  try {
    return [
      ...(database.prepare('PRAGMA integrity_check').raw().all() as string[][]).flat(),
      ...database.prepare('PRAGMA foreign_key_check').raw().all(),
    ].filter((one) => one !== 'ok');
  } finally {
    database.close();
  }
}

/** Traces the system calls of a running process, until the returned function is called. */
async function strace(pid: number, ...words: string[]): Promise<() => Promise<void>> {
  const child = spawn('strace', ['-f', '-p', String(pid), ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (text: Buffer) => {
      if (text.toString().includes('attached')) resolve();
    });
    void ended.then(resolve);
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await ended;
  };
  afterwards(stop);
  return stop;
}

onSqlite('on SQLite a write', () => {
  traced(`is synced to the disk before it is acknowledged: ${WRITES} times`, async () => {
    const trace = join(folder, 'trace');
    const program = await Program.start({ url: `sqlite:${join(folder, 'test.db')}` });
    const calls = 'trace=fsync,fdatasync,write,writev,pwrite64';
    const stop = await strace(program.pid, '-y', '-s', '48', '-e', calls, '-o', trace);
    const client = program.client;
    for (let writes = 0; writes < WRITES; writes += 1) {
      const { status } = await client.post('/api/boards/Synced/backlog', { title: 'x' });
      expect(status).toBe(201);
    }
    await stop();

    // Between two responses a commit must be written and then synced successfully, by whichever thread.
    let written = 0;
    let synced = 0;
    const syncing = new Set<string | undefined>();
    const answers: boolean[] = [];
    readFileSync(trace, 'utf8')
      .split('\n')
      .forEach((line, i) => {
        const [thread] = line.split(' ');
        if (/pwrite64\(\d+<.*-wal>/.test(line)) written = i;
        else if (/sync\(\d+<.*-wal>.*= 0$/.test(line)) synced = i;
        else if (/sync\(\d+<.*-wal> <unfinished/.test(line)) syncing.add(thread);
        else if (/sync resumed>.*= 0$/.test(line) && syncing.delete(thread)) synced = i;
        else if (/HTTP\/1\.1 201/.test(line)) {
          answers.push(written > 0 && synced > written);
          written = 0;
          synced = 0;
        }
      });
    expect(answers).toEqual(Array<boolean>(WRITES).fill(true));
  });

  it('is in the database file itself, not only in its log, once the service has ended', async () => {
    const file = join(folder, 'test.db');
    const program = await Program.start({ url: `sqlite:${file}` });
    await postStories(program.client, '/api/boards/Ended/backlog', 20);
    expect((await program.client.get('/api/boards/Ended/stories?sort=title')).status).toBe(200);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    copyFileSync(file, join(folder, 'copy.db'));
    const copy = new Database(join(folder, 'copy.db'));
    expect(copy.prepare('SELECT id FROM stories').all()).toHaveLength(20);
    copy.close();
  });

  it('waits until the deadline for the lock of another process, beside others, and succeeds once it is released', async () => {
    const file = join(folder, 'test.db');
    const environment = { DATABASE_DEADLINE_MS: '400' };
    const { client } = await Program.start({ url: `sqlite:${file}` }, { environment });
    await postStories(client, '/api/boards/Locked/backlog', 1);
    const write = () => client.post('/api/boards/Locked/backlog', { title: 'x' });
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    for (const rejected of await Promise.all(Array.from({ length: 20 }, write))) {
      expect(rejected).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
      expect(rejected.ms).toBeGreaterThanOrEqual(400);
      // With the default deadline they would wait for 4 s, and one after the other even longer.
      expect(rejected.ms).toBeLessThan(2000);
    }
    other.exec('ROLLBACK');
    other.close();
    expect((await write()).status).toBe(201);
    expect((await client.get('/api/boards/Locked/backlog')).body).toHaveLength(2);
  });

  traced('is not acknowledged while fsync fails, and succeeds again afterwards', async () => {
    const file = join(folder, 'test.db');
    const program = await Program.start({ url: `sqlite:${file}` });
    const client = program.client;
    const write = (title: string): Promise<any> =>
      client.post('/api/boards/Failing/backlog', { title });
    expect((await write('before')).status).toBe(201);

    const stopFailing = await strace(
      program.pid,
      ...['-o', '/dev/null', '-e', 'trace=fsync,fdatasync'],
      ...['-e', 'inject=fsync,fdatasync:error=EIO'],
    );
    for (let tries = 0; tries < 5; tries += 1) {
      const { status, body, headers } = await write('during');
      expect([status, body.code, headers.get('retry-after')]).toEqual([
        503,
        'database_unavailable',
        '1',
      ]);
    }
    expect((await client.get('/api/boards/Failing/backlog')).body).toHaveLength(1);
    expect((await client.get('/health/live')).status).toBe(200);
    await stopFailing();

    expect((await write('after')).status).toBe(201);
    const titles = async (from: Client): Promise<string[]> =>
      (await from.get('/api/boards/Failing/backlog')).body.map((s: any) => s.title);
    expect(await titles(client)).toEqual(['before', 'after']);
    await program.end('SIGKILL');
    const again = await Program.start({ url: `sqlite:${file}` });
    expect(await titles(again.client)).toEqual(['before', 'after']);
    await again.end('SIGTERM');
    expect(integrityErrors(file)).toEqual([]);
  });

  onSmallDisk(
    'is not acknowledged while the disk is full, and succeeds again afterwards',
    async () => {
      const file = join(small, 'test.db');
      const ballast = join(small, 'ballast');
      const program = await Program.start({ url: `sqlite:${file}` });
      const client = program.client;
      // As much as the database and its log may have, so that a checkpoint does not fill the disk again.
      writeFileSync(ballast, Buffer.alloc(2 * 1024 * 1024));
      const titles: string[] = [];
      const write = async (): Promise<any> => {
        const title = `story ${titles.length}`;
        const description = 'x'.repeat(30_000);
        const answer = await client.post('/api/boards/Full/backlog', {
          title,
          description,
        });
        if (answer.status === 201) titles.push(title);
        return answer;
      };
      let answer = await write();
      while (answer.status === 201 && titles.length < 500) answer = await write();
      for (let tries = 0; tries < 20; tries += 1) {
        expect([answer.status, answer.body.code]).toEqual([503, 'database_unavailable']);
        expect(answer.headers.get('retry-after')).toBe('1');
        answer = await write();
      }
      const shown = async (): Promise<string[]> =>
        (await client.get('/api/boards/Full/backlog?fields=title')).body.map(
          (story: any) => story.title,
        );
      expect(await shown()).toEqual(titles);
      // The reason is in the log, once for many requests.
      expect(program.log.map(({ msg }) => msg as string)).toEqual([
        expect.stringMatching(/^The database answers, but a statement failed: .*full/),
      ]);

      rmSync(ballast);
      expect((await write()).status).toBe(201);
      expect(await shown()).toEqual(titles);
      await program.end('SIGTERM');
      expect(integrityErrors(file)).toEqual([]);
    },
  );
});

const CUTS = scale(40, 400);

onSqlite('a power cut during a restore', () => {
  it(`leaves the whole board or nothing, at each of ${CUTS} positions of the log`, async () => {
    const file = join(folder, 'test.db');
    const program = await Program.start({ url: `sqlite:${file}` });
    const { client } = program;
    await postStories(client, '/api/boards/Original/backlog', 1200);
    const board = (await client.get('/api/boards/Original/export?log=true')).text;
    const log = `${file}-wal`;
    // An open reader keeps SQLite from copying later pages of the log into the database file.
    const reader = new Database(file);
    afterwards(() => reader.close());
    reader.pragma('busy_timeout = 5000');
    reader.pragma('wal_checkpoint(TRUNCATE)');
    reader.exec('BEGIN');
    reader.prepare('SELECT id FROM boards').all();
    expect(statSync(log).size).toBe(0);
    const { status } = await client.post('/api/boards/Restored/import', undefined, {
      raw: board,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(status).toBe(200);
    const written = readFileSync(log);
    const contents = readFileSync(file);

    let cuts = 0;
    const afterCut = (length: number): unknown => {
      // A new file each time, because the driver keeps it open until its statements are garbage-collected.
      const cut = join(folder, `cut-${(cuts += 1)}.db`);
      writeFileSync(cut, contents);
      writeFileSync(`${cut}-wal`, written.subarray(0, length));
      const database = new Database(cut);
      try {
        const ofBoard = `WHERE board_id = (SELECT id FROM boards WHERE name = 'Restored')`;
        const query = (sql: string): unknown[] => database.prepare(sql).raw().all().flat();
        return [
          ...['stories', 'events'].flatMap((t) => query(`SELECT COUNT(*) FROM ${t} ${ofBoard}`)),
          ...query('PRAGMA integrity_check'),
        ];
      } finally {
        database.close();
      }
    };
    const step = written.length / CUTS;
    const seen = Array.from({ length: CUTS }, (_, i) => afterCut(Math.floor(i * step)));
    for (const one of seen) expect(one).toEqual([0, 0, 'ok']);
    // The last change publishes the board; it writes a few pages.
    const page = 24 + 4096;
    const last = Array.from({ length: 12 }, (_, i) => afterCut(written.length - i * page));
    expect(last[0]).toEqual([1200, 1201, 'ok']);
    expect(last.at(-1)).toEqual([0, 0, 'ok']);
    for (const one of last)
      expect([
        [1200, 1201, 'ok'],
        [0, 0, 'ok'],
      ]).toContainEqual(one);
  });
});
