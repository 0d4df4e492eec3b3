import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '../http/caller';
import { CurrentCaller } from '../http/caller';
import { Body } from '../http/input/parameters';
import { SprintId } from '../http/input/path';
import { Answers, AnswersAction, Rejects, RequireScope, Repeatable, Route } from '../http/route';
import { ReportView } from '../reports/report.dto';
import { actionPaths, SprintReferenceOfPath } from '../sprints/sprint-path';
import { SprintView } from '../sprints/sprint.dto';
import type { SprintReference } from '../sprints/sprint.queries';
import { CompleteSprint } from './completion.dto';
import { CompletionService } from './completion.service';

@ApiTags('Sprints')
@Controller('api')
export class CompletionController {
  constructor(private readonly completion: CompletionService) {}

  @Post(actionPaths('complete'))
  @RequireScope('write')
  @Repeatable()
  @Route({ conditional: true })
  @Answers(
    'Complete sprint: carry its unfinished stories over and report on it',
    ReportView,
    'Stories that are done stay in the sprint; the others are moved to the backlog, to the next sprint or to a given sprint, in their order and in one transaction. The response is the final report. With `dry_run`, nothing changes.',
  )
  @Rejects(
    'no_next_sprint_to_carry_to',
    'seq_exhausted',
    'sprint_completed',
    'sprint_full',
    'sprint_not_started',
  )
  complete(
    @CurrentCaller() caller: Caller,
    @SprintReferenceOfPath() reference: SprintReference,
    @Body() body: CompleteSprint,
  ) {
    return this.completion.complete(caller, reference, body);
  }

  @Post('sprints/:sprint_id/reopen')
  @RequireScope('write')
  @AnswersAction(
    'Reopen sprint',
    SprintView,
    'Makes a completed sprint open again. The stories that were carried over stay where they are.',
  )
  @Rejects('sprint_not_completed')
  reopen(@CurrentCaller() caller: Caller, @SprintId() id: number) {
    return this.completion.reopen(caller, id);
  }
}
