import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BoardsModule } from '../boards/boards.module';
import { StoriesModule } from '../stories/stories.module';
import { SprintCache } from './sprint-cache';
import { SprintChanges } from './sprint-changes.service';
import { Sprint } from './sprint.entity';
import { SprintQueries } from './sprint.queries';
import { SprintsController } from './sprints.controller';
import { SprintsService } from './sprints.service';

@Module({
  imports: [TypeOrmModule.forFeature([Sprint]), BoardsModule, StoriesModule],
  controllers: [SprintsController],
  providers: [SprintsService, SprintChanges, SprintQueries, SprintCache],
  exports: [SprintsService, SprintChanges, SprintQueries],
})
export class SprintsModule {}
