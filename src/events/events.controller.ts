import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { From } from '../http/caller';
import { Answers, Needs } from '../http/route';
import { BoardName, StoryId } from '../http/path';
import type { Listing } from '../http/listing';
import { PageQuery } from '../http/listing';
import { EventView, FeedQuery } from './event.dto';
import { EventsService } from './events.service';

@ApiTags('Log')
@Controller('api')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get('boards/:board_name/events')
  @Needs('read')
  @Answers('List events of a board', [EventView])
  feed(@BoardName() name: string, @Query() query: FeedQuery): Promise<EventView[]> {
    return this.events.feed(name, query);
  }

  @Get('stories/:story_id/history')
  @Needs('read', { filtered: true })
  @Answers('History of a story, a deleted one too', [EventView])
  history(
    @From() caller: Caller,
    @StoryId() id: number,
    @Query() page: PageQuery,
  ): Promise<Listing> {
    return this.events.ofStory(caller, id, page);
  }
}
