import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BoardsModule } from '../boards/boards.module';
import { RelativePaths } from '../http/relative-paths';
import { SprintResolver } from '../stories/sprint-of-body';
import { StoriesModule } from '../stories/stories.module';
import { SprintsInFull } from './sprints-in-full.service';
import { SprintChanges } from './sprint-changes.service';
import { RelativeSprintPaths } from './relative-sprint-paths';
import { Sprint } from './sprint.entity';
import { SprintQueries } from './sprint.queries';
import { SprintsController } from './sprints.controller';
import { SprintsService } from './sprints.service';

/** Global, because modules that this one depends on need to know which sprint a word such as `current` names. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([Sprint]), BoardsModule, StoriesModule],
  controllers: [SprintsController],
  providers: [
    SprintsService,
    SprintChanges,
    SprintQueries,
    SprintsInFull,
    { provide: SprintResolver, useExisting: SprintQueries },
    { provide: RelativePaths, useClass: RelativeSprintPaths },
  ],
  exports: [SprintChanges, SprintQueries, SprintResolver, RelativePaths],
})
export class SprintsModule {}
