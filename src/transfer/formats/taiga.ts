import { Pace } from '../../time/pace';
import { requireFields } from '../files/columns';
import { InvalidFile } from '../files/invalid-file';
import { fieldsOf, listOf, readJson, textOf, textsOf } from '../files/json';
import {
  Warnings,
  type Skipped,
  type SourceFile,
  type SourceReader,
  type SourceSprint,
  type SourceStatus,
  type SourceStory,
} from '../files/source';
import { IgnoredFields } from '../import/ignored';
import type { Mapping } from '../import/import.dto';

/** A project as Taiga exports it (JSON). Its issues are skipped, because they are not in the backlog. */
export const taiga: SourceReader = async (file, mapping) => {
  requireFields(mapping);
  const project = new TaigaProject(mapping);
  await readJson(
    file,
    {
      '$.points.*': (points) => project.addPoints(fieldsOf(points)),
      '$.us_statuses.*': (status) => project.addStatus('story', fieldsOf(status)),
      '$.task_statuses.*': (status) => project.addStatus('task', fieldsOf(status)),
      '$.milestones.*': (milestone) => project.addMilestone(fieldsOf(milestone)),
      '$.epics.*': (epic, number) => project.addEpic(fieldsOf(epic), number),
      '$.user_stories.*': (story, number) => project.addStory(fieldsOf(story), number),
      '$.tasks.*': (task, number) => project.addTask(fieldsOf(task), number),
      '$.issues.*': (issue, number) => project.skipIssue(fieldsOf(issue), number),
    },
    // Attachments are in the file, in base64.
    { drop: ['attachments', 'history'] },
  );
  return project.source();
};

interface Status {
  isClosed: boolean;
  isArchived: boolean;
}

/** A user story or a task. */
interface Row {
  line: number;
  ref: number | null;
  title: string;
  description: string | null;
  status: string;
  isClosed: boolean;
  milestone: string | null;
  assignee: string | null;
  tags: string[];
  done: string | null;
}

interface UserStory extends Row {
  /** Names of the points that each role gave. */
  points: string[];
  sprintOrder: number;
  backlogOrder: number;
}

interface Task extends Row {
  story: number | null;
  order: number;
}

class TaigaProject {
  /** Values of points by their names; null if the value is unknown. */
  private readonly points = new Map<string, number | null>();
  private readonly statuses = {
    story: new Map<string, Status>(),
    task: new Map<string, Status>(),
  };
  private readonly sprints: SourceSprint[] = [];
  private readonly stories: UserStory[] = [];
  private readonly tasks: Task[] = [];
  /** Titles of epics by the `ref` of their stories. */
  private readonly epics = new Map<number, string[]>();
  private readonly skipped: Skipped[] = [];
  private readonly warnings = new Warnings('entry');
  private readonly ignored = new IgnoredFields();

  constructor(private readonly mapping: Mapping) {}

  addPoints({ name, value }: Record<string, unknown>): void {
    this.points.set(textOf(name) ?? '', typeof value === 'number' ? value : null);
  }

  addStatus(of: 'story' | 'task', status: Record<string, unknown>): void {
    const isClosed = status.is_closed === true;
    const isArchived = status.is_archived === true;
    this.statuses[of].set(textOf(status.name) ?? '', { isClosed, isArchived });
  }

  addMilestone(milestone: Record<string, unknown>): void {
    const name = textOf(milestone.name);
    if (name === null) return;
    this.sprints.push({
      key: name,
      external_id: `taiga:sprint:${textOf(milestone.slug) ?? name}`,
      name,
      goal: null,
      start: textOf(milestone.estimated_start),
      end: textOf(milestone.estimated_finish),
      closed: milestone.closed === true,
      // Taiga does not write when it was closed.
      completed: null,
    });
  }

  addEpic(epic: Record<string, unknown>, line: number): void {
    const title = textOf(epic.subject);
    if (title === null) return;
    const detail = `"${title.slice(0, 100)}" is an epic: a label of its stories`;
    this.skipped.push({ line, code: 'epic', detail });
    for (const related of listOf(epic.related_user_stories)) {
      const { user_story: ref, source_project_slug: otherProject } = fieldsOf(related);
      if (typeof ref !== 'number' || otherProject) continue;
      const titles = this.epics.get(ref);
      if (titles) titles.push(title);
      else this.epics.set(ref, [title]);
    }
  }

  addStory(story: Record<string, unknown>, line: number): void {
    const row = this.row(story, line, story.finish_date);
    const others = textsOf(story.assigned_users).filter((user) => user !== row.assignee);
    const assignee = row.assignee ?? others.shift() ?? null;
    if (others.length > 0) {
      this.warnings.at('other_assignees', line, others.join(', '));
    }
    for (const field of ['client_requirement', 'team_requirement', 'swimlane']) {
      if (story[field]) this.ignored.count(field);
    }
    this.stories.push({
      ...row,
      assignee,
      points: listOf(story.role_points).flatMap((role) => textOf(fieldsOf(role).points) ?? []),
      sprintOrder: numberOf(story.sprint_order),
      backlogOrder: numberOf(story.backlog_order),
    });
  }

