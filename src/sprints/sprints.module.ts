import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BoardsModule } from '../boards/boards.module';
import { PathWords } from '../http/path-words';
import { SprintWords } from '../stories/sprint-words';
import { StoriesModule } from '../stories/stories.module';
import { SprintsInFull } from './sprints-in-full.service';
import { SprintChanges } from './sprint-changes.service';
import { SprintWordsOfPaths } from './sprint-words-of-paths';
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
    { provide: SprintWords, useExisting: SprintQueries },
    { provide: PathWords, useClass: SprintWordsOfPaths },
  ],
  exports: [SprintChanges, SprintQueries, SprintWords, PathWords],
})
export class SprintsModule {}
