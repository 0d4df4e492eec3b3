import { Injectable } from '@nestjs/common';
import type { LockedBoard } from '../../database/board-row';
import type { Change } from '../../database/change';
import { recordEvent } from '../../events/record-event';
import { Problem } from '../../http/problem';
import { MAX_INT32 } from '../../http/validation/numbers';
import { SprintQueries } from '../../sprints/sprint.queries';
import type { BriefStory } from '../../stories/brief-story.queries';
import { findBriefStoriesByExternalId } from '../../stories/brief-story.queries';
import type { PlacedStory } from '../../stories/story-writer.service';
import { StoryWriter } from '../../stories/story-writer.service';
import { findEndOfBacklog, findEndOfSprint, MAX_STORIES } from '../../stories/story.queries';
import { noSeq } from '../files/invalid-file';
import { Warnings } from '../files/source';
import type { PlacedSprint } from './apply-sprints.service';
import { ApplySprints } from './apply-sprints.service';
import type { TasksOfStory } from './apply-tasks.service';
import { ApplyTasks } from './apply-tasks.service';
import { ImportRun } from './import-run';
import type { ImportPlan, PlannedStory } from './plan';
import { fieldsOf } from './plan';
import type { Route } from './routes';
import { routeOfExisting, routeOfNew } from './routes';
import { StoriesWithoutId } from './stories-without-id';
import { SubtasksOfKnownStories } from './subtasks-of-known-stories';

/** Stories that are looked for at once. */
const CHUNK = 200;

/** A new story, for which there is more to write once it has an id. */
interface Creation {
  planned: PlannedStory;
  route: Route;
}

interface Update {
  story: BriefStory;
  planned: PlannedStory;
  route: Route;
  seq: number | undefined;
}

/** A story that moves on when its sprint is completed. */
interface Waiting {
  story: BriefStory;
  route: Route;
  /** Whether its row has the last sprint already, so that only the events of its moves are recorded. */
  isStored: boolean;
}

/** Writes plans of imports. */
@Injectable()
export class ApplyService {
  constructor(
    private readonly sprintQueries: SprintQueries,
    private readonly sprints: ApplySprints,
    private readonly stories: StoryWriter,
    private readonly tasks: ApplyTasks,
  ) {}

  /**
   * Writes a plan to a locked board: creates what the board does not have, and updates what differs.
   * Stories that were in completed sprints are created in the first of them and move on, so that the log
   * has the same events as if a team had moved them.
   * @param progress called with the number of stories that are written
   * @throws InvalidFile, Problem `sprint_full`, `too_many_tasks`; the change must be rolled back then
   */
  async apply(
    change: Change,
    board: LockedBoard,
    plan: ImportPlan,
    progress: (stories: number) => void,
  ): Promise<ImportRun> {
    const run = new ImportRun(change, board, new Warnings(plan.warnings.unit));
    const existing = await this.sprintQueries.briefs(change, board.id);
    const sprints = await this.sprints.place(run, plan.sprints, existing);
    await change.flush();
    const completed = new Set(
      existing.filter(({ completed_at }) => completed_at !== null).map(({ id }) => id),
    );
    const { creations, updates, addedTasks } = await this.decide(run, plan, sprints, completed);
    if (run.errors.length > 0) throw run.rejection();

    const waiting: Waiting[] = [];
    const withTasks: TasksOfStory[] = [];
    let done = 0;
    await this.stories.createMany(change, board, creations, (story, creation) => {
      const { planned, route = [] } = creation ?? {};
      const created = creation ? { ...story, sprint_id: route[0] ?? null, version: 1 } : story;
      recordEvent(change, board, 'story.created', null, created);
      if (route.length > 1) waiting.push({ story: created, route: route.slice(1), isStored: true });
      if (planned?.tasks) withTasks.push({ story, isNew: true, tasks: planned.tasks });
      progress((done += 1));
    });
    run.created.stories += creations.length;
    for (const update of updates) {
      await change.betweenSteps();
      const { planned, story } = update;
      waiting.push(...(await this.update(run, update)));
      if (planned.tasks) withTasks.push({ story, isNew: false, tasks: planned.tasks });
      progress((done += 1));
    }
    await change.flush();
    await this.tasks.apply(run, [...withTasks, ...addedTasks]);
    await this.complete(run, [...sprints.values()], waiting);
    for (const sprint of sprints.values()) {
      if (sprint.startsAt && !sprint.completesAt) await this.sprints.start(change, sprint);
    }
    await change.flush();
    return run;
  }

