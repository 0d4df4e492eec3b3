import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Client } from '../http/client';
import type { Caller } from '../http/caller';
import { CurrentCaller, CurrentClient } from '../http/caller';
import { Body, Query } from '../http/input/parameters';
import { BoardName, NewBoardName, SprintId } from '../http/input/path';
import {
  Answers,
  AnswersAction,
  AnswersTable,
  AnswersUpdate,
  Creates,
  Rejects,
  RequireScope,
  Route,
} from '../http/route';
import { CreateStory, StoryListQuery, StoryView } from '../stories/story.dto';
import { SprintsInFull } from './sprints-in-full.service';
import { SprintChanges } from './sprint-changes.service';
import { actionPaths, sprintPaths, SprintReferenceOfPath } from './sprint-path';
import {
  CreateSprint,
  DeleteSprintQuery,
  SprintDeleted,
  SprintInFullView,
  SprintListQuery,
  SprintView,
  UpdateSprint,
} from './sprint.dto';
import type { SprintReference } from './sprint.queries';
import { SprintsService } from './sprints.service';

const Updates = (): MethodDecorator =>
  AnswersUpdate(
    'Update sprint',
    SprintView,
    'Changes the fields that are sent; null clears `end_date`, `name`, `goal` or `external_id`. The dates of a completed sprint cannot be changed.',
    'external_id_taken',
    'sprint_completed',
  );

@ApiTags('Sprints')
@Controller('api')
export class SprintsController {
  constructor(
    private readonly sprints: SprintsService,
    private readonly changes: SprintChanges,
    private readonly sprintsInFull: SprintsInFull,
  ) {}

  @Get('boards/:board_name/sprints')
  @RequireScope('read')
  @Answers(
    'List sprints of a board',
    [SprintView],
    'By `start_date`, then `id`. `state` selects the sprints in one state.',
  )
  list(@BoardName() name: string, @Query() query: SprintListQuery) {
    return this.sprints.list(name, query);
  }

  @Post('boards/:board_name/sprints')
  @RequireScope('write')
  @Route({ createsBoard: true })
  @Creates(
    'Create sprint',
    SprintView,
    ({ id }) => `/api/sprints/${id}`,
    'Creates the board, too, if it does not exist. Sprints may overlap; without an `end_date` a sprint ends when the next one starts.',
  )
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
  @Answers(
    'Show current sprint, with its stories and their tasks',
    SprintInFullView,
    'The active sprint that started last or, without an active one, the last that has ended and is not completed. The response has all that a task board shows.',
  )
  current(@CurrentClient() client: Client, @BoardName() name: string) {
    return this.sprintsInFull.find(client, name, 'current');
  }

  @Get('boards/:board_name/sprints/next')
  @RequireScope('read')
  @Answers(
    'Show next sprint, with its stories and their tasks',
    SprintInFullView,
    'The first sprint after the current one that is not completed.',
  )
  next(@CurrentClient() client: Client, @BoardName() name: string) {
    return this.sprintsInFull.find(client, name, 'next');
  }

  @Get('boards/:board_name/sprints/previous')
  @RequireScope('read')
  @Answers(
    'Show previous sprint, with its stories and their tasks',
    SprintInFullView,
    'The last sprint before the current one that has begun.',
  )
  previous(@CurrentClient() client: Client, @BoardName() name: string) {
    return this.sprintsInFull.find(client, name, 'previous');
  }

  @Get('sprints/:sprint_id')
  @RequireScope('read')
  @Answers(
    'Show sprint',
    SprintView,
    'Without its stories. `state` is derived from its dates and the current date in the time zone of the board.',
  )
  show(@SprintId() id: number) {
    return this.sprints.show(id);
  }

  @Put('sprints/:sprint_id')
  @Updates()
  update(@CurrentCaller() caller: Caller, @SprintId() id: number, @Body() body: UpdateSprint) {
    return this.changes.update(caller, id, body);
  }

  @Patch('sprints/:sprint_id')
  @Updates()
  patch(@CurrentCaller() caller: Caller, @SprintId() id: number, @Body() body: UpdateSprint) {
    return this.changes.update(caller, id, body);
  }

  @Delete('sprints/:sprint_id')
  @RequireScope('write')
  @Answers(
    'Delete sprint',
    SprintDeleted,
    'Moves its stories to the end of the backlog. A completed sprint is deleted only with `force=true`.',
  )
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
  @AnswersAction(
    'Start sprint: set what it commits to',
    SprintView,
    'The stories that are in the sprint now become its commitment, which reports compare with what is completed. A second start replaces the commitment. A sprint that is never started commits to the stories that are in it at the end of its first day.',
  )
  @Rejects('sprint_completed', 'sprint_not_begun')
  start(@CurrentCaller() caller: Caller, @SprintReferenceOfPath() reference: SprintReference) {
    return this.changes.start(caller, reference);
  }

  @Get(sprintPaths('stories'))
  @RequireScope('read')
  @AnswersTable(
    'List stories of a sprint',
    StoryView,
    'By `seq`, then `id`. The list is complete unless `limit` is given; a filter that is given several times matches any of its values.',
  )
  storiesOf(@SprintReferenceOfPath() reference: SprintReference, @Query() query: StoryListQuery) {
    return this.sprints.stories(reference, query);
  }

  @Post(sprintPaths('stories'))
  @RequireScope('write')
  @Creates(
    'Create story in a sprint',
    StoryView,
    ({ id }) => `/api/stories/${id}`,
    'Creates a story at the end of the sprint, or where its `seq` puts it.',
  )
  @Rejects('external_id_taken', 'seq_exhausted', 'sprint_completed', 'sprint_full')
  createStory(
    @CurrentCaller() caller: Caller,
    @SprintReferenceOfPath() reference: SprintReference,
    @Body() body: CreateStory,
  ) {
    return this.changes.createStory(caller, reference, body);
  }
}
