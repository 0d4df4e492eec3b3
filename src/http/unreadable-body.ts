import type { Problem } from './problem';

/**
 * Replaces a body that cannot be parsed. The validation pipe throws its problem, not the parser, because
 * 401 and 403 take precedence.
 */
export class UnreadableBody {
  constructor(readonly problem: Problem) {}
}
