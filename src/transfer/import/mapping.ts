import type { Status } from '../../stories/story.entity';
import { withPauses } from '../../time/time-slice';
import type { SourceFile, SourceStory, SourceTask } from '../files/source';
import { MAX_LABELS_READ } from '../files/source';
import { Dates, OrderFinder } from './dates';
import type { DateOrder, Mapping } from './import.dto';
import { STORY_LIMITS } from './limits';
import { MappedNames } from './mapping-names';
import { MappedRows } from './mapping-rows';
import type { ImportPlan, PlanContext, PlannedStory, PlannedTask } from './plan';
import type { PointsReader } from './points-text';
import { pointsReader } from './points-text';
import { planSprints, requireFewSprints } from './sprint-plan';
import { Texts } from './texts';

/**
 * Plans the import of a file: decides about statuses, priorities, dates, sub-tasks, and values over a limit.
 * It writes nothing, and lets other requests run meanwhile.
 * @throws InvalidFile `ambiguous_dates`, or if there are too many sprints
 */
export function mapSource(
  source: SourceFile,
  mapping: Mapping,
  context: PlanContext,
): Promise<ImportPlan> {
  return new Mapper(source, mapping, context).plan();
}

/** A task of the file, with its status decided. */
interface TaskItem {
  source: SourceTask;
  status: Status | undefined;
}

interface Item extends TaskItem {
  source: SourceStory;
  tasks: TaskItem[];
}

class Mapper {
  private readonly texts: Texts;
  private readonly names: MappedNames;
  private readonly rows: MappedRows;
  private readonly timeZone: string;
  private dates: Dates;
  private points: PointsReader;

  constructor(
    private readonly source: SourceFile,
    private readonly mapping: Mapping,
    private readonly context: PlanContext,
  ) {
    this.texts = new Texts(source.warnings);
    this.names = new MappedNames(mapping, source.warnings);
    this.rows = new MappedRows(source, mapping);
    this.timeZone = mapping.time_zone ?? context.timeZone;
    for (const [column, field] of Object.entries(source.columns ?? {})) {
      if (field === null) source.warnings.add('unknown_column', column);
    }
  }

  async plan(): Promise<ImportPlan> {
    requireFewSprints(this.source.sprints.length);
    this.points = await pointsReader(this.source.stories, this.source.warnings);
    const items: Item[] = [];
    for await (const row of withPauses(await this.rows.stories())) {
      items.push({
        source: row.source,
        status: this.names.status(row.source.status),
        tasks: row.tasks.map((source) => ({ source, status: this.names.status(source.status) })),
      });
    }
    const finder = await this.datesOf(items);
    const others = finder.isOpen ? await this.otherDates() : undefined;
    const order = this.mapping.date_order ?? finder.order(others);
    this.dates = new Dates(order, this.timeZone);
    const { sprints, sprintsOf } = await planSprints(this.source, this.mapping, {
      now: this.context.now,
      timeZone: this.timeZone,
      dates: this.dates,
      texts: this.texts,
      stories: items,
    });
    const stories: PlannedStory[] = [];
    for await (const item of withPauses(items)) {
      stories.push(this.story(item, sprintsOf));
    }
    return {
      sprints,
      stories,
      skipped: this.rows.skipped.sort((a, b) => a.line - b.line),
      warnings: this.source.warnings,
      unmapped: this.names.unmapped,
      unmappedPriorities: this.names.unmappedPriorities,
      mapping: this.applied(finder.matters ? order : undefined),
    };
  }

  /** Collects the dates that the import uses. */
  private async datesOf(items: readonly Item[]): Promise<OrderFinder> {
    const finder = new OrderFinder();
    for (const { start, end, completed, closed } of this.source.sprints) {
      for (const text of [start, end, closed ? completed : null]) if (text) finder.add(text);
    }
    for await (const item of withPauses(items)) {
      for (const { source, status } of [item, ...item.tasks]) {
        if (status === 'done' && source.done) finder.add(source.done, source.line);
      }
    }
    return finder;
  }

