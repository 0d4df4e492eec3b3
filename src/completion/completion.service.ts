import { Injectable } from '@nestjs/common';
import type { Change } from '../database/change';
import { Database } from '../database/database';
import { isRepeated } from '../database/idempotency';
import { UnitOfWork } from '../database/unit-of-work';
import type { Caller } from '../http/caller';
import { fieldError, Problem } from '../http/problem';
import type { ReportView } from '../reports/report.dto';
import { ReportsService } from '../reports/reports.service';
import { SprintChanges } from '../sprints/sprint-changes.service';
import type { SprintView } from '../sprints/sprint.dto';
import type { SprintReference, SprintRow } from '../sprints/sprint.queries';
import { SprintQueries } from '../sprints/sprint.queries';
import { findBriefStoriesOfSprint } from '../stories/brief-story.queries';
import { StoryOrder } from '../stories/story-order.service';
import { requireSpace } from '../stories/story.queries';
import type { CompleteSprint } from './completion.dto';

/** Completes and reopens sprints. */
@Injectable()
export class CompletionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly database: Database,
    private readonly sprints: SprintQueries,
    private readonly sprintChanges: SprintChanges,
    private readonly storyOrder: StoryOrder,
    private readonly reports: ReportsService,
  ) {}

  /**
   * Completes a sprint in one change: finished stories stay, the others are carried over in their order.
   * The report is read inside the change, so that a dry run, which is rolled back, returns the same one.
   * @throws Problem `sprint_completed`, `sprint_not_started`, `no_next_sprint_to_carry_to`, …
   */
  async complete(
    caller: Caller,
    reference: SprintReference,
    { dry_run = false, ...body }: CompleteSprint,
  ): Promise<ReportView> {
    // A repeated request gets the stored response, and must not wait for a replay.
    let replayed = (await isRepeated(this.database, caller.idempotency))
      ? undefined
      : await this.reports.replayed({ key: caller.clientKey }, reference);
    const work = async (change: Change): Promise<ReportView> => {
      const { id } = await this.completeIn(change, reference, body);
      // The report is read from the log.
      await change.flush();
      const earlier = replayed;
      // `reportOf` adds the events of this attempt to the replay, so another attempt must read the whole log.
      replayed = undefined;
      return this.reports.reportOf(change, id, change.instant, earlier);
    };
    return this.unitOfWork.run(caller, work, { dryRun: dry_run });
  }

  /** Completes a sprint as part of a change, as `complete` does; returns the sprint. */
  async completeIn(
    change: Change,
    reference: SprintReference,
    { unfinished = 'backlog', position = 'first' }: Omit<CompleteSprint, 'dry_run'>,
  ): Promise<SprintView> {
    const locked = await this.sprintChanges.lockIfMatch(change, reference);
    const { board, row, sprint } = locked;
    if (sprint.state === 'completed') {
      throw new Problem('sprint_completed', 'The sprint is already completed.');
    }
    if (sprint.state === 'planned') throw new Problem('sprint_not_started');
    const sprintId = await this.targetOf(change, row, unfinished);
    const stories = await findBriefStoriesOfSprint(change, board.id, row.id, { done: false });
    await requireSpace(change, { board, sprintId }, stories.length);
    await change.pause();
    const columns = { completed_at: change.instant };
    const completed = await this.sprintChanges.write(change, locked, 'sprint.completed', columns);
    await this.storyOrder.place(change, board, stories, { board, sprintId }, position);
    return completed;
  }

  /** Reopens a completed sprint; stories that were carried over stay where they are. */
  reopen(caller: Caller, id: number): Promise<SprintView> {
    return this.unitOfWork.run(caller, async (change) => {
      const locked = await this.sprintChanges.lockIfMatch(change, id);
      if (locked.sprint.state !== 'completed') throw new Problem('sprint_not_completed');
      return this.sprintChanges.write(change, locked, 'sprint.reopened', { completed_at: null });
    });
  }

  /** The sprint that unfinished stories are carried over to; null is the backlog. */
  private async targetOf(
    change: Change,
    sprint: SprintRow,
    unfinished: 'backlog' | 'next' | number,
  ): Promise<number | null> {
    if (unfinished === 'backlog') return null;
    if (unfinished === 'next') {
      const next = await this.sprints.findFollowing(change, sprint, { open: true });
      if (!next) throw new Problem('no_next_sprint_to_carry_to');
      return next.id;
    }
    const isItself = unfinished === sprint.id;
    const target = isItself ? undefined : await this.sprints.find(change, unfinished);
    if (target?.board_id === sprint.board_id) {
      if (target.completed_at !== null) {
        throw new Problem(
          'sprint_completed',
          'The sprint for the unfinished stories is completed.',
        );
      }
      return target.id;
    }
    const code = isItself ? 'invalid_value' : 'not_found';
    const text = 'must be the id of another sprint of the board';
    throw Problem.invalid([fieldError('pointer', 'unfinished', code, text)]);
  }
}
