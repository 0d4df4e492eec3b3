import { ApiProperty } from '@nestjs/swagger';
import { Shown, shown } from '../http/schema';
import { Check, Doc, IsDecimal, IsInt32, IsInteger, IsOneOf, Optional } from '../http/validation';
import { SprintView } from '../sprints/sprint.dto';
import type { BurndownDay, BurndownDays } from './burndown';
import type { ForecastAnswer } from './forecast';
import type {
  CommitmentRule,
  ReestimatedStory,
  Report,
  ReportedStory,
  ReportGroup,
  UnfinishedStory,
} from './report';
import type { Velocity, VelocitySprint } from './velocity';

const points = { type: 'number', minimum: 0 } as const;

export class ReportedStoryView implements ReportedStory {
  @Shown(shown.id)
  id: number;

  @Shown({ ...shown.text, description: 'The last title that it had on this board.' })
  title: string;

  @Shown({ ...points, description: 'Null counts 0.' }, { nullable: true })
  points: number | null;
}

export class UnfinishedStoryView extends ReportedStoryView implements UnfinishedStory {
  @ApiProperty({
    ...shown.id,
    nullable: true,
    required: false,
    description:
      'Once the sprint is completed: the sprint that the story was carried over to, null for the backlog.',
  })
  carried_to?: number | null;
}

export class ReestimatedStoryView implements ReestimatedStory {
  @Shown(shown.id)
  id: number;

  @Shown(shown.text)
  title: string;

  @Shown(points, { nullable: true })
  from: number | null;

  @Shown(points, { nullable: true })
  to: number | null;
}

export class ReportedStories implements ReportGroup<ReportedStory> {
  @Shown(shown.count)
  count: number;

  @Shown(points)
  points: number;

  @Shown({ type: () => [ReportedStoryView], description: 'By id.' })
  stories: ReportedStoryView[];
}

export class UnfinishedStories extends ReportedStories implements ReportGroup<UnfinishedStory> {
  @Shown({ type: () => [UnfinishedStoryView], description: 'By id.' })
  override stories: UnfinishedStoryView[];
}

export class ReestimatedStories {
  @Shown(shown.count)
  count: number;

  @Shown({ ...shown.number, description: 'The net change.' })
  points: number;

  @Shown({ type: () => [ReestimatedStoryView], description: 'By id.' })
  stories: ReestimatedStoryView[];
}

/** The report of a sprint: committed + added + re_estimated − removed = completed + unfinished. */
export class ReportView implements Report {
  @Shown({ type: () => SprintView })
  sprint: SprintView;

  @Shown({ ...shown.instant, description: 'The completion, or now.' })
  as_of: string;

  @Shown(
    { ...shown.instant, description: 'Null before anything is committed.' },
    { nullable: true },
  )
  committed_at: string | null;

  @Shown(
    {
      type: 'string',
      enum: ['start', 'first_day'] satisfies CommitmentRule[],
      description:
        '`start`: the stories in the sprint at 00:00 of its first day. `first_day`, if there were none: ' +
        'those at the end of the first day that left a story in it.',
    },
    { nullable: true },
  )
  commitment_rule: CommitmentRule | null;

  @Shown({ type: () => ReportedStories })
  committed: ReportedStories;

  @Shown({ type: () => ReportedStories, description: 'Stories that came later, as they came in.' })
  added: ReportedStories;

  @Shown({
    type: () => ReportedStories,
    description: 'Stories that are not in it at the end, as they left.',
  })
  removed: ReportedStories;

  @Shown({ type: () => ReestimatedStories })
  re_estimated: ReestimatedStories;

  @Shown({ type: () => ReportedStories })
  completed: ReportedStories;

  @Shown({ type: () => UnfinishedStories })
  unfinished: UnfinishedStories;
}

/** A sprint at the end of one calendar day in the time zone of its board, or now. */
export class BurndownDayView implements BurndownDay {
  @Shown(shown.date)
  date: string;

  @Shown(points)
  scope_points: number;

  @Shown(points)
  completed_points: number;

  @Shown(points)
  remaining_points: number;

  @Shown({ ...points, description: 'Null without an `end_date`.' }, { nullable: true })
  ideal_points: number | null;

  @Shown(shown.count)
  scope_count: number;

  @Shown(shown.count)
  completed_count: number;

  @Shown(shown.count)
  remaining_count: number;
}

export class BurndownView {
  @Shown({ type: () => SprintView })
  sprint: SprintView;

  @Shown({
    type: () => [BurndownDayView],
    description:
      'From the start date to the end date, the day of the completion, or today, whichever is first.',
  })
  days: BurndownDays;
}

export class VelocitySprintView implements VelocitySprint {
  @Shown(shown.id)
  id: number;

