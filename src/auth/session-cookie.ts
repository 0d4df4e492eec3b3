import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_SECONDS } from './sessions.service';

const NAME = 'sprintline_session';

/** Whether the browser used https, as a trusted proxy says. */
const isSecure = ({ protocol }: FastifyRequest): boolean => protocol === 'https';

/** The name of the cookie. Over https it has a prefix, so that other hosts of the domain cannot replace the cookie. */
const nameFor = (request: FastifyRequest): string => (isSecure(request) ? `__Host-${NAME}` : NAME);

/** Returns the secret in the session cookie of a request. */
export function readCookie(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers;
  return cookie === undefined ? undefined : fastifyCookie.parse(cookie)[nameFor(request)];
}

/** Sets the session cookie, or deletes it if the secret is empty. */
export function setCookie(reply: FastifyReply, secret: string): void {
  const cookie = fastifyCookie.serialize(nameFor(reply.request), secret, {
    maxAge: secret === '' ? 0 : SESSION_SECONDS,
    path: '/',
    httpOnly: true,
    secure: isSecure(reply.request),
    sameSite: 'strict',
  });
  reply.header('Set-Cookie', cookie);
}
