import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_SECONDS } from './sessions.service';

const NAME = 'sprintline_session';

/** Returns the secret in the session cookie of a request. */
export function readCookie({ headers, server }: FastifyRequest): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[NAME];
}

export const setCookie = (reply: FastifyReply, secret: string): void =>
  send(reply, secret, SESSION_SECONDS);

export const clearCookie = (reply: FastifyReply): void => send(reply, '', 0);

function send(reply: FastifyReply, value: string, maxAge: number): void {
  const cookie = reply.server.serializeCookie(NAME, value, {
    maxAge,
    path: '/',
    httpOnly: true,
    // A trusted proxy says whether the browser used https.
    secure: reply.request.protocol === 'https',
    sameSite: 'strict',
  });
  reply.header('Set-Cookie', cookie);
}
