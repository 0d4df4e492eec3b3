import { ApiError, isDisconnected } from '../api/problem';

/** The text that a form shows after its request has failed. */
export function failureText(failure: unknown): string {
  if (failure instanceof ApiError) return failure.message;
  if (isDisconnected(failure)) return 'The service cannot be reached. Try again in a moment.';
  throw failure;
}
