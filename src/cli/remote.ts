import type { FieldError, ProblemCode } from '../http/problem';
import { Problem, PROBLEMS } from '../http/problem';
import { CommandError } from './command-error';

/** A service to use instead of the database. */
export interface Remote {
  url: string;
  token?: string;
}

/** The fields of a problem that a command shows. */
interface Answer {
  code?: ProblemCode;
  detail?: string;
  errors?: FieldError[];
}

/**
 * Sends a request to a service.
 * @param mediaType the media type of the response
 * @throws Problem that the service responds with, CommandError if it does not answer or is not Sprintline
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
      const { message } = (error.cause ?? error) as Error;
      throw new CommandError(`${url} does not answer: ${message}.`);
    },
  );
  if (!response.ok) {
    const answer = (await response.json().catch(() => null)) as Answer | null;
    const { code, detail, errors } = answer ?? {};
    if (code && code in PROBLEMS) throw new Problem(code, detail, { errors });
    throw new CommandError(detail ?? `${url} answers ${response.status}.`);
  }
  const type = response.headers.get('content-type') ?? 'no content type';
  // The page of a proxy that asks users to sign in has the status 200, too.
  if (!type.startsWith(mediaType)) {
    throw new CommandError(`${url} is not Sprintline: it answered with ${type}.`);
  }
  return response;
}
