import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp } from '../support/app';
import type { TestDatabase } from '../support/databases';
import { createDatabase } from '../support/databases';
import { afterwards } from '../support/faults';
import { fillBacklog, fillLog } from '../support/fill';
import { made2xx } from '../support/make';
import { memoryOf, Program } from '../support/program';
import { readList } from '../support/reading';

const STORIES = 500;
/** The longest description; in JSON each of its characters takes six bytes. */
const DESCRIPTION = '\u0001'.repeat(32_767);
const BOARD = '/api/boards/Greatest';
const MIB = 1024 * 1024;
const CLI = join(__dirname, '../../dist/cli.js');

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  const service = await startApp({ database });
  await made2xx(service.client.post('/api/boards', { name: 'Greatest' }));
  await fillBacklog(service, BOARD, STORIES, { description: DESCRIPTION });
  await fillLog(service, BOARD, STORIES, { description: DESCRIPTION });
  await service.close();
});
afterAll(() => database.drop());

/** Requests a list and reads only its headers. */
function idle(url: string, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent: false, localAddress }, (response) => {
      response.once('readable', () => resolve(response.statusCode ?? 0));
    });
    afterwards(() => call.destroy());
    call.on('error', reject);
    call.end();
  });
}

it.each([
  ['/backlog', 64],
  ['/backlog?sort=-title', 64],
  ['/backlog?q=story', 64],
  ['/backlog?limit=500', 64],
  // Without limits the 16 readers of each of these paths would take 256 MiB to 3 GiB.
  ['/backlog?format=csv', 128],
  ['/events?limit=500', 128],
  ['/events?format=csv', 128],
  ['/export', 128],
  ['/export?log=true', 128],
])(
  'all slow readers of rows of maximum size together use bounded memory: %s, %i MiB',
  async (list, mebibytes) => {
    const program = await Program.start(database);
    const path = BOARD + list;
    await readList(program.url + path);
    await sleep(1000);
    const before = program.memory;
    const readers = Array.from({ length: 16 }, (_, i) =>
      idle(program.url + path, `127.0.0.${1 + (i % 4)}`),
    );
    const statuses = await Promise.all(readers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    let grown = 0;
    for (let times = 0; times < 50; times += 1) {
      grown = Math.max(grown, program.memory - before);
      await sleep(50);
    }
    expect(Math.round(grown / MIB)).toBeLessThan(mebibytes);
  },
);

describe('a large export with the log', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sprintline-memory-'));
    file = join(folder, 'board.ndjson');
    const program = await Program.start(database);
    const { body } = await fetch(`${program.url}${BOARD}/export?log=true`);
    await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(file));
    await program.end('SIGTERM');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['a file', 'standard input'])('is restored in bounded memory from %s', async (from) => {
    const name = `From ${from}`;
    const input = from === 'a file' ? file : '-';
    const child = spawn(process.execPath, [CLI, 'import', input, '--board', name], {
      stdio: [openSync(file, 'r'), 'ignore', 'inherit'],
      env: { PATH: process.env.PATH, DATABASE_URL: database.url },
    });
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, memoryOf(child.pid))), 10);
    const [code] = (await once(child, 'exit')) as [number];
    clearInterval(watch);
    expect(code).toBe(0);
    // The process takes about 300 MiB, as it does for a file of 400 MiB.
    expect(statSync(file).size / MIB).toBeGreaterThan(180);
    expect(Math.round(peak / MIB)).toBeLessThan(400);
  });
});
