import { Module } from '@nestjs/common';
import { BoardsModule } from '../boards/boards.module';
import { CompletionModule } from '../completion/completion.module';
import { SprintsModule } from '../sprints/sprints.module';
import { StoriesModule } from '../stories/stories.module';
import { TasksModule } from '../tasks/tasks.module';
import { BatchController } from './batch.controller';
import { BatchService } from './batch.service';
import { ExportController } from './export.controller';
import { ExportService } from './export.service';

@Module({
  imports: [BoardsModule, CompletionModule, SprintsModule, StoriesModule, TasksModule],
  controllers: [BatchController, ExportController],
  providers: [BatchService, ExportService],
  exports: [ExportService],
})
export class TransferModule {}
