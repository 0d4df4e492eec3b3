import { Controller, Get } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { Database } from '../database/database';
import { Problem } from '../http/problem';
import { Answers, Rejects, RequireScope, Route } from '../http/route';
import { Lifecycle } from './lifecycle';

/** Declares results of checks, by name. */
const Results = (description: string): PropertyDecorator =>
  ApiProperty({
    type: 'object',
    description,
    additionalProperties: {
      type: 'object',
      required: ['status'],
      properties: { status: { type: 'string', enum: ['up'] } },
    },
  });

/** The response of a check that passes; the response of one that fails is a problem document. */
class Health {
  @ApiProperty({ type: 'string', enum: ['ok'] }) status: 'ok';
  @Results('The checks that passed.') info: HealthIndicatorResult;
  @Results('Empty: if a check fails, the response is a problem document.')
  error: HealthIndicatorResult;
  @Results('All checks.') details: HealthIndicatorResult;
}

@ApiTags('Operations')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
  ) {}

  @Get('live')
  @RequireScope('public')
  @Route({ always: true })
  @Answers(
    'Check liveness: whether the process works',
    Health,
    'For the process manager. It needs no token, and no database.',
  )
  live() {
    return this.health.check([]);
  }

  @Get('ready')
  @RequireScope('public')
  @Route({ always: true })
  @Answers(
    'Check readiness: whether requests can be served',
    Health,
    'For a load balancer: 503 while the database is unavailable and while the instance is stopping. It needs no token.',
  )
  @Rejects('database_unavailable')
  ready() {
    if (this.lifecycle.stopping) throw new Problem('shutting_down');
    return this.health.check([() => this.checkDatabase()]);
  }

  private async checkDatabase(): Promise<HealthIndicatorResult> {
    await this.database.requireReady();
    return this.indicator.check('database').up();
  }
}
