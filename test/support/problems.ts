import type { Answer } from './client';

/** Expects a complete problem document (RFC 9457) with this status and code. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.code }).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toMatchObject({
    type: `urn:sprintline:problem:${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: expect.any(String),
    request_id: answer.headers.get('x-request-id'),
  });
}

/** Returns the errors of a problem as `/pointer code`, `parameter code` or `header code`, sorted. */
export function errorsOf(answer: Answer): string[] {
  return (answer.body.errors as Record<string, string>[])
    .map(({ pointer, parameter, header, code }) => `${pointer ?? parameter ?? header} ${code}`)
    .sort();
}

/** Expects 400 with exactly these errors. */
export function expectErrors(answer: Answer, ...errors: string[]): void {
  expectProblem(answer, 400, 'invalid_request');
  expect(errorsOf(answer)).toEqual([...errors].sort());
}
