import { Controller, Post } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../../http/caller';
import { CurrentCaller } from '../../http/caller';
import { Body } from '../../http/input/parameters';
import { NewBoardName } from '../../http/input/path';
import { Answers, Rejects, Repeatable, RequireScope, Route } from '../../http/route';
import { Batch, BatchResult, RESULT_TYPES, SET_TYPES } from './batch.dto';
import { BatchService } from './batch.service';

@ApiTags('Boards')
@Controller('api')
export class BatchController {
  constructor(private readonly batches: BatchService) {}

  @Post('boards/:board_name/batch')
  @RequireScope('write')
  @Repeatable()
  @Route({ bodyFactor: 4, createsBoard: true, conditional: true })
  @Answers(
    'Run batch: many operations on a board, all or none',
    BatchResult,
    'Up to 1,000 creations, updates, deletions, moves, starts and completions in their order, in one transaction: the first operation that fails rolls back all of them, and `errors` names it. `as` names the resource that an operation creates; later operations may have `"$name"` instead of its id. `set` has the fields of the single request. `dry_run` shows the results and changes nothing.',
  )
  @ApiBody({ type: Batch })
  @ApiExtraModels(...SET_TYPES, ...RESULT_TYPES)
  @Rejects(
    'batch_too_large',
    'external_id_taken',
    'no_current_sprint',
    'no_next_sprint_to_carry_to',
    'seq_exhausted',
    'sprint_completed',
    'sprint_full',
    'sprint_not_begun',
    'sprint_not_found',
    'sprint_not_started',
    'story_not_found',
    'task_not_found',
    'too_many_tasks',
  )
  run(
    @CurrentCaller() caller: Caller,
    @NewBoardName() name: string,
    // The service validates it one operation at a time: a thousand of them take too long for one step.
    @Body() body: Record<string, unknown>,
  ) {
    return this.batches.run(caller, name, body);
  }
}
