import { Injectable } from '@nestjs/common';
import type { Caller } from '../http/caller';
import { requireMatch } from '../http/etag';
import { Problem } from '../http/problem';
import type { Change, LockedBoard } from '../database/change';
import type { Reader } from '../database/engine';
import { UnitOfWork } from '../database/unit-of-work';
import type { SprintView } from '../sprints/sprint.dto';
import { changeSprint, takeSprint } from '../sprints/sprints.service';
import { arrange } from '../stories/arrange';
import { seatedIn } from '../stories/reseat';
import { requireOpen } from '../stories/stories.service';
import type { CompleteSprint } from './completion.dto';

/** What is told of a sprint at an instant, by the log that the reader sees. */
export type Tell<Report> = (reader: Reader, sprintId: number, now: Date) => Promise<Report>;

/** Completes sprints, and undoes that. */
@Injectable()
export class CompletionService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Completes a sprint: its done stories stay, the others are carried over in their order. All of it
   * is one change, and its report is what `tell` makes of it before it is over, so that a dry run, which
   * is undone after that, has the same.
   * @throws Problem `sprint_completed`, `sprint_not_started`, `no_next_sprint_to_carry_to`, …
   */
  complete<Report>(
    caller: Caller,
    id: number,
    { unfinished = 'backlog', position = 'first', dry_run = false }: CompleteSprint,
    tell: Tell<Report>,
  ): Promise<Report> {
    const work = async (change: Change): Promise<Report> => {
      const { board, before } = await takeSprint(change, id);
      requireMatch(caller, before);
      if (before.state === 'completed') throw new Problem('sprint_completed');
      if (before.state === 'planned') throw new Problem('sprint_not_started');
      const sprintId = await targetOf(change, board, before, unfinished);
      const stories = await seatedIn(change, board, id, { done: false });
      await changeSprint(change, board, before, 'sprint.completed', { completed_at: change.now });
      await arrange(change, board, stories, { board, sprintId }, position);
      await change.flush();
      return tell(change, id, change.instant);
    };
    return dry_run ? this.unitOfWork.rehearse(caller, work) : this.unitOfWork.run(caller, work);
  }

  /** Undoes the completion of a sprint; what was carried over stays where it is. */
  reopen(caller: Caller, id: number): Promise<SprintView> {
    return this.unitOfWork.run(caller, async (change) => {
      const { board, before } = await takeSprint(change, id);
      requireMatch(caller, before);
      if (before.state !== 'completed') throw new Problem('sprint_not_completed');
      return changeSprint(change, board, before, 'sprint.reopened', { completed_at: null });
    });
  }
}

/** The sprint to which unfinished stories are carried over, or null for the backlog. */
async function targetOf(
  change: Change,
  board: LockedBoard,
  sprint: SprintView,
  unfinished: 'backlog' | 'next' | number,
): Promise<number | null> {
  if (unfinished === 'backlog') return null;
  if (unfinished === 'next') {
    const next = await change.first<{ id: number }>(
      `SELECT id FROM sprints WHERE board_id = ? AND completed_at IS NULL
       AND start_date >= ? AND (start_date > ? OR id > ?) ORDER BY start_date, id LIMIT 1`,
      [board.id, sprint.start_date, sprint.start_date, sprint.id],
    );
    if (!next) throw new Problem('no_next_sprint_to_carry_to');
    return next.id;
  }
  if (unfinished !== sprint.id && (await requireOpen(change, board, unfinished))) return unfinished;
  throw Problem.invalid([
    {
      pointer: '/unfinished',
      code: unfinished === sprint.id ? 'invalid_value' : 'not_found',
      detail: 'unfinished names no other sprint of the board',
    },
  ]);
}
