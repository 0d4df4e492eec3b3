import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body, Query } from '../http/input';
import { BoardName, NewBoardName, StoryId } from '../http/path';
import {
  Answers,
  AnswersAction,
  AnswersTable,
  Creates,
  Rejects,
  RequireScope,
  Repeatable,
} from '../http/route';
import { MoveStories, MoveStory } from './move.dto';
import { MovesService } from './moves.service';
import { StoriesService } from './stories.service';
import { StoryListsService } from './story-lists.service';
import { CreateStory, StoryDeleted, StoryListQuery, StoryView, UpdateStory } from './story.dto';

@ApiTags('Stories')
@Controller('api')
export class StoriesController {
  constructor(
    private readonly lists: StoryListsService,
    private readonly stories: StoriesService,
    private readonly moves: MovesService,
  ) {}

  @Get('boards/:board_name/backlog')
  @RequireScope('read')
  @AnswersTable('List backlog: the stories of a board that are in no sprint', StoryView)
  backlog(@BoardName() name: string, @Query() query: StoryListQuery) {
    return this.lists.backlog(name, query);
  }

  @Post('boards/:board_name/backlog')
  @RequireScope('write')
  @Creates('Create story in the backlog', StoryView, ({ id }) => `/api/stories/${id}`)
  @Rejects('external_id_taken', 'seq_exhausted')
  createInBacklog(
    @CurrentCaller() caller: Caller,
    @NewBoardName() name: string,
    @Body() body: CreateStory,
  ) {
    return this.stories.createInBacklog(caller, name, body);
  }

  @Get('boards/:board_name/stories')
  @RequireScope('read')
  @AnswersTable('List all stories of a board', StoryView)
  ofBoard(@BoardName() name: string, @Query() query: StoryListQuery) {
    return this.lists.ofBoard(name, query);
  }

  @Get('stories/:story_id')
  @RequireScope('read')
  @Answers('Show story', StoryView)
  show(@StoryId() id: number) {
    return this.stories.show(id);
  }

  @Put('stories/:story_id')
  @RequireScope('write')
  @Answers('Update story', StoryView)
  @Rejects('external_id_taken', 'sprint_completed', 'sprint_full')
  update(@CurrentCaller() caller: Caller, @StoryId() id: number, @Body() body: UpdateStory) {
    return this.stories.update(caller, id, body);
  }

  @Patch('stories/:story_id')
  @RequireScope('write')
  @Answers('Update story', StoryView)
  @Rejects('external_id_taken', 'sprint_completed', 'sprint_full')
  patch(@CurrentCaller() caller: Caller, @StoryId() id: number, @Body() body: UpdateStory) {
    return this.stories.update(caller, id, body);
  }

  @Delete('stories/:story_id')
  @RequireScope('write')
  @Answers('Delete story', StoryDeleted)
  @Rejects('sprint_completed')
  delete(@CurrentCaller() caller: Caller, @StoryId() id: number) {
    return this.stories.delete(caller, id);
  }

  @Post('stories/:story_id/move')
  @RequireScope('write')
  @AnswersAction('Move story', StoryView)
  @Rejects('external_id_taken', 'seq_exhausted', 'sprint_completed', 'sprint_full')
  move(@CurrentCaller() caller: Caller, @StoryId() id: number, @Body() body: MoveStory) {
    return this.moves.move(caller, id, body);
  }

  @Post('boards/:board_name/stories/move')
  @RequireScope('write')
  @Repeatable()
  @Answers('Move stories of a board, all or none', [StoryView])
  @Rejects('external_id_taken', 'seq_exhausted', 'sprint_completed', 'sprint_full')
  moveTogether(
    @CurrentCaller() caller: Caller,
    @BoardName() name: string,
    @Body() body: MoveStories,
  ) {
    return this.moves.moveTogether(caller, name, body);
  }
}
