import { ApiError, isDisconnected } from '../api/problem';

/** The texts for error codes whose descriptions are for programmers. */
const WORDS: Record<string, string> = {
  precondition_failed: 'Someone else has changed it. Check it, then try again.',
  seq_exhausted: 'That list is full. Choose another list.',
  sprint_not_found: 'That sprint was deleted.',
  story_not_found: 'The story was deleted, or you no longer have access to it.',
  task_not_found: 'The task was deleted.',
  too_many_requests: 'Too many requests. Try again in a moment.',
  unauthorized: 'Your session has ended. Sign in, then try again.',
};

/** The text that a form or a message shows after a request has failed. */
export function failureText(failure: unknown): string {
  if (failure instanceof ApiError) {
    // Only moves send a position that can be rejected.
    if (failure.detailOf('position')) return 'The story next to it is no longer in that list.';
    // The page offers existing sprints only, so this one was deleted meanwhile.
    if (failure.detailOf('sprint_id')) return WORDS.sprint_not_found!;
    return WORDS[failure.code] ?? failure.message;
  }
  if (isDisconnected(failure)) return 'The service cannot be reached. Try again in a moment.';
  throw failure;
}

/** The errors of a form by field, and that of the form. */
export type FieldErrors<Field extends string> = { [name in Field | 'form']?: string };

/** The errors of a form after its request has failed: by field or, if none is about one of its fields, of the form. */
export function fieldErrors<Field extends string>(
  failure: unknown,
  fields: readonly Field[],
  textOf: (failure: unknown) => string = failureText,
): FieldErrors<Field> {
  const errors: FieldErrors<Field> = {};
  for (const field of fields) {
    const detail = failure instanceof ApiError ? failure.detailOf(field) : undefined;
    if (detail) errors[field] = detail;
  }
  if (Object.keys(errors).length === 0) errors.form = textOf(failure);
  return errors;
}
