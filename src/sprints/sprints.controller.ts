import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body, Query } from '../http/input';
import { BoardName, NewBoardName, SprintId } from '../http/path';
import {
  Answers,
  AnswersAction,
  AnswersTable,
  Creates,
  Rejects,
  RequireScope,
} from '../http/route';
import { CreateStory, StoryListQuery, StoryView } from '../stories/story.dto';
import { SprintCache } from './sprint-cache';
import { SprintChanges } from './sprint-changes.service';
import { actionPaths, sprintPaths, SprintReferenceOfPath } from './sprint-id';
import {
  CreateSprint,
  DeleteSprintQuery,
  FullSprint,
  SprintDeleted,
  SprintListQuery,
  SprintView,
  UpdateSprint,
} from './sprint.dto';
import type { SprintReference } from './sprint.queries';
import { SprintsService } from './sprints.service';

@ApiTags('Sprints')
@Controller('api')
export class SprintsController {
  constructor(
    private readonly sprints: SprintsService,
    private readonly changes: SprintChanges,
    private readonly cache: SprintCache,
  ) {}

  @Get('boards/:board_name/sprints')
  @RequireScope('read')
  @Answers('List sprints of a board', [SprintView])
  list(@BoardName() name: string, @Query() query: SprintListQuery) {
    return this.sprints.list(name, query);
  }

  @Post('boards/:board_name/sprints')
  @RequireScope('write')
  @Creates('Create sprint', SprintView, ({ id }) => `/api/sprints/${id}`)
  @Rejects('external_id_taken')
  create(
    @CurrentCaller() caller: Caller,
    @NewBoardName() name: string,
    @Body() body: CreateSprint,
  ) {
    return this.changes.create(caller, name, body);
  }

  @Get('boards/:board_name/sprints/current')
  @RequireScope('read')
  @Answers('Show current sprint, with its stories and their tasks', FullSprint)
  current(@BoardName() name: string) {
    return this.cache.find(name, 'current');
  }

  @Get('boards/:board_name/sprints/next')
  @RequireScope('read')
  @Answers('Show next sprint, with its stories and their tasks', FullSprint)
  next(@BoardName() name: string) {
    return this.cache.find(name, 'next');
  }

  @Get('boards/:board_name/sprints/previous')
  @RequireScope('read')
  @Answers('Show previous sprint, with its stories and their tasks', FullSprint)
  previous(@BoardName() name: string) {
    return this.cache.find(name, 'previous');
  }

  @Get('sprints/:sprint_id')
  @RequireScope('read')
  @Answers('Show sprint', SprintView)
  show(@SprintId() id: number) {
    return this.sprints.show(id);
  }

  @Put('sprints/:sprint_id')
  @RequireScope('write')
  @Answers('Update sprint', SprintView)
  @Rejects('external_id_taken', 'sprint_completed')
  update(@CurrentCaller() caller: Caller, @SprintId() id: number, @Body() body: UpdateSprint) {
    return this.changes.update(caller, id, body);
  }

  @Patch('sprints/:sprint_id')
  @RequireScope('write')
  @Answers('Update sprint', SprintView)
  @Rejects('external_id_taken', 'sprint_completed')
  patch(@CurrentCaller() caller: Caller, @SprintId() id: number, @Body() body: UpdateSprint) {
    return this.changes.update(caller, id, body);
  }

  @Delete('sprints/:sprint_id')
  @RequireScope('write')
  @Answers('Delete sprint', SprintDeleted)
  @Rejects('sprint_completed')
  delete(
    @CurrentCaller() caller: Caller,
    @SprintId() id: number,
    @Query() { force = false }: DeleteSprintQuery,
  ) {
    return this.changes.delete(caller, id, force);
  }

  @Post(actionPaths('start'))
  @RequireScope('write')
  @AnswersAction('Start sprint: fix what it commits to', SprintView)
  @Rejects('sprint_completed', 'sprint_not_begun')
  start(@CurrentCaller() caller: Caller, @SprintReferenceOfPath() reference: SprintReference) {
    return this.changes.start(caller, reference);
  }

  @Get(sprintPaths('stories'))
  @RequireScope('read')
  @AnswersTable('List stories of a sprint', StoryView)
  storiesOf(@SprintReferenceOfPath() reference: SprintReference, @Query() query: StoryListQuery) {
    return this.sprints.stories(reference, query);
  }

  @Post(sprintPaths('stories'))
  @RequireScope('write')
  @Creates('Create story in a sprint', StoryView, ({ id }) => `/api/stories/${id}`)
  @Rejects('external_id_taken', 'seq_exhausted', 'sprint_completed', 'sprint_full')
  createStory(
    @CurrentCaller() caller: Caller,
    @SprintReferenceOfPath() reference: SprintReference,
    @Body() body: CreateStory,
  ) {
    return this.changes.createStory(caller, reference, body);
  }
}
