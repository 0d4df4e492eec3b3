import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { Database } from '../database/database';
import { PathWords } from '../http/path-words';
import type { SprintWord } from '../stories/sprint-words';
import { SprintWords } from '../stories/sprint-words';
import { calendarDate, Clock } from '../time/clock';
import { relativeReference } from './sprint-path';
import { SprintQueries } from './sprint.queries';

/** Finds the sprint that a word of a body names at the instant of the change. */
@Injectable()
export class SprintWordsOfBodies extends SprintWords {
  constructor(private readonly sprints: SprintQueries) {
    super();
  }

  protected override async find(
    change: Change,
    board: LockedBoard,
    word: SprintWord,
  ): Promise<number | undefined> {
    const today = calendarDate(change.instant, board.time_zone);
    return (await this.sprints.findRelative(change, board.id, word, today))?.id;
  }
}

/** Checks the paths that name a sprint by a word. */
@Injectable()
export class SprintWordsOfPaths extends PathWords {
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
