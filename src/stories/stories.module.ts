import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BoardsModule } from '../boards/boards.module';
import { MovesService } from './moves.service';
import { StoriesController } from './stories.controller';
import { StoriesService } from './stories.service';
import { StoryListsService } from './story-lists.service';
import { StoryOrder } from './story-order.service';
import { StoryWriter } from './story-writer.service';
import { Story } from './story.entity';

@Module({
  imports: [TypeOrmModule.forFeature([Story]), BoardsModule],
  controllers: [StoriesController],
  providers: [MovesService, StoriesService, StoryListsService, StoryOrder, StoryWriter],
  exports: [MovesService, StoriesService, StoryListsService, StoryOrder, StoryWriter],
})
export class StoriesModule {}
