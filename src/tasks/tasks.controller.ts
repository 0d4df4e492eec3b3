import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body, Query } from '../http/input/parameters';
import { StoryId, TaskId } from '../http/input/path';
import { PageQuery } from '../http/lists/page.dto';
import { Deleted } from '../http/responses/schema';
import { Answers, AnswersUpdate, Creates, Rejects, RequireScope } from '../http/route';
import { CreateTask, TaskView, UpdateTask } from './task.dto';
import { TasksService } from './tasks.service';

const Updates = (): MethodDecorator =>
  AnswersUpdate(
    'Update task',
    TaskView,
    'Changes the fields that are sent; `done_at` follows from `status`.',
    'external_id_taken',
  );

@ApiTags('Tasks')
@Controller('api')
export class TasksController {
  constructor(private readonly tasks: TasksService) {}

  @Get('stories/:story_id/tasks')
  @RequireScope('read')
  @Answers('List tasks of a story', [TaskView], 'Sorted by `seq`, then `id`.')
  ofStory(@CurrentCaller() caller: Caller, @StoryId() storyId: number, @Query() page: PageQuery) {
    return this.tasks.ofStory(caller, storyId, page);
  }

  @Post('stories/:story_id/tasks')
  @RequireScope('write')
  @Creates(
    'Create task',
    TaskView,
    ({ id }) => `/api/tasks/${id}`,
    'Creates a task at the end of the story, or where its `seq` puts it. A story has at most 1,000 tasks.',
  )
  @Rejects('external_id_taken', 'seq_exhausted', 'too_many_tasks')
  create(@CurrentCaller() caller: Caller, @StoryId() storyId: number, @Body() body: CreateTask) {
    return this.tasks.create(caller, storyId, body);
  }

  @Get('tasks/:task_id')
  @RequireScope('read')
  @Answers('Show task', TaskView, 'One part of a story.')
  show(@CurrentCaller() caller: Caller, @TaskId() id: number) {
    return this.tasks.show(caller, id);
  }

  @Put('tasks/:task_id')
  @Updates()
  update(@CurrentCaller() caller: Caller, @TaskId() id: number, @Body() body: UpdateTask) {
    return this.tasks.update(caller, id, body);
  }

  @Patch('tasks/:task_id')
  @Updates()
  patch(@CurrentCaller() caller: Caller, @TaskId() id: number, @Body() body: UpdateTask) {
    return this.tasks.update(caller, id, body);
  }

  @Delete('tasks/:task_id')
  @RequireScope('write')
  @Answers('Delete task', Deleted, 'The story keeps its other tasks.')
  delete(@CurrentCaller() caller: Caller, @TaskId() id: number) {
    return this.tasks.delete(caller, id);
  }
}
