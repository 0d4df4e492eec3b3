import type { Problem } from './types';

/** An error response of the service. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly problem?: Problem,
    /** The seconds to wait after 429 or 503. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }

  /** The error of a field of the body or of a parameter of the query; undefined if it has none. */
  detailOf(field: string): string | undefined {
    const detail = this.problem?.errors?.find(
      ({ pointer, parameter }) => pointer?.split('/')[1] === field || parameter === field,
    )?.detail;
    // The label already shows the name of the field, with which the detail begins.
    if (!detail?.startsWith(`${field} `)) return detail;
    const [, first = '', rest = ''] = /^\S+ (.)(.*)$/.exec(detail) ?? [];
    return `${first.toUpperCase()}${rest}.`;
  }
}

/** Statuses that the page reacts to by signing out or by removing what it shows. */
const FINAL = [401, 403, 404];

/**
 * Reads the error of a response that is not successful. Without a problem document the response is that of a proxy, or
 * incomplete. It then does not count as signed out or as missing, but as lost, so that a change is sent again.
 */
export async function errorOf(response: Response): Promise<ApiError | TypeError> {
  const problem = (await response.json().catch(() => undefined)) as Problem | undefined;
  if (typeof problem?.code !== 'string' && FINAL.includes(response.status)) {
    return new TypeError(`A proxy answered ${response.status}.`);
  }
  // A pointer into a batch begins with its operation.
  for (const error of problem?.errors ?? []) {
    error.pointer = error.pointer?.replace(/^\/operations\/\d+\/set\//, '/');
  }
  const details = problem?.errors?.map(({ pointer, parameter, detail }) => {
    const name = pointer?.slice(1) ?? parameter ?? '';
    return detail.startsWith(`${name} `) ? detail : `${name} ${detail}`.trim();
  });
  return new ApiError(
    response.status,
    problem?.code ?? 'unknown',
    details?.join('; ') || problem?.detail || `The service answered ${response.status}.`,
    problem,
    Number(response.headers.get('Retry-After')) || undefined,
  );
}

/** The names of the error of a request that took too long; the second one is that of Safari. */
const TIMEOUTS = ['TimeoutError', 'AbortError'];

/** Whether the request or its response was lost, or the response is that of a proxy. */
export const isDisconnected = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof SyntaxError ||
  (error instanceof DOMException && TIMEOUTS.includes(error.name));

/** Whether the service has answered that the user must sign in. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401;

/** Whether the same request may succeed later. */
export const isTemporary = (error: unknown): boolean =>
  isDisconnected(error) ||
  (error instanceof ApiError && [408, 429, 500, 502, 503, 504].includes(error.status));

/** Whether the service has rejected a request because it has too many of them. */
export const hasTooMany = (error: unknown): boolean =>
  error instanceof ApiError && ['too_many_requests', 'overloaded'].includes(error.code);

/** Whether an error is a response that the resource does not exist. */
export const isMissing = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 404;

/** Whether a request was rejected because the resource has changed since the page read it. */
export const isStale = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 412;

/** Ignores 404, because the event of the deletion follows. */
export const ignoreMissing = (error: unknown): void => {
  if (!isMissing(error)) throw error;
};
