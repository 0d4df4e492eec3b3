import { Controller, Get, Header, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Query } from '../http/input/parameters';
import { BoardName, StoryId } from '../http/input/path';
import { PageQuery } from '../http/lists/page.dto';
import { fieldError, Problem } from '../http/problem';
import { BOARD_REVISION } from '../http/responses/board-revision';
import { Answers, AnswersTable, Rejects, RequireScope, Route } from '../http/route';
import { EventView, FeedQuery, StreamQuery } from './event.dto';
import { EventsService } from './events.service';
import { StreamsService } from './streams.service';

@ApiTags('Events')
@Controller('api')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly streams: StreamsService,
  ) {}

  @Get('boards/:board_name/events')
  @RequireScope('read')
  @AnswersTable(
    'List events of a board',
    EventView,
    'The log of the board after a revision, at most 1,000 events; `Link` is the URL of the next page. The log has every change, in order and without a gap.',
  )
  feed(@BoardName() name: string, @Query() query: FeedQuery) {
    return this.events.feed(name, query);
  }

  @Get('boards/:board_name/stream')
  @RequireScope('read')
  @Route({ live: true, produces: ['text/event-stream'] })
  @Rejects('too_many_streams')
  @Header('Cache-Control', 'no-store')
  @Header('X-Accel-Buffering', 'no')
  @ApiOperation({
    summary: 'Stream events of a board, as Server-Sent Events',
    description:
      'The same events as they happen, until the client disconnects. The stream continues after `Last-Event-ID`, else after `after`, else from now; it has a comment every 15 s.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    description: 'The revision that the stream continues after.',
    schema: { type: 'string', pattern: '^\\d*$' },
  })
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  async stream(
    @CurrentCaller() caller: Caller,
    @BoardName() name: string,
    @Query() query: StreamQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const after = lastEventId(request) ?? query.after;
    const stream = await this.streams.open(name, { ...query, after }, caller);
    reply.header(BOARD_REVISION, stream.revision);
    // The comments are traffic, so this disconnects only a client that reads nothing.
    request.raw.socket.setTimeout(this.streams.idleMs);
    return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
  }

  @Get('stories/:story_id/history')
  @RequireScope('read', { filtered: true })
  @Answers(
    'List history of a story, a deleted one too',
    [EventView],
    'The events of one story, from its creation, on every board that it was on.',
  )
  history(@CurrentCaller() caller: Caller, @StoryId() id: number, @Query() page: PageQuery) {
    return this.events.ofStory(caller, id, page);
  }
}

/** The cursor that `EventSource` sends when it connects again. @throws Problem `invalid_request` */
function lastEventId({ headers }: FastifyRequest): number | undefined {
  const sent = headers['last-event-id'];
  if (sent === undefined || sent === '') return undefined;
  if (/^\d+$/.test(String(sent))) return Number(sent);
  throw Problem.invalid([
    fieldError('header', 'Last-Event-ID', 'invalid_type', 'must be a revision'),
  ]);
}
