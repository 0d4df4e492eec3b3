import { ApiError, isDisconnected } from '../api/problem';

/** The texts for error codes whose descriptions are for programmers. */
const WORDS: Record<string, string> = {
  precondition_failed: 'Someone else has changed it. Check it, then try again.',
  seq_exhausted: 'That list is full. Choose another list.',
  too_many_requests: 'Too many requests. Try again in a moment.',
  unauthorized: 'Your session has ended. Sign in, then try again.',
};

/** The text of a request that has failed, for the form or message that shows it. */
export function failureText(failure: unknown): string {
  if (failure instanceof ApiError) {
    // Only a move has a position.
    if (failure.detailOf('position')) return 'The story next to it is no longer in that list.';
    return WORDS[failure.code] ?? failure.message;
  }
  if (isDisconnected(failure)) return 'The service cannot be reached. Try again in a moment.';
  throw failure;
}
