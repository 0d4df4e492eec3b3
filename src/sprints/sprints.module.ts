import type { OnModuleInit } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BoardsModule } from '../boards/boards.module';
import { Database } from '../database/database';
import { PathResources } from '../http/path-resources';
import { SprintWords } from '../stories/sprint-words';
import { StoriesModule } from '../stories/stories.module';
import { calendarDate, Clock } from '../time/clock';
import { SprintCache } from './sprint-cache';
import { SprintChanges } from './sprint-changes.service';
import { relativeReference } from './sprint-path';
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
export class SprintsModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sprints: SprintQueries,
    private readonly sprintWords: SprintWords,
    private readonly pathResources: PathResources,
  ) {}

  /** Registers how words such as `current` are resolved to sprints, for modules that this one depends on. */
  onModuleInit(): void {
    this.sprintWords.register(async (change, board, word) => {
      const today = calendarDate(change.instant, board.time_zone);
      return (await this.sprints.findRelative(change, board.id, word, today))?.id;
    });
    this.pathResources.onWords(async (request) => {
      const reference = relativeReference(request);
      if (reference) await this.sprints.get(this.database, reference, this.clock.now());
    });
  }
}
