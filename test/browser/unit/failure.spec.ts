import { ApiError } from '../../../web/src/api/problem';
import { failureText } from '../../../web/src/util/failure';

const error = (status: number, code: string, errors?: object[]): ApiError =>
  new ApiError(status, code, 'It is in `code`.', { errors } as ApiError['problem']);

describe('The text of an error', () => {
  test.each([
    [401, 'unauthorized', 'Your session has ended. Sign in, then try again.'],
    [404, 'sprint_not_found', 'That sprint was deleted.'],
    [404, 'story_not_found', 'The story was deleted, or you no longer have access to it.'],
    [404, 'task_not_found', 'The task was deleted.'],
    [409, 'seq_exhausted', 'That list is full. Choose another list.'],
    [412, 'precondition_failed', 'Someone else has changed it. Check it, then try again.'],
    [429, 'too_many_requests', 'Too many requests. Try again in a moment.'],
  ])('names no header and no field (%s %s)', (status, code, text) => {
    expect(failureText(error(status, code))).toBe(text);
  });

  test('says that a move is next to a story that has left the list', () => {
    const errors = [{ pointer: '/position', code: 'invalid_value', detail: 'position must be …' }];
    expect(failureText(error(400, 'validation_failed', errors))).toBe(
      'The story next to it is no longer in that list.',
    );
  });

  test('is that of the service for other errors', () => {
    expect(failureText(error(409, 'name_taken'))).toBe('It is in `code`.');
  });

  test('says that the service cannot be reached without a response', () => {
    expect(failureText(new TypeError('Failed to fetch'))).toBe(
      'The service cannot be reached. Try again in a moment.',
    );
  });
});
