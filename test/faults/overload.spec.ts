import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../support/databases';
import { createDatabase } from '../support/databases';
import { scale } from '../support/faults';
import { Program } from '../support/program';
import type { Outcome, Repeated, Sent } from '../support/sender';
import { askFrom, Sender, slowest, statuses } from '../support/sender';

// Times are the promise here, and the machine may do other things, too.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const SECONDS = scale(4, 60);
const CONNECTIONS = 200;
/** A sprint so large that a few dozen answers a second are all that one process can give. */
const STORIES = 1500;

jest.setTimeout(SECONDS * 1000 + 120_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

const percentile = (outcomes: Sent[], share: number): number => {
  const times = outcomes.map((one) => one.ms).sort((a, b) => a - b);
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
};

describe('an instance that is asked for far more than it can do', () => {
  it(`refuses the rest at once and serves what it takes up, for ${SECONDS} s`, async () => {
    const program = await Program.start(database);
    const sender = new Sender(program.url);
    const today = new Date().toISOString().slice(0, 10);
    const sprint = await sender.send('POST', '/api/boards/Heavy/sprints', { start_date: today });
    for (let made = 0; made < STORIES; made += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          sender.send('POST', `/api/sprints/${sprint.body.id}/stories`, {
            title: `Story ${made + i}`,
            description: 'x'.repeat(200),
          }),
        ),
      );
    }
    const heavy: Repeated = ['GET', '/api/boards/Heavy/sprints/current'];
    const alone: Sent[] = [];
    for (let i = 0; i < 20; i += 1) alone.push(await sender.send(...heavy));
    await sleep(500);
    const memory = program.memory;

    const clients = askFrom(program.url, CONNECTIONS, [heavy], 0);
    const probes: Sent[] = [];
    for (const end = performance.now() + SECONDS * 1000; performance.now() < end;) {
      probes.push(await sender.send('GET', '/health/live'));
      await sleep(50);
    }
    const outcomes = await clients.stop();
    expect(statuses(outcomes)).toEqual(['200', '503']);
    const answered = outcomes as Sent[];
    const served = answered.filter((one) => one.status === 200);
    const refused = answered.filter((one) => one.status === 503);
    report({
      served: served.length,
      servedP50: percentile(served, 0.5),
      servedP99: percentile(served, 0.99),
      refused: refused.length,
      refusedP50: percentile(refused, 0.5),
      refusedP99: percentile(refused, 0.99),
      liveP99: percentile(probes, 0.99),
      live: slowest(probes),
    });
    expect(refused.every((one) => one.headers['retry-after'] === '1')).toBe(true);
    expect(new Set(refused.map((one) => one.body.code))).toEqual(new Set(['overloaded']));

    await sleep(1500);
    const after: Sent[] = [];
    for (let i = 0; i < 20; i += 1) after.push(await sender.send(...heavy));
    report({ before: percentile(alone, 0.5), after: percentile(after, 0.5) });
    report({ memory, grown: program.memory - memory });
  });
});

function report(figures: Record<string, number>): void {
  console.log(
    JSON.stringify(figures, (_, value: unknown) =>
      typeof value === 'number' ? Math.round(value) : value,
    ),
  );
}
export type { Outcome };
