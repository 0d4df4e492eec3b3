import type { INestApplicationContext } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../http/problem';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { Authenticator } from './authenticator';

/** Milliseconds in which a database that is there has answered. */
const PATIENCE = 3000;
const RETRY_MS = 500;

/** The service would be open to others, or be of no use to anybody. */
export class Unprotected extends Error {}

/**
 * Whoever reaches the service from elsewhere must have to show a token, so there must be one. Where the
 * database is away this is found out when it comes; until then nobody is let in.
 * @param late is told the refusal that comes after this has returned
 * @throws Unprotected
 */
export async function requireToken(
  app: INestApplicationContext,
  late: (refusal: Unprotected) => void,
): Promise<void> {
  const { auth, host, onLoopback } = app.get(Config);
  if (auth === 'off' || onLoopback) return;
  const check = anyToken(app).then(
    (any) => {
      if (!any) throw new Unprotected(MISSING(host));
    },
    // A database that cannot be used is told of by whoever opens it.
    () => undefined,
  );
  const waiting = await Promise.race([check, sleep(PATIENCE, true, { ref: false })]);
  if (waiting) check.catch(late);
}

/** Whether there is a token; asks again until the database can say. */
async function anyToken(app: INestApplicationContext): Promise<boolean> {
  for (;;) {
    await app.get(Database).ready();
    try {
      return await app.get(Authenticator).anyToken();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    await sleep(RETRY_MS);
  }
}

const MISSING = (host: string): string =>
  `HOST=${host} lets others in, and there is no token to know them by. Make the first one:

  node dist/cli.js tokens create --name admin --scope admin

or set AUTH=off where something else keeps strangers out.`;

/** What an operator must be told at every start of a service that asks nobody for a token. */
export const openness = ({ auth, host, port }: Config): string | undefined =>
  auth === 'off'
    ? `AUTH=off: nobody is asked for a token. Whoever reaches ${host}:${port} may read, change and delete everything.`
    : undefined;
