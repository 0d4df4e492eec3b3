import { ApiProperty } from '@nestjs/swagger';
import {
  CountField,
  DateField,
  EnumField,
  IdField,
  InstantField,
  IntegerField,
  PointsField,
} from '../http/responses/schema';
import { IsOneOf } from '../http/validation/choices';
import { IsDecimal, IsInt32, IsInteger } from '../http/validation/numbers';
import { MayBeAbsent, Rule } from '../http/validation/property';
import { SprintView } from '../sprints/sprint.dto';

export class ReportedStoryView {
  @IdField() id: number;
  /** The last title that it had on this board. */
  @ApiProperty() title: string;
  /** Null counts as 0. */
  @PointsField() points: number | null;
}

export class UnfinishedStoryView extends ReportedStoryView {
  /** Once the sprint is completed: the sprint that the story was carried over to, null for the backlog. */
  @IdField() carried_to?: number | null;
}

export class ReestimatedStoryView {
  @IdField() id: number;
  @ApiProperty() title: string;
  @PointsField() from: number | null;
  @PointsField() to: number | null;
}

export class ReportedStories {
  @CountField() count: number;
  @PointsField() points: number;
  /** By id. */
  @ApiProperty() stories: ReportedStoryView[];
}

export class UnfinishedStories extends ReportedStories {
  /** By id. */
  @ApiProperty() override stories: UnfinishedStoryView[];
}

export class ReestimatedStories {
  @CountField() count: number;
  /** The net change. */
  @ApiProperty() points: number;
  /** By id. */
  @ApiProperty() stories: ReestimatedStoryView[];
}

export const COMMITMENT_RULES = ['started', 'first_day', 'imported'] as const;

/** The report of a sprint: committed + added + re_estimated − removed = completed + unfinished. */
export class ReportView {
  @ApiProperty() sprint: SprintView;
  @InstantField({ description: 'The completion, or now.' }) as_of: string;
  @InstantField({ description: 'Null before anything is committed.' }) committed_at: string | null;
  /**
   * `started`: the stories in the sprint at `started_at`. `first_day`, if no client started it: the stories at
   * the end of the first day, from its start date on, at which it has a story. `imported`: the stories of the
   * sprint in the imported file.
   */
  @EnumField(COMMITMENT_RULES) commitment_rule: (typeof COMMITMENT_RULES)[number] | null;
  @ApiProperty() committed: ReportedStories;
  /** Stories that entered the sprint later, with their points at that time. */
  @ApiProperty() added: ReportedStories;
  /** Stories that are not in the sprint at the end, with their points when they left. */
  @ApiProperty() removed: ReportedStories;
  @ApiProperty() re_estimated: ReestimatedStories;
  @ApiProperty() completed: ReportedStories;
  @ApiProperty() unfinished: UnfinishedStories;
}

/** A sprint at the end of one calendar day in the time zone of its board, or now. */
export class BurndownDayView {
  @DateField() date: string;
  /** Whether it is a working day of the board. */
  @ApiProperty() working: boolean;
  @PointsField() scope_points: number;
  @PointsField() completed_points: number;
  @PointsField() remaining_points: number;
  /** In proportion to the working days that are still to come. Null without an `end_date`. */
  @PointsField() ideal_points: number | null;
  @CountField() scope_count: number;
  @CountField() completed_count: number;
  @CountField() remaining_count: number;
}

export class BurndownView {
  @ApiProperty() sprint: SprintView;
  /** As in the report: 0 before anything is committed. */
  @PointsField() committed_points: number;
  @CountField() committed_count: number;
  /** From the start date to the end date, the day of the completion, or today, whichever is first. */
  @ApiProperty() days: BurndownDayView[];
}

export class VelocitySprintView {
  @IdField() id: number;
  @ApiProperty() name: string | null;
  @DateField() start_date: string;
  @DateField() end_date: string | null;
  @InstantField() completed_at: string;
  @PointsField() committed_points: number;
  @PointsField() completed_points: number;
  /** Points that were carried over. */
  @PointsField() unfinished_points: number;
  @CountField() committed_count: number;
  @CountField() completed_count: number;
  @CountField() unfinished_count: number;
}

const AVERAGE = {
  description: 'Of the completed stories, to two decimals; null without a completed sprint.',
};

export class VelocityView {
  /** Oldest first. */
  @ApiProperty() sprints: VelocitySprintView[];
  @PointsField(AVERAGE) average_points: number | null;
  @PointsField(AVERAGE) median_points: number | null;
  @PointsField(AVERAGE) average_count: number | null;
  @PointsField(AVERAGE) median_count: number | null;
}

