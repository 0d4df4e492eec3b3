import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BoardsModule } from '../boards/boards.module';
import { CompletionModule } from '../completion/completion.module';
import { SprintsModule } from '../sprints/sprints.module';
import { StoriesModule } from '../stories/stories.module';
import { TasksModule } from '../tasks/tasks.module';
import { BatchController } from './batch/batch.controller';
import { BatchService } from './batch/batch.service';
import { ExportController } from './export/export.controller';
import { ExportService } from './export/export.service';
import { ApplySprints } from './import/apply-sprints.service';
import { ApplyTasks } from './import/apply-tasks.service';
import { ApplyService } from './import/apply.service';
import { ImportController } from './import/import.controller';
import { ImportService } from './import/import.service';
import { RestoreService } from './restore/restore.service';

@Module({
  imports: [AuthModule, BoardsModule, CompletionModule, SprintsModule, StoriesModule, TasksModule],
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
})
export class TransferModule {}