  addTask(task: Record<string, unknown>, line: number): void {
    const story = typeof task.user_story === 'number' ? task.user_story : null;
    const row = this.row(task, line, task.finished_date);
    if (story === null && this.mapping.subtasks !== 'stories') {
      this.skipped.push({
        line,
        code: 'task_without_story',
        detail: `task #${row.ref ?? '?'} belongs to no user story; it is imported if the mapping has subtasks "stories"`,
      });
      return;
    }
    this.tasks.push({ ...row, story, order: numberOf(task.us_order) });
  }

  skipIssue({ ref, subject }: Record<string, unknown>, line: number): void {
    const title = textOf(subject)?.slice(0, 100) ?? '';
    const detail = `#${typeof ref === 'number' ? ref : '?'} is an issue: ${title}`;
    this.skipped.push({ line, code: 'taiga_issue', detail });
  }

  /** @throws InvalidFile if the file is not a project, or the project is empty */
  async source(): Promise<SourceFile> {
    if (this.stories.length + this.sprints.length + this.tasks.length === 0) {
      throw new InvalidFile('The file has neither user stories nor sprints of Taiga.');
    }
    const stories: SourceStory[] = [];
    const pace = new Pace();
    for (const story of this.stories.toSorted(byOrder)) {
      stories.push(this.story(story));
      await pace.pause();
    }
    const tasks = this.tasks.toSorted((a, b) => a.order - b.order || refOf(a) - refOf(b));
    for (const task of tasks) {
      stories.push(this.task(task));
      await pace.pause();
    }
    this.ignored.addTo(this.warnings);
    const { sprints, skipped, warnings } = this;
    const lacks = {
      priority: true,
      points: stories.every(({ points }) => points === null),
      tasks: this.mapping.subtasks === 'skip',
    };
    return { sprints, stories, skipped, warnings, lacks };
  }

  private row(fields: Record<string, unknown>, line: number, done: unknown): Row {
    const ref = typeof fields.ref === 'number' ? fields.ref : null;
    const title = textOf(fields.subject) ?? '';
    if (fields.is_blocked === true) {
      const note = textOf(fields.blocked_note) ?? 'without a note';
      this.warnings.at('blocked', line, `"${title.slice(0, 80)}" is blocked, ${note}`);
    }
    this.ignored.count('due_date', fields.due_date ? 1 : 0);
    for (const [name, value] of Object.entries(fieldsOf(fields.custom_attributes_values))) {
      if (value !== null && value !== '') this.ignored.count(`custom attribute "${name}"`);
    }
    return {
      line,
      ref,
      title,
      description: textOf(fields.description),
      status: textOf(fields.status) ?? '',
      isClosed: fields.is_closed === true,
      milestone: textOf(fields.milestone),
      assignee: textOf(fields.assigned_to),
      // Some versions write each tag with its color.
      tags: listOf(fields.tags).flatMap((tag) => textOf(tag) ?? textOf(listOf(tag)[0]) ?? []),
      done: textOf(done),
    };
  }

  private story(story: UserStory): SourceStory {
    const [epic = null, ...epics] = this.epics.get(story.ref ?? NaN) ?? [];
    const isArchived = this.statuses.story.get(story.status)?.isArchived === true;
    return {
      ...this.common(story, this.statuses.story),
      points: this.sumOf(story.points),
      labels: [...epics, ...story.tags],
      epic,
      // Stories of a sprint are imported even if they are archived, because its reports need all of them.
      archived: isArchived && story.milestone === null,
      parent: null,
    };
  }

  private task(task: Task): SourceStory {
    return {
      ...this.common(task, this.statuses.task),
      points: null,
      labels: task.tags,
      epic: null,
      archived: false,
      parent: task.story === null ? null : `taiga:${task.story}`,
    };
  }

  private common(row: Row, statuses: Map<string, Status>) {
    const { line, ref, title, description, milestone, assignee, done } = row;
    return {
      line,
      external_id: ref === null ? null : `taiga:${ref}`,
      title,
      description,
      status: statusOf(row, statuses),
      priority: null,
      assignee,
      sprints: milestone === null ? [] : [milestone],
      done,
      tasks: [],
    };
  }

  /** Adds the points of all roles; null if no role estimated the story. */
  private sumOf(names: readonly string[]): number | null {
    const values = names.flatMap((name) => this.points.get(name) ?? []);
    if (values.length === 0) return null;
    return Math.round(values.reduce((sum, value) => sum + value, 0) * 100) / 100;
  }
}

/**
 * Taiga closes a story when all of its tasks are closed, whatever its status is. It does not state whether
 * work on an open story has begun, so the name of the status decides.
 */
function statusOf(row: Row, statuses: Map<string, Status>): SourceStatus | null {
  if (row.status === '') return null;
  const isClosed = row.isClosed || statuses.get(row.status)?.isClosed === true;
  return { name: row.status, ...(isClosed && { category: 'done' }) };
}

/** Compares stories by their positions in their lists. */
function byOrder(a: UserStory, b: UserStory): number {
  const order = ({ milestone, sprintOrder, backlogOrder }: UserStory): number =>
    milestone === null ? backlogOrder : sprintOrder;
  return order(a) - order(b) || refOf(a) - refOf(b);
}

const refOf = ({ ref }: Row): number => ref ?? Number.MAX_SAFE_INTEGER;

const numberOf = (value: unknown): number =>
  typeof value === 'number' ? value : Number.MAX_SAFE_INTEGER;
