import { Controller, Get, Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { RouteSettings } from '../common/http';
import { Metrics } from './metrics';

@ApiTags('Operations')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @RouteConfig({ produces: ['text/plain'], always: true } satisfies RouteSettings)
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({ summary: 'Metrics for Prometheus' })
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  show(): Promise<string> {
    return this.metrics.text();
  }
}