  /** Separates new stories from updates, with the list and the `seq` of each. */
  private async decide(
    run: ImportRun,
    plan: ImportPlan,
    sprints: ReadonlyMap<string, PlacedSprint>,
    completed: ReadonlySet<number>,
  ): Promise<{
    creations: PlacedStory<Creation>[];
    updates: Update[];
    addedTasks: TasksOfStory[];
  }> {
    const { change, board } = run;
    const lists = new Lists(run);
    const names = new Map([...sprints.values()].map(({ id, name }) => [id, name]));
    const seen = new Set<string>();
    const creations: PlacedStory<Creation>[] = [];
    const updates: Update[] = [];
    const subtasks = new SubtasksOfKnownStories(board.id);
    const withoutId = await StoriesWithoutId.of(change, board.id, plan.stories);
    for (let start = 0; start < plan.stories.length; start += CHUNK) {
      await change.pause();
      const chunk = plan.stories.slice(start, start + CHUNK);
      const ids = chunk.flatMap(({ external_id: id }) => id ?? []);
      const existing = await findBriefStoriesByExternalId(change, board.id, ids);
      const own = await withoutId.take(change, chunk);
      await subtasks.find(change, chunk, existing);
      for (const planned of chunk) {
        const { external_id: id, line } = planned;
        if (id !== null && seen.has(id)) {
          run.skipped.push({ line, code: 'duplicate', detail: `${id} occurs twice` });
          continue;
        }
        if (id !== null) seen.add(id);
        if (subtasks.take(planned)) continue;
        const path = planned.sprints?.map((key) => sprints.get(key) as PlacedSprint);
        const story = id === null ? own.get(planned) : existing.get(id);
        if (!story && (await isTask(planned, run))) {
          const detail = `${id} is a task of the board since an earlier import`;
          const tasks = planned.tasks ?? [];
          for (const row of [planned, ...tasks]) {
            run.skipped.push({ line: row.line, code: 'subtask_is_task', detail });
          }
          continue;
        }
        const { route, rejectedBy, waits } = story
          ? routeOfExisting(path, story.sprint_id, completed)
          : routeOfNew(path ?? []);
        if (rejectedBy !== undefined) {
          const title = planned.title ?? story?.title;
          const what = `"${title}", ${names.get(rejectedBy) ?? 'the sprint that it is in'}`;
          run.warnings.at('sprint_completed', line, what);
        }
        const sprintId = route.at(-1);
        if (story) {
          const moves = sprintId !== undefined && sprintId !== story.sprint_id;
          const seq = moves ? await lists.add(sprintId, planned.seq) : (planned.seq ?? undefined);
          if (moves) lists.remove(story.sprint_id);
          else if (seq !== undefined) lists.keep(story.sprint_id, seq);
          updates.push({ story, planned, route: waits ? [story.sprint_id, ...route] : route, seq });
          if (seq !== undefined && seq > MAX_INT32) run.errors.push(noSeq(line));
          continue;
        }
        const seq = await lists.add(sprintId as number | null, planned.seq);
        if (planned.title === undefined) {
          const detail = 'title is required for a new story';
          run.errors.push({ line, code: 'required', detail });
        } else if (seq > MAX_INT32) run.errors.push(noSeq(line));
        else creations.push(this.creation(planned, route, seq));
      }
    }
    lists.requireSpace([...sprints.values()]);
    return { creations, updates, addedTasks: subtasks.tasks() };
  }

  private creation(planned: PlannedStory, route: Route, seq: number): PlacedStory<Creation> {
    const { tasks, done_at: doneAt = null, created_at: createdAt } = planned;
    const hasMore = route.length > 1 || (tasks?.length ?? 0) > 0;
    return {
      body: { ...fieldsOf(planned), title: planned.title as string },
      seq,
      sprint_id: route.at(-1) ?? null,
      done_at: doneAt,
      ...(createdAt && { created_at: createdAt }),
      version: route.length,
      ...(hasMore && { ref: { planned, route } }),
    };
  }

  /** Updates a story, and moves it to the first list of its route; the caller moves it on. */
  private async update(
    { change, board, updated, unchanged }: ImportRun,
    { story, planned, route, seq }: Update,
  ): Promise<Waiting[]> {
    const { done_at } = planned;
    const [first = story.sprint_id, ...rest] = route;
    const after = await this.stories.update(
      change,
      board,
      story,
      {
        ...fieldsOf(planned),
        seq,
        ...(done_at && { done_at: done_at.toISOString() }),
      },
      { board, sprintId: first },
    );
    (after === story && rest.length === 0 ? unchanged : updated).stories += 1;
    return rest.length > 0 ? [{ story: after, route: rest, isStored: false }] : [];
  }

