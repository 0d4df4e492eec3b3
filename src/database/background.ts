import type { Logger } from '@nestjs/common';
import { Problem } from '../http/problem';

/**
 * Logs why work in the background failed, which a later run repeats. That the database is unavailable or overloaded
 * is no error here; `Database` logs it.
 */
export function logFailure(logger: Logger, error: unknown): void {
  if (error instanceof Problem) logger.debug(error);
  else logger.error(error);
}