  private async otherDates(): Promise<OrderFinder> {
    const finder = new OrderFinder();
    for await (const text of withPauses(this.source.otherDates ?? [])) {
      finder.add(text);
    }
    return finder;
  }

  /** Returns the mapping that gives the same plan. */
  private applied(dateOrder: DateOrder | undefined): Mapping {
    // Without fields that were read from several columns: these are recognised again.
    const recognised = Object.entries(this.source.columns ?? {}).flatMap(
      ([column, field], _, all) =>
        field !== null && all.every(([other, same]) => same !== field || other === column)
          ? [[field, column] as const]
          : [],
    );
    // Those of the request, too, which a file that is no table may not list.
    const columns = { ...this.mapping.columns, ...Object.fromEntries(recognised) };
    return {
      ...(Object.keys(columns).length > 0 && { columns }),
      ...this.names.used(),
      sprints: this.mapping.sprints ?? {},
      ...(dateOrder && { date_order: dateOrder }),
      time_zone: this.timeZone,
      subtasks: this.mapping.subtasks ?? 'tasks',
      archived: this.mapping.archived ?? 'skip',
    };
  }

  private story(
    { source, status, tasks }: Item,
    sprintsOf: (story: SourceStory) => string[],
  ): PlannedStory {
    const { line } = source;
    const { warnings, lacks = {} } = this.source;
    const id = this.texts.line(source.external_id, 'external_id', line);
    if (id === null) {
      const what = `"${source.title}" is new at each import, because the file has no id for it`;
      warnings.at('no_external_id', line, what);
    }
    return {
      line,
      external_id: id,
      title: this.title(source, id),
      ...(!lacks.description && {
        description: this.texts.block(source.description, 'description', line),
      }),
      ...(status && { status }),
      ...(!lacks.priority && { priority: this.names.priority(source.priority, line) }),
      ...(!lacks.points && { points: this.points(source.points, line) }),
      ...(!lacks.assignee && { assignee: this.texts.line(source.assignee, 'assignee', line) }),
      ...(!lacks.labels && { labels: this.labels(source) }),
      ...(!lacks.sprints && { sprints: sprintsOf(source) }),
      done_at: this.doneAt(source, status),
      ...(!lacks.tasks && { tasks: tasks.map((task) => this.task(task)) }),
      ...(source.parent !== null &&
        this.mapping.subtasks !== 'stories' && { parent: source.parent }),
    };
  }

  private task({ source, status }: TaskItem): PlannedTask {
    const { line, external_id, assignee } = source;
    const id = this.texts.line(external_id, 'external_id', line);
    return {
      line,
      external_id: id,
      title: this.title(source, id),
      ...(status && { status }),
      ...(!this.source.lacks?.assignee && {
        assignee: this.texts.line(assignee, 'assignee', line),
      }),
      done_at: this.doneAt(source, status),
    };
  }

  /** @param id the `external_id` within its limits, which replaces a missing title */
  private title({ title, line }: SourceTask, id: string | null): string {
    const plain = this.texts.line(title, 'title', line);
    if (plain !== null) return plain;
    const replacement = id ?? 'Untitled';
    this.source.warnings.at('title_missing', line, `the title is "${replacement}" now`);
    return replacement;
  }

  /** Returns the labels; that of the epic comes first, so that it is kept even if the story has too many. */
  private labels({ labels, epic, line }: SourceStory): string[] {
    const read = labels.slice(0, MAX_LABELS_READ);
    const names = new Set([...(epic === null ? [] : [epic]), ...read]);
    const all = [...names].map((label) => this.texts.line(label, 'label', line));
    const different = [...new Set(all.filter((label) => label !== null))];
    const dropped = different.splice(STORY_LIMITS.labels.maxItems);
    if (dropped.length > 0) this.source.warnings.at('labels_dropped', line, dropped.join(', '));
    return different;
  }

  /** Returns when the story was done; null if it is not done, or if the file has no valid time. */
  private doneAt({ done, line }: SourceTask, status?: Status): Date | null {
    if (status !== 'done' || !done) return null;
    const instant = this.dates.instant(done);
    if (!instant) this.source.warnings.at('date_unreadable', line, `"${done}"`);
    return instant;
  }
}
