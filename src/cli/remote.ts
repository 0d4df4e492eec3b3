import type { ReadableStream } from 'node:stream/web';
import type { FieldError, ProblemCode } from '../http/problem';
import { Problem, PROBLEMS } from '../http/problem';
import { ExpectedError } from '../logging/expected-error';

/** A service to use instead of the database. */
export interface Remote {
  url: string;
  token?: string;
}

/** The fields of a problem that a command shows. */
interface ProblemFields {
  code?: ProblemCode;
  detail?: string;
  errors?: FieldError[];
}

/**
 * Sends a request to a service.
 * @param mediaType the media type of the response
 * @throws Problem that the service responds with, ExpectedError if it does not answer or is not Sprintline
 */
export async function request(
  { url, token }: Remote,
  path: string,
  mediaType: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(url.replace(/\/+$/, '') + path, { ...init, headers }).catch(
    (error: Error) => {
      throw new ExpectedError(`${url} does not answer: ${reason(error)}.`);
    },
  );
  if (!response.ok) {
    const answer = (await response.json().catch(() => null)) as ProblemFields | null;
    const { code, detail, errors } = answer ?? {};
    if (code && Object.hasOwn(PROBLEMS, code)) throw new Problem(code, detail, { errors });
    throw new ExpectedError(detail ?? `${url} answers ${response.status}.`);
  }
  const type = response.headers.get('content-type') ?? 'no content type';
  // The page of a proxy that asks users to sign in has the status 200, too.
  if (!type.startsWith(mediaType)) {
    throw new ExpectedError(`${url} is not Sprintline: it answered with ${type}.`);
  }
  return response;
}

/** Yields the content of a response. @throws ExpectedError if the connection is lost before its end */
export async function* contentOf(
  { url }: Remote,
  { body }: Response,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body as ReadableStream<Uint8Array>;
  } catch (error) {
    throw new ExpectedError(`${url} stopped answering: ${reason(error as Error)}.`);
  }
}

/** The message of an error of `fetch`, whose own message says only that it failed. */
const reason = (error: Error): string => ((error.cause ?? error) as Error).message;
