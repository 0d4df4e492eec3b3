import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Query } from '../http/input';
import { BoardName } from '../http/path';
import { AnswersIn, Rejects, RequireScope } from '../http/route';
import { sprintPaths, SprintReferenceOfPath } from '../sprints/sprint-id';
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
  )
  report(@SprintReferenceOfPath() reference: SprintReference, @Query() _query: TableQuery) {
    return this.reports.report(reference);
  }

  @Get(sprintPaths('burndown'))
  @RequireScope('read')
  @AnswersIn(BURNDOWN, 'Show burndown of a sprint, day by day', BurndownView)
  burndown(@SprintReferenceOfPath() reference: SprintReference, @Query() _query: BurndownQuery) {
    return this.reports.burndown(reference);
  }

  @Get('boards/:board_name/velocity')
  @RequireScope('read')
  @AnswersIn(VELOCITY, 'Show velocity: the last completed sprints', VelocityView)
  velocity(@BoardName() name: string, @Query() { last }: VelocityQuery) {
    return this.reports.velocity(name, last);
  }

  @Get('boards/:board_name/forecast')
  @RequireScope('read')
  @AnswersIn(
    FORECAST,
    'Show forecast: when the backlog is done, and what fits into the next sprint',
    ForecastView,
  )
  @Rejects('not_enough_history')
  forecast(@BoardName() name: string, @Query() query: ForecastQuery) {
    return this.reports.forecast(name, query);
  }
}
