import { withPauses } from '../../time/time-slice';
import { requireFields } from '../files/columns';
import { InvalidFile } from '../files/invalid-file';
import { fieldsOf, listOf, readJson, textOf, textsOf } from '../files/json';
import { sorted } from '../files/sorted';
import {
  Warnings,
  type SourceFile,
  type SourceReader,
  type SourceSprint,
  type SourceStory,
} from '../files/source';
import { IgnoredFields } from '../import/ignored';
import type { Mapping, SkippedRow } from '../import/import.dto';

/** A project as Taiga exports it (JSON). Its issues are skipped, because they are not in the backlog. */
export const taiga: SourceReader = async (file, mapping) => {
  requireFields(mapping);
  const project = new TaigaProject(mapping);
  await readJson(file, {
    '$.points.*': (points) => project.addPoints(fieldsOf(points)),
    '$.us_statuses.*': (status) => project.addStatus('story', fieldsOf(status)),
    '$.task_statuses.*': (status) => project.addStatus('task', fieldsOf(status)),
    '$.milestones.*': (milestone) => project.addMilestone(fieldsOf(milestone)),
    '$.epics.*': (epic, number) => project.addEpic(fieldsOf(epic), number),
    '$.user_stories.*': (story, number) => project.addStory(fieldsOf(story), number),
    '$.tasks.*': (task, number) => project.addTask(fieldsOf(task), number),
    '$.issues.*': (issue, number) => project.skipIssue(fieldsOf(issue), number),
  });
  return project.source();
};

interface TaigaStatus {
  isClosed: boolean;
  isArchived: boolean;
}

/** A user story or a task. What depends on other lists of the file is added once it has been read. */
interface Row {
  story: SourceStory;
  ref: number | null;
  isClosed: boolean;
  /** Its position in its list. */
  order: number;
  /** Names of the points that each role gave to a user story. */
  points: string[];
}

class TaigaProject {
  /** Values of points by their names; null if the value is unknown. */
  private readonly points = new Map<string, number | null>();
  private readonly statuses = {
    story: new Map<string, TaigaStatus>(),
    task: new Map<string, TaigaStatus>(),
  };
  private readonly sprints: SourceSprint[] = [];
  private readonly stories: Row[] = [];
  private readonly tasks: Row[] = [];
  /** Titles of epics by the `ref` of their stories. */
  private readonly epics = new Map<number, string[]>();
  private readonly skipped: SkippedRow[] = [];
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

  addStory(fields: Record<string, unknown>, line: number): void {
    const { sprint_order, backlog_order, finish_date } = fields;
    const order = textOf(fields.milestone) === null ? backlog_order : sprint_order;
    const row = this.row(fields, line, order, finish_date);
    const { story } = row;
    const others = textsOf(fields.assigned_users).filter((user) => user !== story.assignee);
    story.assignee ??= others.shift() ?? null;
    if (others.length > 0) this.warnings.at('other_assignees', line, others.join(', '));
    for (const field of ['client_requirement', 'team_requirement', 'swimlane']) {
      if (fields[field]) this.ignored.count(field);
    }
    row.points = listOf(fields.role_points).flatMap((role) => textOf(fieldsOf(role).points) ?? []);
    this.stories.push(row);
  }

  addTask(fields: Record<string, unknown>, line: number): void {
    const { user_story: story, us_order, finished_date } = fields;
    const row = this.row(fields, line, us_order, finished_date);
    if (typeof story === 'number') row.story.parent = `taiga:${story}`;
    else if (this.mapping.subtasks !== 'stories') {
      this.skipped.push({
        line,
        code: 'task_without_story',
        detail: `task #${row.ref ?? '?'} belongs to no user story; it is imported if the mapping has subtasks "stories"`,
      });
      return;
    }
    this.tasks.push(row);
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
    for await (const row of withPauses(await sorted(this.stories, byOrder))) {
      this.complete(row);
      setStatus(row, this.statuses.story);
      stories.push(row.story);
    }
    for await (const row of withPauses(await sorted(this.tasks, byOrder))) {
      setStatus(row, this.statuses.task);
      stories.push(row.story);
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

  private row(fields: Record<string, unknown>, line: number, order: unknown, done: unknown): Row {
    const ref = typeof fields.ref === 'number' ? fields.ref : null;
    const title = textOf(fields.subject) ?? '';
    const status = textOf(fields.status);
    if (fields.is_blocked === true) {
      const note = textOf(fields.blocked_note) ?? 'without a note';
      this.warnings.at('blocked', line, `"${title.slice(0, 80)}" is blocked, ${note}`);
    }
    this.ignored.count('due_date', fields.due_date ? 1 : 0);
    for (const [name, value] of Object.entries(fieldsOf(fields.custom_attributes_values))) {
      if (value !== null && value !== '') this.ignored.count(`custom attribute "${name}"`);
    }
    return {
      story: {
        line,
        external_id: ref === null ? null : `taiga:${ref}`,
        title,
        description: textOf(fields.description),
        status: status === null ? null : { name: status },
        priority: null,
        points: null,
        assignee: textOf(fields.assigned_to),
        // Some versions write each tag with its color.
        labels: listOf(fields.tags).flatMap((tag) => textOf(tag) ?? textOf(listOf(tag)[0]) ?? []),
        epic: null,
        sprints: textsOf([fields.milestone]),
        done: textOf(done),
        archived: false,
        parent: null,
        tasks: [],
      },
      ref,
      isClosed: fields.is_closed === true,
      order: typeof order === 'number' ? order : Number.MAX_SAFE_INTEGER,
      points: [],
    };
  }

  /** Adds the points and the epics of a user story. */
  private complete({ ref, story, points }: Row): void {
    const [epic = null, ...epics] = this.epics.get(ref ?? NaN) ?? [];
    const isArchived = this.statuses.story.get(story.status?.name ?? '')?.isArchived === true;
    story.points = this.sumOf(points);
    story.labels = [...epics, ...story.labels];
    story.epic = epic;
    // Stories of a sprint are imported even if they are archived, because its reports need all of them.
    story.archived = isArchived && story.sprints.length === 0;
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
function setStatus({ story: { status }, isClosed }: Row, statuses: Map<string, TaigaStatus>): void {
  if (status && (isClosed || statuses.get(status.name)?.isClosed)) status.category = 'done';
}

/** Compares rows by their positions in their lists. */
const byOrder = (a: Row, b: Row): number => a.order - b.order || refOf(a) - refOf(b);

const refOf = ({ ref }: Row): number => ref ?? Number.MAX_SAFE_INTEGER;