class ForecastHistory {
  /** The number of completed sprints that the forecast draws from. */
  @CountField() sprints: number;
}

class ForecastBacklog {
  /** Stories of the backlog that are not done. */
  @CountField() count: number;
  @PointsField() points: number;
}

class ForecastAsked {
  /** As in the request; null if the request does not name it. */
  @CountField() stories: number | null;
  /** As in the request; null if the request does not name it. */
  @PointsField() points: number | null;
  /** As in the request, else the median of the days from the start of one sprint to that of the next. */
  @CountField() sprint_days: number;
  /**
   * The first day of the first of the future sprints: the day after the end of the active sprint, else
   * today.
   */
  @DateField() from: string;
}

class ForecastWhen {
  /** The confidence: 50, 85 or 95. */
  @IntegerField() percent: number;
  /** The number of sprints; null if it exceeds 1,000. */
  @CountField() sprints: number | null;
  /** `from` plus `sprints` × `sprint_days` days; null if `sprints` is null, or after the year 9999. */
  @DateField() date: string | null;
}

class ForecastSprint {
  /** The confidence: 50, 85 or 95. */
  @IntegerField() percent: number;
  /** With this confidence, the sprint completes at least this many points. */
  @PointsField() points: number;
  /** With this confidence, the sprint completes at least this many stories. */
  @CountField() count: number;
}

export class ForecastView {
  @IntegerField() seed: number;
  @CountField() trials: number;
  @ApiProperty() history: ForecastHistory;
  @ApiProperty() backlog: ForecastBacklog;
  /** The parameters; if `stories` and `points` are null, the work is the backlog. */
  @ApiProperty() asked: ForecastAsked;
  /** When the work is done. */
  @ApiProperty() when: ForecastWhen[];
  /** How much the next sprint completes. */
  @ApiProperty() next_sprint: ForecastSprint[];
}

/** The query of a report that has a table. */
export class TableQuery {
  /** Takes precedence over `Accept`. */
  @MayBeAbsent() @IsOneOf(['json', 'csv']) format?: 'json' | 'csv';
}

export type Theme = 'auto' | 'light' | 'dark';

/** The query of a report that has a table and a picture. */
export class PictureQuery {
  /** Takes precedence over `Accept`. */
  @MayBeAbsent() @IsOneOf(['json', 'csv', 'svg', 'png']) format?: 'json' | 'csv' | 'svg' | 'png';
  /** The width of the picture in CSS pixels; a PNG has up to twice as many pixels. Default: 720. */
  @MayBeAbsent() @IsInteger(360, 1600) width?: number;
  /** The colours of the picture. Default: `auto`, the preference of the reader's browser; a PNG is light then. */
  @MayBeAbsent() @IsOneOf(['auto', 'light', 'dark']) theme?: Theme;
}

export class BurndownQuery extends PictureQuery {
  /** Whether the picture shows the remaining or the completed work. Default: `burndown`. */
  @MayBeAbsent() @IsOneOf(['burndown', 'burnup']) kind?: 'burndown' | 'burnup';
}

export class VelocityQuery extends PictureQuery {
  /** The number of completed sprints to show, the last ones. Default: 10. */
  @MayBeAbsent() @IsInteger(1, 100) last?: number;
}

/** The maximum work of a forecast request, in stories or points. */
const MAX_WORK = 1_000_000;

export class ForecastQuery extends PictureQuery {
  /** The same seed gives the same forecast. Default: 1. */
  @MayBeAbsent() @IsInt32() seed?: number;
  /** Default: 10,000. */
  @MayBeAbsent() @IsInteger(1, 10_000) trials?: number;

  /** The number of stories to be done. Default: the backlog. */
  @MayBeAbsent()
  @Rule<ForecastQuery>(
    'excluded',
    'cannot be combined with points',
    (_, { points }) => points === undefined,
  )
  @IsInteger(1, MAX_WORK)
  stories?: number;

  /** The points to be done, with at most two decimals. Default: the backlog. Not with `stories`. */
  @MayBeAbsent()
  @Rule<ForecastQuery>(
    'excluded',
    'cannot be combined with stories',
    (_, { stories }) => stories === undefined,
  )
  @IsDecimal(MAX_WORK)
  points?: number;

  /**
   * Days from the start of one future sprint to that of the next. Default: the median of the past sprints.
   */
  @MayBeAbsent() @IsInteger(1, 1000) sprint_days?: number;
}
