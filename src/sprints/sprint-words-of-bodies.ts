import { Injectable } from '@nestjs/common';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import type { SprintWord } from '../stories/sprint-words';
import { SprintWords } from '../stories/sprint-words';
import { calendarDate } from '../time/clock';
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
