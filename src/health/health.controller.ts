import { Controller, Get } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { Answers, Needs, Route } from '../http/route';
import { Problem } from '../http/problem';
import { Shown } from '../http/schema';
import { Database, unavailable } from '../database/database';
import { Lifecycle } from './lifecycle';

class Health {
  @Shown({ type: 'string', enum: ['ok'] })
  status: 'ok';
}

@ApiTags('Operations')
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
  ) {}

  @Get('live')
  @Needs('public')
  @Route({ always: true })
  @Answers('Liveness: whether the process works', Health)
  live(): Health {
    return { status: 'ok' };
  }

  @Get('ready')
  @Needs('public')
  @Route({ always: true })
  @Answers('Readiness: whether requests can be served', Health)
  @ApiResponse({ status: 503, description: 'Not now.' })
  async ready(): Promise<Health> {
    if (this.lifecycle.stopping) throw new Problem('shutting_down');
    if (!(await this.database.isReady())) throw unavailable();
    return { status: 'ok' };
  }
}