  /** Completes sprints in the order of their completion, and moves their waiting stories on. */
  private async complete(
    run: ImportRun,
    sprints: readonly PlacedSprint[],
    stories: readonly Waiting[],
  ): Promise<void> {
    const { change } = run;
    const waiting = new Map<number | null, Waiting[]>();
    const wait = (one: Waiting): void => {
      const { sprint_id: id } = one.story;
      const others = waiting.get(id);
      if (others) others.push(one);
      else waiting.set(id, [one]);
    };
    stories.forEach(wait);
    const moveOn = async (id: number | null): Promise<void> => {
      const leaving = waiting.get(id) ?? [];
      waiting.delete(id);
      for (const one of leaving) {
        await change.betweenSteps();
        const moved = await this.moveOn(run, one);
        if (moved.route.length > 0) wait(moved);
      }
    };
    const completing = sprints
      .filter(({ completesAt }) => completesAt)
      .sort((a, b) => Number(a.completesAt) - Number(b.completesAt));
    for (const sprint of completing) {
      await this.sprints.complete(change, sprint);
      await moveOn(sprint.id);
    }
    // Stories that went through sprints in a different order from that of their completion.
    for (const id of waiting.keys()) await moveOn(id);
  }

  private async moveOn(
    { change, board }: ImportRun,
    { story, route, isStored }: Waiting,
  ): Promise<Waiting> {
    const [next = null, ...rest] = route;
    const to = { board, sprintId: next };
    let after: BriefStory = { ...story, sprint_id: next, version: story.version + 1 };
    if (isStored) recordEvent(change, board, 'story.moved', story, after);
    else after = await this.stories.update(change, board, story, {}, to);
    return { story: after, route: rest, isStored };
  }
}

/** Whether a story of another tool is a task of the board. In our own formats, a story and a task may have the same id. */
const isTask = async (
  { external_id: id, tasks, created_at: createdAt }: PlannedStory,
  { tasksOfBoard }: ImportRun,
): Promise<boolean> =>
  id !== null &&
  tasks !== undefined &&
  !createdAt &&
  (await tasksOfBoard.storyOf(id)) !== undefined;

/** The ends of the lists of a board, while stories are added to them. */
class Lists {
  /** The greatest `seq` and the number of stories, only of lists to which a story is added. */
  private readonly ends = new Map<number | null, { last: number; count: number }>();
  private readonly removed = new Map<number | null, number>();
  /** The greatest `seq` that the file gives to a story that stays in a list. */
  private readonly kept = new Map<number | null, number>();

  constructor(private readonly run: ImportRun) {}

  /** Adds a story and returns its `seq`: the given one, or one more than the greatest. */
  async add(sprintId: number | null, given?: number | null): Promise<number> {
    const { change, board } = this.run;
    let end = this.ends.get(sprintId);
    if (!end) {
      const { last, count } =
        sprintId === null
          ? { last: await findEndOfBacklog(change, board), count: 0 }
          : ((await findEndOfSprint(change, board, sprintId)) ?? { last: 0, count: 0 });
      this.ends.set(sprintId, (end = { last, count }));
    }
    const seq = given ?? Math.max(end.last, this.kept.get(sprintId) ?? 0) + 1;
    end.last = Math.max(end.last, seq);
    end.count += 1;
    return seq;
  }

  /** Lets new stories follow one that stays in its list and gets a `seq`. */
  keep(sprintId: number | null, seq: number): void {
    this.kept.set(sprintId, Math.max(seq, this.kept.get(sprintId) ?? 0));
  }

  remove(sprintId: number | null): void {
    this.removed.set(sprintId, (this.removed.get(sprintId) ?? 0) + 1);
  }

  /** @throws Problem `sprint_full` */
  requireSpace(sprints: readonly PlacedSprint[]): void {
    for (const { id, name } of sprints) {
      const { count = 0 } = this.ends.get(id) ?? {};
      const total = count - (this.removed.get(id) ?? 0);
      if (total > MAX_STORIES) {
        const detail = `The sprint ${name} would have ${total} stories; it can have 2,000.`;
        throw new Problem('sprint_full', detail);
      }
    }
  }
}
