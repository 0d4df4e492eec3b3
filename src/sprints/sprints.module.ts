import { Module } from '@nestjs/common';
import { StoriesModule } from '../stories/stories.module';
import { SprintIdPipe, SprintWords } from './sprint-id';
import { SprintsController } from './sprints.controller';
import { SprintsService } from './sprints.service';

@Module({
  imports: [StoriesModule],
  controllers: [SprintsController],
  providers: [SprintsService, SprintIdPipe, SprintWords],
  exports: [SprintsService],
})
export class SprintsModule {}
