import type { Problem } from './problem';

/**
 * Stands for a body that cannot be parsed. It is thrown by the validation pipe instead of the parser,
 * since a request without permission gets 401 or 403 whatever its body is.
 */
export class UnreadableBody {
  constructor(readonly problem: Problem) {}
}
