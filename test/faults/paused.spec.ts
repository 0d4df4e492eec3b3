import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../support/databases';
import type { Repeated } from '../support/load';
import { sendFrom } from '../support/load';
import { made2xx } from '../support/make';
import { Program } from '../support/program';

/** Longer than a request waits for a connection, and than one statement may take. */
const PAUSE_MS = 3500;
const CLIENTS = 80;

// A virtual machine is suspended, or other programs use all of the processors.
it('a program that was paused does not take its database for unavailable', async () => {
  const database = await createDatabase();
  const program = await Program.start(database);
  const story = await made2xx(program.client.post('/api/boards/Paused/backlog', { title: 'x' }));
  const requests: Repeated[] = [
    ['GET', `/api/stories/${story.id}`],
    ['GET', '/api/boards/Paused/stories?q=x'],
    ['PUT', `/api/stories/${story.id}`, { points: 1 }],
  ];
  const clients = sendFrom(program.url, CLIENTS, requests);
  await sleep(500);
  program.signal('SIGSTOP');
  await sleep(PAUSE_MS);
  program.signal('SIGCONT');
  await sleep(500);
  const outcomes = await clients.stop();
  const codes = outcomes.map((one) => (one instanceof Error ? one.message : one.body?.code));
  // A request that waited for others may be rejected.
  expect(new Set(codes.filter((code) => code !== 'overloaded'))).toEqual(new Set([undefined]));
  expect(program.log).toEqual([]);
  await program.end('SIGTERM');
  await database.drop();
});
