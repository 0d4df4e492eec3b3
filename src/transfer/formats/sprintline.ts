import type { SprintView } from '../../sprints/sprint.dto';
import type { StoryView } from '../../stories/story.dto';
import type { TaskView } from '../../tasks/task.dto';
import { withPauses } from '../../time/time-slice';
import { linesOf } from '../export/export-lines';
import { parseLine } from '../export/export-validation';
import { Warnings } from '../files/source';
import type { ImportPlan, PlannedSprint, PlannedStory } from '../import/plan';
import type { Survey } from '../restore/restore-survey';

/** A row whose nullable fields may be absent, because an earlier version that wrote the file did not have them. */
type Earlier<T> = Omit<T, NullableKeys<T>> & Partial<Pick<T, NullableKeys<T>>>;
type NullableKeys<T> = { [K in keyof T]: null extends T[K] ? K : never }[keyof T];

interface Line {
  sprint?: Earlier<SprintView>;
  story?: Earlier<StoryView>;
  task?: Earlier<TaskView>;
}

const timeOf = (instant: string | null = null): Date | null =>
  instant === null ? null : new Date(instant);

/** Plans the import of an export without its log, whose rows were checked. @throws InvalidFile */
export async function planExport(
  file: AsyncIterable<Buffer>,
  { header }: Survey,
): Promise<ImportPlan> {
  const { time_zone, working_days } = header.board;
  const sprints: PlannedSprint[] = [];
  const stories: PlannedStory[] = [];
  for await (const { first, texts } of linesOf(file)) {
    for await (const [i, text] of withPauses(texts.entries())) {
      const line = first + i;
      const { sprint, story, task } = parseLine(line, text) as Line;
      if (sprint) sprints.push(planSprint(sprint));
      else if (story) stories.push(planStory(line, story));
      else if (task) {
        const { title, seq, status, assignee, external_id = null, created_at, done_at } = task;
        stories.at(-1)?.tasks?.push({
          line,
          title,
          seq,
          status,
          assignee,
          external_id,
          created_at: new Date(created_at),
          done_at: timeOf(done_at),
        });
      }
    }
  }
  return {
    board: { time_zone, working_days },
    sprints,
    stories,
    skipped: [],
    warnings: new Warnings(),
    unmapped: new Map(),
  };
}

const planSprint = ({
  external_id = null,
  name = null,
  goal = null,
  end_date = null,
  ...sprint
}: Earlier<SprintView>): PlannedSprint => ({
  key: String(sprint.id),
  external_id,
  name,
  goal,
  start_date: sprint.start_date,
  end_date,
  created_at: new Date(sprint.created_at),
  started_at: timeOf(sprint.started_at),
  completed_at: timeOf(sprint.completed_at),
});

/** The plan of a story: its sprint, its times, and all fields that a client can write. */
function planStory(
  line: number,
  { sprint_id = null, external_id = null, created_at, done_at, ...story }: Earlier<StoryView>,
): PlannedStory {
  const { id: _, board_name: _name, version: _version, updated_at: _updated, ...fields } = story;
  return {
    line,
    ...fields,
    external_id,
    sprints: sprint_id === null ? [] : [String(sprint_id)],
    created_at: new Date(created_at),
    done_at: timeOf(done_at),
    tasks: [],
  };
}
