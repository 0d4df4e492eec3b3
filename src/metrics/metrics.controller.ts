import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope, Route } from '../http/route';
import { Metrics } from './metrics';

@ApiTags('Operations')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  // The metrics contain no data of boards.
  @RequireScope('read', { filtered: true })
  @Route({ produces: ['text/plain'], always: true })
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({
    summary: 'Show metrics, for Prometheus',
    description: 'In the text format of Prometheus.',
  })
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  show() {
    return this.metrics.text();
  }
}
