import type { TestApp } from '../support/app';
import { command } from '../support/command';
import { createDatabase } from '../support/databases';
import { afterwards } from '../support/faults';
import { startService } from './browser';

/** Starts the service with the demo board: six completed sprints, a current one, a planned one and a backlog. */
export async function startDemo(): Promise<TestApp> {
  const database = await createDatabase('sqlite');
  afterwards(() => database.drop());
  expect(await command(database, 'seed')).toMatchObject({ code: 0 });
  return startService(database);
}
