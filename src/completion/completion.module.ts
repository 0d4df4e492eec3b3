import { Module } from '@nestjs/common';
import { ReportsModule } from '../reports/reports.module';
import { SprintsModule } from '../sprints/sprints.module';
import { StoriesModule } from '../stories/stories.module';
import { CompletionController } from './completion.controller';
import { CompletionService } from './completion.service';

@Module({
  imports: [SprintsModule, StoriesModule, ReportsModule],
  controllers: [CompletionController],
  providers: [CompletionService],
  exports: [CompletionService],
})
export class CompletionModule {}
