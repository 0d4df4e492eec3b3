import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../support/databases';
import { createDatabase } from '../support/databases';
import { promised, scale } from '../support/faults';
import { Ledger } from '../support/ledger';
import { Program } from '../support/program';
import { Sender } from '../support/sender';

const KILLS = scale(3, 25);
const WRITERS = 16;

jest.setTimeout(KILLS * 10_000 + 30_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

describe('a program that is killed while 16 clients write', () => {
  it(`loses nothing that it acknowledged and leaves nothing half done, ${KILLS} times`, async () => {
    const ledger = new Ledger('Crash');
    const starts: number[] = [];
    for (let kills = 0; kills < KILLS; kills += 1) {
      const program = await Program.spawn(database);
      const ready = await program.ready();
      starts.push(ready);
      const sender = new Sender(program.url);
      ledger.start(WRITERS, () => (method, path, body) => sender.send(method, path, body));
      const enough = ledger.acknowledged + 20 + Math.random() * 200;
      while (ledger.acknowledged < enough) await sleep(1);
      await program.end('SIGKILL');
      await ledger.stop();
    }
    // What the dying program could not answer; it answered nothing with an error.
    expect([...ledger.refused.keys()].filter((why) => /^\d/.test(why))).toEqual([]);

    const program = await Program.start(database);
    await ledger.audit(program.url);
    expect(Math.max(...starts.slice(1))).toBeLessThan(promised(2000));
  });
});
