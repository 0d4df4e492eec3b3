import { Module } from '@nestjs/common';
import { ReportsModule } from '../reports/reports.module';
import { CompletionController } from './completion.controller';
import { CompletionService } from './completion.service';

@Module({
  imports: [ReportsModule],
  controllers: [CompletionController],
  providers: [CompletionService],
})
export class CompletionModule {}
