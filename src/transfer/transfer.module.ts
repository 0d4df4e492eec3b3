import { Module } from '@nestjs/common';
import { BoardsModule } from '../boards/boards.module';
import { CompletionModule } from '../completion/completion.module';
import { SprintsModule } from '../sprints/sprints.module';
import { StoriesModule } from '../stories/stories.module';
import { TasksModule } from '../tasks/tasks.module';
import { ApplySprints } from './apply-sprints.service';
import { ApplyTasks } from './apply-tasks.service';
import { ApplyService } from './apply.service';
import { BatchController } from './batch.controller';
import { BatchService } from './batch.service';
import { ExportController } from './export.controller';
import { ExportService } from './export.service';
import { ImportController } from './import.controller';
import { ImportService } from './import.service';
import { RestoreService } from './restore.service';

@Module({
  imports: [BoardsModule, CompletionModule, SprintsModule, StoriesModule, TasksModule],
  controllers: [BatchController, ExportController, ImportController],
  providers: [
    ApplyService,
    ApplySprints,
    ApplyTasks,
    BatchService,
    ExportService,
    ImportService,
    RestoreService,
  ],
  exports: [ExportService],
})
export class TransferModule {}
