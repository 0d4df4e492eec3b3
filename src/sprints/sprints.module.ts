import { Module } from '@nestjs/common';
import { StoriesModule } from '../stories/stories.module';
import { SprintIdPipe, SprintWords } from './sprint-id';
import { FullSprints } from './full-sprints';
import { SprintsController } from './sprints.controller';
import { SprintsService } from './sprints.service';

@Module({
  imports: [StoriesModule],
  controllers: [SprintsController],
  providers: [SprintsService, SprintIdPipe, SprintWords, FullSprints],
  exports: [SprintsService],
})
export class SprintsModule {}
