import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import { StreamsService } from '../events/streams.service';

/** The metrics of this process, for Prometheus. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of the response, by method, route and status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  constructor(database: Database, unitOfWork: UnitOfWork, streams: StreamsService) {
    const gauge = (name: string, help: string, value: () => number): void => {
      const registers = [this.registry];
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    };
    gauge('changes_pending', 'Changes that run or wait to run.', () => unitOfWork.pending);
    gauge(
      'snapshots_open',
      'Reports and long lists that are being read.',
      () => database.openSnapshots,
    );
    gauge('streams_open', 'Open streams of events.', () => streams.count);
  }

  /** Adds metrics of the process, such as memory, garbage collection and the delay of the event loop. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Records the duration of a request. `route` is the pattern of the path, which bounds the number of series. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.durations.observe({ method, route, status: String(status) }, seconds);
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}
