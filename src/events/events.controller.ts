import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Query } from '../http/input';
import { PageQuery } from '../http/listing';
import { BoardName, StoryId } from '../http/path';
import { Answers, RequireScope } from '../http/route';
import { EventView, FeedQuery } from './event.dto';
import { EventsService } from './events.service';

@ApiTags('Events')
@Controller('api')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get('boards/:board_name/events')
  @RequireScope('read')
  @Answers('List events of a board', [EventView])
  async feed(
    @BoardName() name: string,
    @Query() { after = 0, limit = 1000 }: FeedQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { events, last, more } = await this.events.feed(name, after, limit);
    if (more) {
      const path = `/api/boards/${encodeURIComponent(name)}/events`;
      reply.header('Link', `<${path}?after=${last}&limit=${limit}>; rel="next"`);
    }
    return events;
  }

  @Get('stories/:story_id/history')
  @RequireScope('read', { filtered: true })
  @Answers('List history of a story, a deleted one too', [EventView])
  history(@CurrentCaller() caller: Caller, @StoryId() id: number, @Query() page: PageQuery) {
    return this.events.ofStory(caller, id, page);
  }
}
