import type { FastifyRequest } from 'fastify';

/** Checks paths that name a resource by a word, such as `current`. The module of the resource provides it. */
export abstract class RelativePaths {
  /** @throws Problem if the path has such a word, and there is no such resource */
  abstract check(request: FastifyRequest): Promise<void>;
}
