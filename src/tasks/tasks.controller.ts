import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body, Query } from '../http/input';
import { PageQuery } from '../http/listing';
import { StoryId, TaskId } from '../http/path';
import { Answers, Creates, Rejects, RequireScope } from '../http/route';
import { Deleted } from '../http/schema';
import { CreateTask, TaskView, UpdateTask } from './task.dto';
import { TasksService } from './tasks.service';

@ApiTags('Tasks')
@Controller('api')
export class TasksController {
  constructor(private readonly tasks: TasksService) {}

  @Get('stories/:story_id/tasks')
  @RequireScope('read')
  @Answers('List tasks of a story', [TaskView])
  ofStory(@StoryId() storyId: number, @Query() page: PageQuery) {
    return this.tasks.ofStory(storyId, page);
  }

  @Post('stories/:story_id/tasks')
  @RequireScope('write')
  @Creates('Create task', TaskView, ({ id }) => `/api/tasks/${id}`)
  @Rejects('external_id_taken', 'seq_exhausted', 'too_many_tasks')
  create(@CurrentCaller() caller: Caller, @StoryId() storyId: number, @Body() body: CreateTask) {
    return this.tasks.create(caller, storyId, body);
  }

  @Get('tasks/:task_id')
  @RequireScope('read')
  @Answers('Show task', TaskView)
  show(@TaskId() id: number) {
    return this.tasks.show(id);
  }

  @Put('tasks/:task_id')
  @RequireScope('write')
  @Answers('Update task', TaskView)
  @Rejects('external_id_taken')
  update(@CurrentCaller() caller: Caller, @TaskId() id: number, @Body() body: UpdateTask) {
    return this.tasks.update(caller, id, body);
  }

  @Patch('tasks/:task_id')
  @RequireScope('write')
  @Answers('Update task', TaskView)
  @Rejects('external_id_taken')
  patch(@CurrentCaller() caller: Caller, @TaskId() id: number, @Body() body: UpdateTask) {
    return this.tasks.update(caller, id, body);
  }

  @Delete('tasks/:task_id')
  @RequireScope('write')
  @Answers('Delete task', Deleted)
  delete(@CurrentCaller() caller: Caller, @TaskId() id: number) {
    return this.tasks.delete(caller, id);
  }
}
