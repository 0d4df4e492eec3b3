import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { From } from '../http/caller';
import { Body, Query } from '../http/input';
import type { Listing } from '../http/listing';
import { PageQuery } from '../http/listing';
import { BoardName } from '../http/path';
import { Answers, Creates, Needs } from '../http/route';
import { Deleted } from '../http/schema';
import { BoardView, CreateBoard, DeleteBoardQuery, UpdateBoard } from './board.dto';
import { BoardsService } from './boards.service';

@ApiTags('Boards')
@Controller('api/boards')
export class BoardsController {
  constructor(private readonly boards: BoardsService) {}

  @Get()
  @Needs('read', { filtered: true })
  @Answers('List boards', [BoardView])
  list(@From() caller: Caller, @Query() page: PageQuery): Listing {
    return this.boards.list(caller, page);
  }

  @Post()
  @Needs('write', { filtered: true })
  @Creates('Create board', BoardView, ({ name }) => `/api/boards/${encodeURIComponent(name)}`)
  create(@From() caller: Caller, @Body() body: CreateBoard): Promise<BoardView> {
    return this.boards.create(caller, body);
  }

  @Get(':board_name')
  @Needs('read')
  @Answers('Show board', BoardView)
  show(@BoardName() name: string): Promise<BoardView> {
    return this.boards.show(name);
  }

  @Put(':board_name')
  @Needs('write')
  @Answers('Update board', BoardView)
  update(
    @From() caller: Caller,
    @BoardName() name: string,
    @Body() body: UpdateBoard,
  ): Promise<BoardView> {
    return this.boards.update(caller, name, body);
  }

  @Patch(':board_name')
  @Needs('write')
  @Answers('Update board', BoardView)
  patch(
    @From() caller: Caller,
    @BoardName() name: string,
    @Body() body: UpdateBoard,
  ): Promise<BoardView> {
    return this.boards.update(caller, name, body);
  }

  @Delete(':board_name')
  @Needs('write')
  @Answers('Delete board', Deleted)
  delete(
    @From() caller: Caller,
    @BoardName() name: string,
    @Query() { force = false }: DeleteBoardQuery,
  ): Promise<Deleted> {
    return this.boards.delete(caller, name, force);
  }
}
