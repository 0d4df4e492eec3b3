import { Module } from '@nestjs/common';
import { MovesService } from './moves.service';
import { StoriesController } from './stories.controller';
import { StoriesService } from './stories.service';

@Module({
  controllers: [StoriesController],
  providers: [StoriesService, MovesService],
  exports: [StoriesService],
})
export class StoriesModule {}
