import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { BoardCreation } from './board-creation.service';
import { BoardLoader } from './board-loader.service';
import { Board } from './board.entity';
import { BoardsController } from './boards.controller';
import { BoardsService } from './boards.service';
import { DeletedBoards } from './deleted-boards.service';

@Module({
  imports: [TypeOrmModule.forFeature([Board]), AuthModule],
  controllers: [BoardsController],
  providers: [BoardsService, BoardCreation, DeletedBoards, BoardLoader],
  exports: [BoardCreation, BoardLoader],
})
export class BoardsModule {}
