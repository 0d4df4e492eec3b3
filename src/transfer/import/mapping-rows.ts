import { MAX_TASKS } from '../../tasks/task.queries';
import { withPauses } from '../../time/time-slice';
import type { SourceFile, SourceStory, SourceTask } from '../files/source';
import type { Mapping, SkippedRow } from './import.dto';

/** A story to import, with its sub-tasks and the items of its checklists. */
interface MappedRow {
  source: SourceStory;
  tasks: SourceTask[];
}

/** The most levels of sub-tasks; more are a cycle. */
const MAX_LEVELS = 10;

/** Decides which rows of a file become stories, which become tasks, and which are skipped. */
export class MappedRows {
  readonly skipped: SkippedRow[];

  constructor(
    private readonly source: SourceFile,
    private readonly mapping: Mapping,
  ) {
    this.skipped = [...source.skipped];
  }

  /** The stories to import, with their sub-tasks. */
  async stories(): Promise<MappedRow[]> {
    const rows = new Map<string, SourceStory>();
    const kept: SourceStory[] = [];
    for await (const story of withPauses(this.source.stories)) {
      const { external_id: id, line } = story;
      if (id !== null && rows.has(id)) {
        const detail = `${id.slice(0, 100)} is in the file already`;
        this.skipped.push({ line, code: 'duplicate', detail });
        continue;
      }
      if (id !== null) rows.set(id, story);
      kept.push(story);
    }
    const stories = new Map<SourceStory, MappedRow>();
    const subtasks: { source: SourceStory; parent: SourceStory }[] = [];
    for await (const source of withPauses(kept)) {
      const parent = source.parent === null ? null : this.parentOf(source, rows);
      if (this.isSkipped(source, parent)) continue;
      if (parent && this.mapping.subtasks !== 'stories') subtasks.push({ source, parent });
      else {
        const row = { source, tasks: [] };
        this.addTasks(row, source.tasks);
        stories.set(source, row);
      }
    }
    for await (const { source, parent } of withPauses(subtasks)) {
      const row = stories.get(parent);
      if (!row) continue;
      this.warnOfLostFields(source);
      this.addTasks(row, [source, ...source.tasks]);
    }
    return [...stories.values()];
  }

  /** Finds the story that a sub-task belongs to, at most `MAX_LEVELS` levels above it. */
  private parentOf(story: SourceStory, rows: Map<string, SourceStory>): SourceStory | null {
    let parent: SourceStory | null = null;
    let id = story.parent;
    for (let level = 0; id !== null && level < MAX_LEVELS; level += 1) {
      const next = rows.get(id);
      if (!next) break;
      parent = next;
      id = next.parent;
    }
    const isFound = parent !== null && (id === null || !rows.has(id));
    if (isFound) return parent;
    if ((this.mapping.subtasks ?? 'tasks') === 'tasks') {
      const what = `"${story.title}" is a sub-task, but ${story.parent} is not in the file`;
      this.source.warnings.at('parent_missing', story.line, what);
    }
    return null;
  }

  private isSkipped(source: SourceStory, parent: SourceStory | null): boolean {
    const { line, external_id: id, title } = source;
    const what = `${id ?? 'the row'}: ${title}`.slice(0, 200);
    const isArchived = source.archived || (parent?.archived && this.mapping.subtasks !== 'stories');
    if (isArchived && this.mapping.archived !== 'import') {
      this.skipped.push({ line, code: 'archived', detail: `${what} is archived` });
      return true;
    }
    if (source.parent !== null && this.mapping.subtasks === 'skip') {
      this.skipped.push({ line, code: 'subtask', detail: `${what} is a sub-task` });
      return true;
    }
    return false;
  }

  private addTasks(row: MappedRow, tasks: readonly SourceTask[]): void {
    for (const source of tasks) {
      if (row.tasks.length >= MAX_TASKS) {
        const detail = `${source.title.slice(0, 100)}: the story has ${MAX_TASKS} tasks already`;
        this.skipped.push({ line: source.line, code: 'too_many_tasks', detail });
      } else {
        row.tasks.push(source);
      }
    }
  }

  /** Warns of the fields that a sub-task loses, because tasks have fewer fields than stories. */
  private warnOfLostFields(story: SourceStory): void {
    const lost = [
      story.description !== null && 'description',
      story.points !== null && 'points',
      story.labels.length > 0 && 'labels',
    ].filter((field) => field !== false);
    if (lost.length > 0) {
      this.source.warnings.at(
        'task_fields_dropped',
        story.line,
        `${story.title.slice(0, 80)}: a task has no ${lost.join(', ')}`,
      );
    }
  }
}
