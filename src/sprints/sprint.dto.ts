import { calendarDay, Member, oneOf, ReadOnly, Ruled, text } from '../http/validation';
import { PageQuery } from '../http/listing';
import { Deleted, Shown, shown } from '../http/schema';
import { StoryView } from '../stories/story.dto';
import { TaskView } from '../tasks/task.dto';

export const SPRINT_STATES = ['planned', 'active', 'ended', 'completed'] as const;
export type SprintState = (typeof SPRINT_STATES)[number];

/** A sprint as clients see it. */
export class SprintView {
  @Shown(shown.id)
  id: number;

  @Shown(shown.text)
  board_name: string;

  @Shown(shown.text, { nullable: true })
  name: string | null;

  @Shown(shown.text, { nullable: true })
  goal: string | null;

  @Shown(shown.date)
  start_date: string;

  @Shown({ ...shown.date, description: 'Inclusive.' }, { nullable: true })
  end_date: string | null;

  @Shown({ type: 'string', enum: SPRINT_STATES })
  state: SprintState;

  @Shown(shown.instant, { nullable: true })
  completed_at: string | null;

  @Shown(shown.instant)
  created_at: string;

  @Shown(shown.instant)
  updated_at: string;

  @Shown(shown.id)
  version: number;
}

export class StoryWithTasks extends StoryView {
  @Shown({ type: () => [TaskView] })
  tasks: TaskView[];
}

/** A sprint with all that is in it. */
export class FullSprint extends SprintView {
  @Shown({ type: () => [StoryWithTasks] })
  stories: StoryWithTasks[];
}

export class SprintDeleted extends Deleted {
  @Shown(shown.count)
  stories_moved_to_backlog: number;
}

/** The fault of two dates, one of which may be the stored one. */
export const WRONG_ORDER = {
  code: 'out_of_range',
  detail: 'end_date must not be before start_date',
} as const;

@Ruled<SprintFields>(({ start_date, end_date }) =>
  start_date === undefined || end_date == null || start_date <= end_date
    ? []
    : [{ pointer: '/end_date', ...WRONG_ORDER }],
)
class SprintFields {
  @Member(calendarDay, {
    description: 'A date-time is taken for the calendar date that is written in it.',
    example: '2026-11-23',
  })
  start_date?: string;

  @Member(calendarDay, { nullable: true, description: 'Inclusive; not before `start_date`.' })
  end_date?: string | null;

  @Member(text(100), { nullable: true })
  name?: string | null;

  @Member(text(2000), { nullable: true })
  goal?: string | null;
}

export class CreateSprint extends SprintFields {
  @Member(calendarDay, { required: true, example: '2026-11-23' })
  override start_date: string;
}

@ReadOnly('id', 'board_name', 'state', 'completed_at', 'created_at', 'updated_at', 'version')
export class UpdateSprint extends SprintFields {}

export class SprintListQuery extends PageQuery {
  @Member(oneOf(...SPRINT_STATES))
  state?: SprintState;
}
