import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { BoardLoader } from './board-loader.service';
import { BoardSweeper } from './board-sweeper';
import { Board } from './board.entity';
import { BoardsController } from './boards.controller';
import { BoardsService } from './boards.service';

@Module({
  imports: [TypeOrmModule.forFeature([Board]), AuthModule],
  controllers: [BoardsController],
  providers: [BoardsService, BoardSweeper, BoardLoader],
  exports: [BoardsService, BoardLoader],
})
export class BoardsModule {}
