import type { Steps } from '../reports/steps';
import { inSteps } from '../reports/steps';
import type { Status } from '../stories/story.entity';
import { Dates, OrderFinder } from './dates';
import type { DateOrder, Mapping } from './import.dto';
import { priorityOf, statusOf } from './known-names';
import type { ImportPlan, PlanContext, PlannedSprint, PlannedStory, PlannedTask } from './plan';
import { pointsReader } from './points-text';
import type { SourceField, SourceFile, SourceStatus, SourceStory, SourceTask } from './source';
import { planSprints } from './sprint-plan';
import { Texts } from './texts';

const MAX_TASKS = 1000;
const MAX_LABELS = 20;
const INT32 = [-2_147_483_648, 2_147_483_647] as const;
/** Stories that are mapped in less than 10 ms. */
const STEP = 200;

/**
 * Makes a plan of what a file has: decides about statuses, priorities, dates, sub-tasks, and what is over
 * a limit. It has no effects, and other requests run meanwhile.
 * @throws InvalidFile `ambiguous_dates`
 */
export function mapSource(
  source: SourceFile,
  mapping: Mapping,
  context: PlanContext,
): Promise<ImportPlan> {
  return inSteps(new Mapper(source, mapping, context).plan());
}

/** A story or a task of the file, with its status decided. */
interface Item<Source extends SourceStory | SourceTask> {
  source: Source;
  status: Status | undefined;
  /** Sub-tasks and items of checklists. */
  tasks: Item<SourceStory | SourceTask>[];
}

const sameCase = (name: string): string => name.trim().toLowerCase();

class Mapper {
  private readonly texts: Texts;
  private readonly statuses: Map<string, Status>;
  private readonly priorities: Map<string, number>;
  private readonly timeZone: string;
  private readonly skipped: ImportPlan['skipped'];
  private readonly unmapped = new Map<string, number>();
  /** What the statuses of the file became. */
  private readonly usedStatuses = new Map<string, Set<Status>>();
  private readonly usedPriorities = new Map<string, number>();
  private readonly ids = new Set<string>();
  private readonly points: (text: string | number, line: number) => number | null;
  private dates: Dates;

  constructor(
    private readonly source: SourceFile,
    private readonly mapping: Mapping,
    private readonly context: PlanContext,
  ) {
    this.texts = new Texts(source.warnings, source.format.endsWith('csv') ? 'line' : 'entry');
    this.statuses = byName(mapping.status);
    this.priorities = byName(mapping.priority);
    this.timeZone = mapping.time_zone ?? context.timeZone;
    this.skipped = [...source.skipped];
    this.points = pointsReader(source.stories, this.texts);
    for (const [column, field] of Object.entries(source.columns ?? {})) {
      if (field === null) source.warnings.add('unknown_column', column);
    }
  }

  *plan(): Steps<ImportPlan> {
    const items = yield* this.items();
    const finder = yield* this.datesOf(items);
    const order = this.mapping.date_order ?? finder.order();
    this.dates = new Dates(order, this.timeZone);
    const { sprints, sprintsOf } = yield* planSprints(this.source, this.mapping, {
      now: this.context.now,
      timeZone: this.timeZone,
      dates: this.dates,
      texts: this.texts,
      stories: items.map(({ source, status }) => ({ source, isOpen: status !== 'done' })),
    });
    const stories: PlannedStory[] = [];
    for (const item of items) {
      stories.push(this.story(item, sprintsOf));
      if (stories.length % STEP === 0) yield;
    }
    return {
      sprints,
      stories,
      skipped: this.skipped.sort((a, b) => a.line - b.line),
      warnings: this.source.warnings,
      unmapped: this.unmapped,
      mapping: this.applied(finder.matters ? order : undefined, sprints),
    };
  }

  /** The stories to import, with their sub-tasks. */
  private *items(): Steps<Item<SourceStory>[]> {
    const rows = new Map<string, SourceStory>();
    const kept: SourceStory[] = [];
    for (const [i, story] of this.source.stories.entries()) {
      if (i % STEP === STEP - 1) yield;
      if (!this.isNew(story)) continue;
      if (story.external_id !== null) rows.set(story.external_id, story);
      kept.push(story);
    }
    const stories = new Map<SourceStory, Item<SourceStory>>();
    const subtasks: { source: SourceStory; parent: SourceStory }[] = [];
    for (const [i, source] of kept.entries()) {
      if (i % STEP === STEP - 1) yield;
      const parent = source.parent === null ? null : this.parentOf(source, rows);
      if (this.isSkipped(source, parent)) continue;
      if (parent && this.mapping.subtasks !== 'stories') subtasks.push({ source, parent });
      else stories.set(source, { source, status: undefined, tasks: [] });
    }
    for (const [i, item] of [...stories.values()].entries()) {
      if (i % STEP === STEP - 1) yield;
      item.status = this.status(item.source.status);
      this.addTasks(item, item.source.tasks);
    }
    for (const [i, { source, parent }] of subtasks.entries()) {
      if (i % STEP === STEP - 1) yield;
      const item = stories.get(parent);
      if (!item) continue;
      this.tellLostFields(source);
      this.addTasks(item, [source, ...source.tasks]);
    }
    return [...stories.values()];
  }

