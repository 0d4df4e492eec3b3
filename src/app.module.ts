import type { DynamicModule } from '@nestjs/common';
import { Global, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module';
import { BoardsModule } from './boards/boards.module';
import { Clock } from './time/clock';
import { Resources } from './http/path-resources';
import { CompletionModule } from './completion/completion.module';
import { Config } from './config/config';
import { DatabaseModule } from './database/database.module';
import { EventsModule } from './events/events.module';
import { HealthModule } from './health/health.module';
import { MetricsModule } from './metrics/metrics.module';
import { ReportsModule } from './reports/reports.module';
import { SprintsModule } from './sprints/sprints.module';
import { StoriesModule } from './stories/stories.module';
import { TasksModule } from './tasks/tasks.module';

/** What every room may ask for. */
@Global()
@Module({ providers: [Clock, Resources], exports: [Clock, Resources] })
class CommonModule {}

/** The list of rooms. */
@Module({})
export class AppModule {
  static with(config: Config): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [
        CommonModule,
        DatabaseModule,
        AuthModule,
        BoardsModule,
        SprintsModule,
        CompletionModule,
        StoriesModule,
        TasksModule,
        EventsModule,
        ReportsModule,
        HealthModule,
        MetricsModule,
      ],
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}
