import { Module } from '@nestjs/common';
import { BoardSweeper } from './board-sweeper';
import { BoardsController } from './boards.controller';
import { BoardsService } from './boards.service';

@Module({
  controllers: [BoardsController],
  providers: [BoardsService, BoardSweeper],
  exports: [BoardsService],
})
export class BoardsModule {}
