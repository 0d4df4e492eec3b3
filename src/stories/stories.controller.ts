import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body, Query } from '../http/input/parameters';
import { BoardName, NewBoardName, StoryId } from '../http/input/path';
import {
  Answers,
  AnswersAction,
  AnswersTable,
  AnswersUpdate,
  Creates,
  Rejects,
  RequireScope,
  Repeatable,
  Route,
} from '../http/route';
import { MoveStories, MoveStory } from './move.dto';
import { MovesService } from './moves.service';
import { StoriesService } from './stories.service';
import { StoryListsService } from './story-lists.service';
import { CreateStory, StoryDeleted, StoryListQuery, StoryView, UpdateStory } from './story.dto';

const Updates = (): MethodDecorator =>
  AnswersUpdate(
    'Update story',
    StoryView,
    'Changes the fields that are sent. `sprint_id` moves the story to another sprint, which may be on another board, or with null to the backlog; its `seq` stays the same unless it is sent.',
    'external_id_taken',
    'sprint_completed',
    'sprint_full',
  );

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
  @AnswersTable(
    'List backlog: the stories of a board that are in no sprint',
    StoryView,
    'By `seq`, then `id`, with the filters of every list of stories.',
  )
  backlog(@BoardName() name: string, @Query() query: StoryListQuery) {
    return this.lists.backlog(name, query);
  }

  @Post('boards/:board_name/backlog')
  @RequireScope('write')
  @Route({ createsBoard: true })
  @Creates(
    'Create story in the backlog',
    StoryView,
    ({ id }) => `/api/stories/${id}`,
    'Creates a story at the end of the backlog, or where its `seq` puts it, and the board with it if it does not exist.',
  )
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
  @AnswersTable(
    'List all stories of a board',
    StoryView,
    'The stories of the backlog and of all sprints, completed ones too.',
  )
  ofBoard(@BoardName() name: string, @Query() query: StoryListQuery) {
    return this.lists.ofBoard(name, query);
  }

  @Get('stories/:story_id')
  @RequireScope('read')
  @Answers('Show story', StoryView, 'Its tasks are at `/api/stories/{story_id}/tasks`.')
  show(@CurrentCaller() caller: Caller, @StoryId() id: number) {
    return this.stories.show(caller, id);
  }

  @Put('stories/:story_id')
  @Updates()
  update(@CurrentCaller() caller: Caller, @StoryId() id: number, @Body() body: UpdateStory) {
    return this.stories.update(caller, id, body);
  }

  @Patch('stories/:story_id')
  @Updates()
  patch(@CurrentCaller() caller: Caller, @StoryId() id: number, @Body() body: UpdateStory) {
    return this.stories.update(caller, id, body);
  }

  @Delete('stories/:story_id')
  @RequireScope('write')
  @Answers('Delete story', StoryDeleted, 'Deletes the story with its tasks. Its history remains.')
  @Rejects('sprint_completed')
  delete(@CurrentCaller() caller: Caller, @StoryId() id: number) {
    return this.stories.delete(caller, id);
  }

  @Post('stories/:story_id/move')
  @RequireScope('write')
  @AnswersAction(
    'Move story',
    StoryView,
    'Puts the story first, last, or before or after another story, in its list or in the list of another sprint.',
  )
  @Rejects('external_id_taken', 'seq_exhausted', 'sprint_completed', 'sprint_full')
  move(@CurrentCaller() caller: Caller, @StoryId() id: number, @Body() body: MoveStory) {
    return this.moves.move(caller, id, body);
  }

  @Post('boards/:board_name/stories/move')
  @RequireScope('write')
  @Repeatable()
  @Route({ conditional: true })
  @Answers(
    'Move stories of a board, all or none',
    [StoryView],
    'Puts up to 1,000 stories of the board next to each other, in the order of `story_ids`.',
  )
  @Rejects('external_id_taken', 'seq_exhausted', 'sprint_completed', 'sprint_full')
  moveTogether(
    @CurrentCaller() caller: Caller,
    @BoardName() name: string,
    @Body() body: MoveStories,
  ) {
    return this.moves.moveTogether(caller, name, body);
  }
}
