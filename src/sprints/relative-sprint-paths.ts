import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Database } from '../database/database';
import { RelativePaths } from '../http/relative-paths';
import { Clock } from '../time/clock';
import { relativeReference } from './sprint-path';
import { SprintQueries } from './sprint.queries';

/** Checks the paths that name a sprint by a word. */
@Injectable()
export class RelativeSprintPaths extends RelativePaths {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sprints: SprintQueries,
  ) {
    super();
  }

  override async check(request: FastifyRequest): Promise<void> {
    const reference = relativeReference(request);
    if (reference) await this.sprints.get(this.database, reference, this.clock.now());
  }
}
