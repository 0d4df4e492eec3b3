import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body, Query } from '../http/input/parameters';
import { BoardName } from '../http/input/path';
import { PageQuery } from '../http/lists/page.dto';
import { Deleted } from '../http/responses/schema';
import { Answers, AnswersUpdate, Creates, Rejects, RequireScope } from '../http/route';
import { BoardCreation } from './board-creation.service';
import { BoardView, CreateBoard, DeleteBoardQuery, UpdateBoard } from './board.dto';
import { BoardsService } from './boards.service';

const Updates = (): MethodDecorator =>
  AnswersUpdate(
    'Update board',
    BoardView,
    'Changes the fields that are sent. With a new name the board keeps its id, and the old name is free.',
    'name_taken',
  );

@ApiTags('Boards')
@Controller('api/boards')
export class BoardsController {
  constructor(
    private readonly boards: BoardsService,
    private readonly creation: BoardCreation,
  ) {}

  @Get()
  @RequireScope('read', { filtered: true })
  @Answers('List boards', [BoardView], 'All boards that the caller may see, by name.')
  list(@CurrentCaller() caller: Caller, @Query() page: PageQuery) {
    return this.boards.list(caller, page);
  }

  @Post()
  @RequireScope('write', { filtered: true })
  @Creates(
    'Create board',
    BoardView,
    ({ name }) => `/api/boards/${encodeURIComponent(name)}`,
    'A board is also created by the first sprint or story that is posted to it, in UTC; create it first to choose its time zone.',
  )
  @Rejects('board_not_found', 'name_taken')
  create(@CurrentCaller() caller: Caller, @Body() body: CreateBoard) {
    return this.creation.create(caller, body);
  }

  @Get(':board_name')
  @RequireScope('read')
  @Answers('Show board', BoardView, '`revision` is the number of the latest event of the board.')
  show(@BoardName() name: string) {
    return this.boards.show(name);
  }

  @Put(':board_name')
  @Updates()
  update(@CurrentCaller() caller: Caller, @BoardName() name: string, @Body() body: UpdateBoard) {
    return this.boards.update(caller, name, body);
  }

  @Patch(':board_name')
  @Updates()
  patch(@CurrentCaller() caller: Caller, @BoardName() name: string, @Body() body: UpdateBoard) {
    return this.boards.update(caller, name, body);
  }

  @Delete(':board_name')
  @RequireScope('write')
  @Answers(
    'Delete board',
    Deleted,
    'A board with sprints or stories is deleted only with `force=true`; its log is always deleted with it.',
  )
  @Rejects('board_not_empty')
  delete(
    @CurrentCaller() caller: Caller,
    @BoardName() name: string,
    @Query() { force = false }: DeleteBoardQuery,
  ) {
    return this.boards.delete(caller, name, force);
  }
}
