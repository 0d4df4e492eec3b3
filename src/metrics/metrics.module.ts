import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { Metrics } from './metrics';
import { MetricsController } from './metrics.controller';

@Module({
  imports: [EventsModule],
  controllers: [MetricsController],
  providers: [Metrics],
})
export class MetricsModule {}
