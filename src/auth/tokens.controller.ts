import { Controller, Delete, Get, Header, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body, Query } from '../http/input/parameters';
import { TokenId } from '../http/input/path';
import { PageQuery } from '../http/lists/page.dto';
import { etagOf } from '../http/responses/etag';
import { Deleted } from '../http/responses/schema';
import { Answers, Creates, Rejects, RequireScope, Route } from '../http/route';
import { CreateToken, NewTokenView, TokenView } from './token.dto';
import { TokensService } from './tokens.service';

@ApiTags('Tokens')
@Controller('api/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @RequireScope('admin')
  @Answers('List tokens', [TokenView], 'Without their secrets.')
  list(@Query() page: PageQuery) {
    return this.tokens.list(page);
  }

  @Post()
  @RequireScope('admin')
  @Route({ unrepeatable: true })
  @Header('Cache-Control', 'no-store')
  @Creates(
    'Create token',
    NewTokenView,
    ({ id }) => `/api/tokens/${id}`,
    'Only this response shows the secret. The first token must have the scope `admin`; from then on every request needs a token.',
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateToken,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const created = await this.tokens.create(caller, body);
    // The tag of the token's representation, which has no secret.
    const { token: _, ...view } = created;
    reply.header('ETag', etagOf(JSON.stringify(view)));
    return created;
  }

  @Get(':token_id')
  @RequireScope('admin')
  @Answers('Show token', TokenView, 'Without its secret.')
  show(@TokenId() id: number) {
    return this.tokens.show(id);
  }

  @Delete(':token_id')
  @RequireScope('admin')
  @Answers(
    'Delete token',
    Deleted,
    'The token is rejected from then on. The last token with the scope `admin` that has not expired can be deleted only if no other token exists.',
  )
  @Rejects('last_admin')
  delete(@CurrentCaller() caller: Caller, @TokenId() id: number) {
    return this.tokens.delete(caller, id);
  }
}
