import { Module } from '@nestjs/common';
import { MovesService } from './moves.service';
import { StoriesController } from './stories.controller';
import { StoriesService } from './stories.service';
import { StoryImportService } from './story-import.service';

@Module({
  controllers: [StoriesController],
  providers: [StoriesService, MovesService, StoryImportService],
  exports: [StoriesService, StoryImportService],
})
export class StoriesModule {}
