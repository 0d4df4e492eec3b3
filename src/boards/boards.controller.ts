import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body, Query } from '../http/input';
import { PageQuery } from '../http/listing';
import { BoardName } from '../http/path';
import { Answers, Creates, Rejects, RequireScope } from '../http/route';
import { Deleted } from '../http/schema';
import { BoardView, CreateBoard, DeleteBoardQuery, UpdateBoard } from './board.dto';
import { BoardsService } from './boards.service';

@ApiTags('Boards')
@Controller('api/boards')
export class BoardsController {
  constructor(private readonly boards: BoardsService) {}

  @Get()
  @RequireScope('read', { filtered: true })
  @Answers('List boards', [BoardView])
  list(@CurrentCaller() caller: Caller, @Query() page: PageQuery) {
    return this.boards.list(caller, page);
  }

  @Post()
  @RequireScope('write', { filtered: true })
  @Creates('Create board', BoardView, ({ name }) => `/api/boards/${encodeURIComponent(name)}`)
  @Rejects('board_not_found', 'name_taken')
  create(@CurrentCaller() caller: Caller, @Body() body: CreateBoard) {
    return this.boards.create(caller, body);
  }

  @Get(':board_name')
  @RequireScope('read')
  @Answers('Show board', BoardView)
  show(@BoardName() name: string) {
    return this.boards.show(name);
  }

  @Put(':board_name')
  @RequireScope('write')
  @Answers('Update board', BoardView)
  @Rejects('name_taken')
  update(@CurrentCaller() caller: Caller, @BoardName() name: string, @Body() body: UpdateBoard) {
    return this.boards.update(caller, name, body);
  }

  @Patch(':board_name')
  @RequireScope('write')
  @Answers('Update board', BoardView)
  @Rejects('name_taken')
  patch(@CurrentCaller() caller: Caller, @BoardName() name: string, @Body() body: UpdateBoard) {
    return this.boards.update(caller, name, body);
  }

  @Delete(':board_name')
  @RequireScope('write')
  @Answers('Delete board', Deleted)
  @Rejects('board_not_empty')
  delete(
    @CurrentCaller() caller: Caller,
    @BoardName() name: string,
    @Query() { force = false }: DeleteBoardQuery,
  ) {
    return this.boards.delete(caller, name, force);
  }
}
