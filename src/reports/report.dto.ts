import { ApiProperty } from '@nestjs/swagger';
import { decimal, int32, integer, Member, oneOf, Ruled } from '../http/validation';
import { Shown, shown } from '../http/schema';
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

  @Shown({ ...shown.text, description: 'The last that it had on this board.' })
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
      'Once the sprint is completed: the sprint that it was carried over to, null for the backlog.',
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

/** What became of a sprint; committed + added + re_estimated − removed = completed + unfinished. */
export class ReportView implements Report {
  @Shown({ type: () => SprintView })
  sprint: SprintView;

  @Shown({ ...shown.instant, description: 'Of what it tells: the completion, or now.' })
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
        '`start`: what was in it at 00:00 of its first day. `first_day`, where nothing was: at the end ' +
        'of the first day that left something in it.',
    },
    { nullable: true },
  )
  commitment_rule: CommitmentRule | null;

  @Shown({ type: () => ReportedStories })
  committed: ReportedStories;

  @Shown({ type: () => ReportedStories, description: 'What came later, as it came in.' })
  added: ReportedStories;

  @Shown({ type: () => ReportedStories, description: 'What is not in it at the end, as it left.' })
  removed: ReportedStories;

  @Shown({ type: () => ReestimatedStories })
  re_estimated: ReestimatedStories;

  @Shown({ type: () => ReportedStories })
  completed: ReportedStories;

  @Shown({ type: () => UnfinishedStories })
  unfinished: UnfinishedStories;
}

/** A sprint at the end of one calendar day of its board's time zone; today's is as of now. */
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
      'From the start date to the end date, the day of completion, or today, whichever is first.',
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

  @Shown({ ...points, description: 'What was carried over.' })
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
  description: 'Of what was completed, to two decimals; null of no sprint.',
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
  @Shown({ ...shown.count, description: 'How many completed sprints it is drawn from.' })
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

  @Shown({ ...points, description: 'At least so many.' })
  points: number;

  @Shown({ ...shown.count, description: 'At least so many.' })
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

  @Shown({ type: () => [ForecastSprint], description: 'What the next sprint does.' })
  next_sprint: ForecastSprint[];
}

const format = { description: 'Says the same as `Accept`, and wins over it.' };

/** The parameters of what is a table. */
export class TableQuery {
  @Member(oneOf('json', 'csv'), format)
  format?: 'json' | 'csv';
}

/** The parameters of what is a table and a picture. */
export class PictureQuery {
  @Member(oneOf('json', 'csv', 'svg'), format)
  format?: 'json' | 'csv' | 'svg';
}

export class VelocityQuery extends PictureQuery {
  @Member(integer(1, 100), { description: 'So many of the last completed sprints; 10.' })
  last?: number;
}

/** How much work a forecast may be asked about. */
const MOST_WORK = 1_000_000;

@Ruled<ForecastQuery>((sent) =>
  'stories' in sent && 'points' in sent
    ? ['stories', 'points'].map((parameter) => ({
        parameter,
        code: 'excluded',
        detail: `${parameter} stands alone: work is counted in stories or in points`,
      }))
    : [],
)
export class ForecastQuery extends TableQuery {
  @Member(int32, { description: 'The same seed gives the same answer; 1.' })
  seed?: number;

  @Member(integer(1, 10_000), { description: '10,000.' })
  trials?: number;

  @Member(integer(1, MOST_WORK), {
    description: 'When so many stories are done, instead of the whole backlog.',
  })
  stories?: number;

  @Member(decimal(MOST_WORK), {
    description:
      'When so many points are done, instead of the whole backlog; at most two decimals. Not with `stories`.',
  })
  points?: number;

  @Member(integer(1, 1000), {
    description:
      'Calendar days of a sprint; the median length of the completed ones that it is drawn from.',
  })
  sprint_days?: number;
}
