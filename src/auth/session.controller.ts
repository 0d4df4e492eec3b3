import { Controller, Delete, Get, Header, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../http/access';
import { OPEN } from '../http/access';
import { Body } from '../http/input/parameters';
import { Problem } from '../http/problem';
import { Deleted } from '../http/responses/schema';
import { Answers, Creates, Rejects, RequireScope, Route } from '../http/route';
import { readCookie, setCookie } from './session-cookie';
import { CreateSession, SessionView } from './session.dto';
import { SessionsService } from './sessions.service';

/** Signing in and out in a browser. */
@ApiTags('Session')
@Controller('api/session')
export class SessionController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @RequireScope('read')
  @Route({ anonymous: true })
  @Header('Cache-Control', 'no-store')
  @Answers(
    'Show session',
    SessionView,
    'The caller and its access. If a token is required and the browser is not signed in, `actor` and `scope` are null and `boards` is empty.',
  )
  show(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): SessionView {
    const { access } = request;
    // So that the browser, too, keeps the cookie for 30 days after its last use.
    if (access?.sessionId !== undefined) setCookie(reply, readCookie(request) ?? '');
    return represent(access, access !== OPEN);
  }

  @Post()
  @RequireScope('read')
  @Route({ anonymous: true, unrepeatable: true })
  @Header('Cache-Control', 'no-store')
  @Creates(
    'Create session',
    SessionView,
    () => '/api/session',
    'Sets a cookie that authenticates later requests instead of the token. The session ends with the token, or 30 days after its last use.',
  )
  async create(
    @Req() request: FastifyRequest,
    @Body() { token }: CreateSession,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const session = await this.sessions.create(token, request);
    setCookie(reply, session.secret);
    return represent(session.access, request.access !== OPEN);
  }

  @Delete()
  @RequireScope('read')
  @Route({ anonymous: true })
  @Rejects('session_not_found')
  @Answers('Delete session', Deleted, 'Ends the session, and clears its cookie.')
  async delete(
    @Req() { access }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Deleted> {
    setCookie(reply, '');
    const id = access?.sessionId;
    if (id === undefined) throw new Problem('session_not_found');
    await this.sessions.end(id);
    return { deleted: true, id };
  }
}

function represent(access: Access | undefined, token_required: boolean): SessionView {
  if (!access) return { actor: null, scope: null, boards: [], token_required };
  const { actor, scope, boards } = access;
  return { actor, scope, boards: boards ? [...boards] : null, token_required };
}
