import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AuthGuard } from './auth/auth.guard';
import { AuthModule } from './auth/auth.module';
import { BoardsModule } from './boards/boards.module';
import { CompletionModule } from './completion/completion.module';
import { Config } from './config/config';
import { DatabaseModule } from './database/database.module';
import { EventsModule } from './events/events.module';
import { HealthModule } from './health/health.module';
import { HttpModule } from './http/http.module';
import { InputGuard } from './http/input/input.guard';
import { MetricsModule } from './metrics/metrics.module';
import { ReportsModule } from './reports/reports.module';
import { SprintsModule } from './sprints/sprints.module';
import { StoriesModule } from './stories/stories.module';
import { TasksModule } from './tasks/tasks.module';
import { Clock } from './time/clock';
import { TransferModule } from './transfer/transfer.module';

@Module({
  providers: [
    // In this order, so that an unauthorised caller gets no errors about the input of a route.
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: InputGuard },
  ],
})
export class AppModule {
  static with(config: Config): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [
        ScheduleModule.forRoot(),
        HttpModule,
        DatabaseModule,
        AuthModule,
        BoardsModule,
        TasksModule,
        StoriesModule,
        SprintsModule,
        CompletionModule,
        EventsModule,
        ReportsModule,
        TransferModule,
        HealthModule,
        MetricsModule,
      ],
      providers: [Clock, { provide: Config, useValue: config }],
      exports: [Clock, Config],
    };
  }
}
