import { SessionsService } from '../../src/auth/sessions.service';
import { DeletedBoards } from '../../src/boards/deleted-boards.service';
import { ExpiredKeys } from '../../src/database/expired-keys';
import { StreamsService } from '../../src/events/streams.service';

/** The metadata of `@Interval`, whose name @nestjs/schedule does not export. */
const INTERVAL = 'SCHEDULE_INTERVAL_OPTIONS';

// That a job of @nestjs/schedule runs at all is in database/idempotency.spec.ts.

it.each([
  ['expired idempotency keys are deleted every minute', ExpiredKeys, 'run', 60_000],
  ['expired sessions are deleted every hour', SessionsService, 'deleteExpired', 3_600_000],
  ['the rows of deleted boards are deleted every minute', DeletedBoards, 'purge', 60_000],
  ['streams look for changes of other instances twice a second', StreamsService, 'poll', 500],
  ['streams get a comment every 15 s', StreamsService, 'heartbeat', 15_000],
  ['streams check the access of their clients every 10 s', StreamsService, 'checkAccess', 10_000],
])('%s', (_, { prototype }, method, timeout) => {
  const job = Reflect.get(prototype, method) as object;
  expect(Reflect.getMetadata(INTERVAL, job)).toEqual({ timeout });
});
