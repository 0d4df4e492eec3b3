import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_SECONDS } from './sessions.service';

const NAME = 'sprintline_session';

/** Returns the secret in the session cookie of a request. */
export function readCookie({ headers, server }: FastifyRequest): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[NAME];
}

/** Sets the session cookie, or deletes it if the secret is empty. */
export function setCookie(reply: FastifyReply, secret: string): void {
  const cookie = reply.server.serializeCookie(NAME, secret, {
    maxAge: secret === '' ? 0 : SESSION_SECONDS,
    path: '/',
    httpOnly: true,
    // A trusted proxy says whether the browser used https.
    secure: reply.request.protocol === 'https',
    sameSite: 'strict',
  });
  reply.header('Set-Cookie', cookie);
}