  @Shown(shown.text, { nullable: true })
  name: string | null;

  @Shown(shown.date)
  start_date: string;

  @Shown(shown.date, { nullable: true })
  end_date: string | null;

  @Shown(shown.instant)
  completed_at: string;

  @Shown(points)
  committed_points: number;

  @Shown(points)
  completed_points: number;

  @Shown({ ...points, description: 'Points that were carried over.' })
  unfinished_points: number;

  @Shown(shown.count)
  committed_count: number;

  @Shown(shown.count)
  completed_count: number;

  @Shown(shown.count)
  unfinished_count: number;
}

const average = {
  ...points,
  description: 'Of the completed stories, to two decimals; null without a sprint.',
} as const;

export class VelocityView implements Velocity {
  @Shown({ type: () => [VelocitySprintView], description: 'Oldest first.' })
  sprints: VelocitySprintView[];

  @Shown(average, { nullable: true })
  average_points: number | null;

  @Shown(average, { nullable: true })
  median_points: number | null;

  @Shown(average, { nullable: true })
  average_count: number | null;

  @Shown(average, { nullable: true })
  median_count: number | null;
}

class ForecastHistory {
  @Shown({
    ...shown.count,
    description: 'The number of completed sprints that the forecast draws from.',
  })
  sprints: number;
}

class ForecastBacklog {
  @Shown({ ...shown.count, description: 'Stories of the backlog that are not done.' })
  count: number;

  @Shown(points)
  points: number;
}

const percent = {
  ...shown.integer,
  description: 'The confidence: 50, 85 or 95.',
} as const;

class ForecastWhen {
  @Shown(percent)
  percent: number;

  @Shown({ ...shown.count, description: 'Null beyond 1,000.' }, { nullable: true })
  sprints: number | null;

  @Shown(
    { ...shown.date, description: 'The last day of the last of these sprints.' },
    { nullable: true },
  )
  date: string | null;
}

class ForecastSprint {
  @Shown(percent)
  percent: number;

  @Shown({ ...points, description: 'The least with this confidence.' })
  points: number;

  @Shown({ ...shown.count, description: 'The least with this confidence.' })
  count: number;
}

export class ForecastView implements ForecastAnswer {
  @Shown(shown.integer)
  seed: number;

  @Shown(shown.count)
  trials: number;

  @Shown({ type: () => ForecastHistory })
  history: ForecastHistory;

  @Shown({ type: () => ForecastBacklog })
  backlog: ForecastBacklog;

  @Shown({ type: () => [ForecastWhen], description: 'When the work is done.' })
  when: ForecastWhen[];

  @Shown({ type: () => [ForecastSprint], description: 'How much the next sprint completes.' })
  next_sprint: ForecastSprint[];
}

const format = { description: 'Takes precedence over `Accept`.' };

/** The query of a report that has a table. */
export class TableQuery {
  @Doc(format)
  @Optional()
  @IsOneOf(['json', 'csv'])
  format?: 'json' | 'csv';
}

/** The query of a report that has a table and a picture. */
export class PictureQuery {
  @Doc(format)
  @Optional()
  @IsOneOf(['json', 'csv', 'svg'])
  format?: 'json' | 'csv' | 'svg';
}

export class VelocityQuery extends PictureQuery {
  @Doc({ description: 'The number of last completed sprints; 10 by default.' })
  @Optional()
  @IsInteger(1, 100)
  last?: number;
}

/** The most work that a forecast can be requested for. */
const MAX_WORK = 1_000_000;

export class ForecastQuery extends TableQuery {
  @Doc({ description: 'The same seed gives the same answer; 1 by default.' })
  @Optional()
  @IsInt32()
  seed?: number;

  @Doc({ description: '10,000 by default.' })
  @Optional()
  @IsInteger(1, 10_000)
  trials?: number;

  @Doc({ description: 'The number of stories to be done, instead of the whole backlog.' })
  @Optional()
  @Check<ForecastQuery>(
    'excluded',
    'cannot be combined with points',
    (_, { points }) => points === undefined,
  )
  @IsInteger(1, MAX_WORK)
  stories?: number;

  @Doc({
    description:
      'The points to be done, instead of the whole backlog; at most two decimals. Not with `stories`.',
  })
  @Optional()
  @Check<ForecastQuery>(
    'excluded',
    'cannot be combined with stories',
    (_, { stories }) => stories === undefined,
  )
  @IsDecimal(MAX_WORK)
  points?: number;

  @Doc({
    description:
      'Calendar days of a sprint; by default the median of the sprints that it draws from.',
  })
  @Optional()
  @IsInteger(1, 1000)
  sprint_days?: number;
}
