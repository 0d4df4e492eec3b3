import { Module } from '@nestjs/common';
import { SprintsModule } from '../sprints/sprints.module';
import { ExportController } from './export.controller';
import { ExportService } from './export.service';

@Module({
  imports: [SprintsModule],
  controllers: [ExportController],
  providers: [ExportService],
  exports: [ExportService],
})
export class TransferModule {}
