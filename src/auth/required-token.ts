import type { INestApplicationContext } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { Problem } from '../http/problem';
import { ExpectedError } from '../logging/expected-error';
import { Authenticator } from './authenticator';

/** Milliseconds to wait at the start for the database; then the check continues in the background. */
const WAIT_MS = 3000;
const RETRY_MS = 500;

/**
 * Requires a token to exist if other machines can reach the service. Until the database is available,
 * every request is rejected.
 * @param late receives an error that is found after this function has returned
 * @throws ExpectedError
 */
export async function requireToken(
  app: INestApplicationContext,
  late: (error: ExpectedError) => void,
): Promise<void> {
  const { auth, host, onLoopback } = app.get(Config);
  if (auth === 'off' || onLoopback) return;
  const check = anyToken(app).then(
    (any) => {
      if (!any) throw missingToken(host);
    },
    // `main` reports a database that cannot be used.
    () => undefined,
  );
  const isPending = await Promise.race([check, sleep(WAIT_MS, true, { ref: false })]);
  if (isPending) check.catch(late);
}

/** Whether there is a token; tries again until the database is available. */
async function anyToken(app: INestApplicationContext): Promise<boolean> {
  for (;;) {
    await app.get(Database).untilReady();
    try {
      return await app.get(Authenticator).anyToken();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    await sleep(RETRY_MS);
  }
}

const missingToken = (host: string): ExpectedError =>
  new ExpectedError(`HOST=${host} makes the service reachable from other machines, but no token exists.
Create the first one, with the same settings:

  node dist/cli.js tokens create --name admin --scope admin

or set AUTH=off if something else controls the access.`);
