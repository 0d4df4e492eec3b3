import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp } from '../support/app';
import type { TestDatabase } from '../support/databases';
import { createDatabase } from '../support/databases';
import { afterwards } from '../support/faults';
import { fillBacklog } from '../support/fill';
import { made2xx } from '../support/make';
import { Program } from '../support/program';
import { readList } from '../support/reading';

const STORIES = 500;
/** The greatest description; in JSON each of its characters takes six bytes. */
const DESCRIPTION = '\u0001'.repeat(32_767);
const BOARD = '/api/boards/Greatest';
const MIB = 1024 * 1024;

jest.setTimeout(120_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  const service = await startApp({ database });
  await made2xx(service.client.post('/api/boards', { name: 'Greatest' }));
  await fillBacklog(service, BOARD, STORIES, { description: DESCRIPTION });
  await service.close();
});
afterAll(() => database.drop());

/** Begins a list and reads no more of it. */
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

it.each(['', '?sort=-title', '?q=story', '?limit=500'])(
  'all slow readers together keep less than 64 MiB of stories of the greatest size: %s',
  async (query) => {
    const program = await Program.start(database);
    const path = `${BOARD}/backlog${query}`;
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
    expect(Math.round(grown / MIB)).toBeLessThan(64);
  },
);
