import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Client } from '../http/client';
import { CurrentClient } from '../http/caller';
import { Query } from '../http/input/parameters';
import { BoardName } from '../http/input/path';
import { AnswersIn, Rejects, RequireScope } from '../http/route';
import { sprintPaths, SprintReferenceOfPath } from '../sprints/sprint-path';
import type { SprintReference } from '../sprints/sprint.queries';
import {
  BurndownQuery,
  BurndownView,
  ForecastQuery,
  ForecastView,
  ReportView,
  TableQuery,
  VelocityQuery,
  VelocityView,
} from './report.dto';
import { BURNDOWN, FORECAST, REPORT, VELOCITY } from './report.formats';
import { ReportsService } from './reports.service';

// The unused queries are declared, because `format` is validated with them; `writeResponses` in http/responses reads it.
@ApiTags('Reports')
@Controller('api')
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Get(sprintPaths('report'))
  @RequireScope('read')
  @AnswersIn(
    REPORT,
    'Show report of a sprint: what was committed, added, removed, completed and left over',
    ReportView,
    'Computed from the event log: committed + added + re-estimated − removed = completed + unfinished. The report of a completed sprint does not change any more.',
  )
  report(
    @CurrentClient() client: Client,
    @SprintReferenceOfPath() reference: SprintReference,
    @Query() _query: TableQuery,
  ) {
    return this.reports.report(client, reference);
  }

  @Get(sprintPaths('burndown'))
  @RequireScope('read')
  @AnswersIn(
    BURNDOWN,
    'Show burndown of a sprint, day by day',
    BurndownView,
    'A row for each calendar day in the time zone of the board, with the state at the end of that day; the last row agrees with the report.',
  )
  burndown(
    @CurrentClient() client: Client,
    @SprintReferenceOfPath() reference: SprintReference,
    @Query() _query: BurndownQuery,
  ) {
    return this.reports.burndown(client, reference);
  }

  @Get('boards/:board_name/velocity')
  @RequireScope('read')
  @AnswersIn(
    VELOCITY,
    'Show velocity: the last completed sprints',
    VelocityView,
    'What the last completed sprints committed to and completed, with the average and the median.',
  )
  velocity(
    @CurrentClient() client: Client,
    @BoardName() name: string,
    @Query() { last }: VelocityQuery,
  ) {
    return this.reports.velocity(client, name, last);
  }

  @Get('boards/:board_name/forecast')
  @RequireScope('read')
  @AnswersIn(
    FORECAST,
    'Show forecast: when the backlog is done, and what fits into the next sprint',
    ForecastView,
    'A Monte Carlo simulation that draws from the completed sprints of the board; it needs at least three. With the same `seed` the result is the same.',
  )
  @Rejects('not_enough_history')
  forecast(
    @CurrentClient() client: Client,
    @BoardName() name: string,
    @Query() query: ForecastQuery,
  ) {
    return this.reports.forecast(client, name, query);
  }
}