  /** Whether no row before has the same id; else it is skipped. */
  private isNew({ external_id: id, line }: { external_id: string | null; line: number }): boolean {
    if (id === null) return true;
    if (this.ids.has(id)) {
      this.skipped.push({ line, code: 'duplicate', detail: `${id} is in the file already` });
      return false;
    }
    this.ids.add(id);
    return true;
  }

  /** The story that a sub-task belongs to, over any number of levels. */
  private parentOf(story: SourceStory, rows: Map<string, SourceStory>): SourceStory | null {
    const seen = new Set<SourceStory>([story]);
    let parent: SourceStory | null = null;
    for (let id = story.parent; id !== null; id = parent.parent) {
      const next = rows.get(id);
      if (!next || seen.has(next)) {
        if ((this.mapping.subtasks ?? 'tasks') === 'tasks') {
          const what = `"${story.title}" is a story, because ${id} is not in the file`;
          this.texts.warn('parent_missing', story.line, what);
        }
        return null;
      }
      seen.add(next);
      parent = next;
    }
    return parent;
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

  private addTasks(item: Item<SourceStory>, tasks: readonly (SourceStory | SourceTask)[]): void {
    for (const source of tasks) {
      if (item.tasks.length >= MAX_TASKS) {
        const detail = `${source.title.slice(0, 100)}: the story has ${MAX_TASKS} tasks already`;
        this.skipped.push({ line: source.line, code: 'too_many_tasks', detail });
      } else {
        item.tasks.push({ source, status: this.status(source.status), tasks: [] });
      }
    }
  }

  /** Tasks have fewer fields than stories. */
  private tellLostFields(story: SourceStory): void {
    const lost = [
      story.description !== null && 'description',
      story.points !== null && 'points',
      story.labels.length > 0 && 'labels',
    ].filter((field) => field !== false);
    if (lost.length > 0) {
      this.texts.warn(
        'task_fields_dropped',
        story.line,
        `${story.title.slice(0, 80)}: a task has no ${lost.join(', ')}`,
      );
    }
  }

  private status(of: SourceStatus | null): Status | undefined {
    if (!of) return undefined;
    const name = of.name.trim();
    const known = this.statuses.get(sameCase(name)) ?? of.category ?? statusOf(name);
    if (known === undefined) this.unmapped.set(name, (this.unmapped.get(name) ?? 0) + 1);
    const status = known ?? 'todo';
    this.usedStatuses.set(name, new Set(this.usedStatuses.get(name)).add(status));
    return status;
  }

  /** The dates that the import uses. */
  private *datesOf(items: readonly Item<SourceStory>[]): Steps<OrderFinder> {
    const finder = new OrderFinder();
    for (const { start, end, completed, closed } of this.source.sprints) {
      for (const text of [start, end, closed ? completed : null]) if (text) finder.add(text);
    }
    for (const [i, item] of items.entries()) {
      if (i % STEP === STEP - 1) yield;
      for (const { source, status } of [item, ...item.tasks]) {
        if (status === 'done' && source.done) finder.add(source.done, source.line);
      }
    }
    return finder;
  }

  /** The mapping that gives the same plan. A status that became several is left to its category. */
  private applied(dateOrder: DateOrder | undefined, sprints: readonly PlannedSprint[]): Mapping {
    // A field that was read from several columns is recognised again.
    const columns = Object.entries(this.source.columns ?? {}).flatMap(([column, field], _, all) =>
      field !== null && all.every(([other, same]) => same !== field || other === column)
        ? [[field, column] as const]
        : [],
    );
    return {
      ...(columns.length > 0 && { columns: Object.fromEntries(columns) }),
      status: Object.fromEntries(
        [...this.usedStatuses].flatMap(([name, [status, ...others]]) =>
          status && others.length === 0 ? [[name, status] as const] : [],
        ),
      ),
      priority: Object.fromEntries(this.usedPriorities),
      sprints: Object.fromEntries(
        sprints
          .filter(({ assumed }) => assumed)
          .map(({ name, key, start_date, end_date }) => [name ?? key, { start_date, end_date }]),
      ),
      ...(dateOrder && { date_order: dateOrder }),
      time_zone: this.timeZone,
      subtasks: this.mapping.subtasks ?? 'tasks',
      archived: this.mapping.archived ?? 'skip',
    };
  }

  private story(
    { source, status, tasks }: Item<SourceStory>,
    sprintsOf: (story: SourceStory) => string[],
  ): PlannedStory {
    const { line } = source;
    const lacks = (field: SourceField): boolean => this.source.lacks?.has(field) ?? false;
    return {
      line,
      external_id: this.storyId(source),
      title: this.title(source),
      ...(!lacks('description') && {
        description: this.texts.block(source.description ?? '', 32_767, 'description', line),
      }),
      ...(status && { status }),
      ...(!lacks('priority') && { priority: this.priority(source) }),
      ...(!lacks('points') && {
        points: source.points === null ? null : this.points(source.points, line),
      }),
      ...(!lacks('assignee') && { assignee: this.assignee(source) }),
      ...(!lacks('labels') && { labels: this.labels(source) }),
      ...(!lacks('sprints') && { sprints: sprintsOf(source) }),
      done_at: this.doneAt(source, status),
      ...(!lacks('tasks') && { tasks: tasks.map((task) => this.task(task)) }),
    };
  }

  private task({ source, status }: Item<SourceStory | SourceTask>): PlannedTask {
    return {
      line: source.line,
      external_id: this.id(source),
      title: this.title(source),
      status: status ?? 'todo',
      assignee: this.assignee(source),
      done_at: this.doneAt(source, status),
    };
  }

  private id({ external_id: id, line }: SourceTask | SourceStory): string | null {
    return id === null ? null : this.texts.line(id, 100, 'external_id', line);
  }

  private storyId(story: SourceStory): string | null {
    const id = this.id(story);
    if (id === null) {
      const what = `"${story.title}" is new at each import, because the file has no id of it`;
      this.texts.warn('no_external_id', story.line, what);
    }
    return id;
  }

  private title({ title, external_id: id, line }: SourceTask | SourceStory): string {
    const plain = this.texts.line(title, 255, 'title', line);
    if (plain !== null) return plain;
    const replacement = (id ?? '').slice(0, 100) || 'Untitled';
    this.texts.warn('title_missing', line, `the title is "${replacement}" now`);
    return replacement;
  }

  private assignee({ assignee, line }: SourceTask | SourceStory): string | null {
    return assignee === null ? null : this.texts.line(assignee, 100, 'assignee', line);
  }

  private priority({ priority, line }: SourceStory): number | null {
    const name = priority?.trim() ?? '';
    if (name === '') return null;
    const known = this.priorities.get(sameCase(name)) ?? numberOf(name) ?? priorityOf(name);
    if (known === undefined) this.texts.warn('priority_unknown', line, `"${name}"`);
    if (typeof known === 'number') this.usedPriorities.set(name, known);
    return known ?? null;
  }

  /** That of the epic comes first, so that it is there even if the story has too many. */
  private labels({ labels, epic, line }: SourceStory): string[] {
    const all = [...(epic === null ? [] : [epic]), ...labels].map((label) =>
      this.texts.line(label, 50, 'label', line),
    );
    const different = [...new Set(all.filter((label) => label !== null))];
    const dropped = different.splice(MAX_LABELS);
    if (dropped.length > 0) this.texts.warn('labels_dropped', line, dropped.join(', '));
    return different;
  }

  /** When the story was done; null if it is not, or if the file does not say it. */
  private doneAt({ done, line }: SourceTask | SourceStory, status?: Status): Date | null {
    if (status !== 'done' || !done) return null;
    const instant = this.dates.instant(done);
    if (!instant) this.texts.warn('date_unreadable', line, `"${done}"`);
    return instant && instant > this.context.now ? this.context.now : instant;
  }
}

/** The number of a priority that is one, such as `3` or `P3`. */
function numberOf(name: string): number | undefined {
  const number = Number(/^p?(-?\d{1,10})$/i.exec(name)?.[1] ?? NaN);
  return number >= INT32[0] && number <= INT32[1] ? number + 0 : undefined;
}

const byName = <Value>(names: Readonly<Record<string, Value>> | undefined): Map<string, Value> =>
  new Map(Object.entries(names ?? {}).map(([name, value]) => [sameCase(name), value]));
