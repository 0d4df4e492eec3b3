import { Injectable } from '@nestjs/common';
import { BoardCreation } from '../../boards/board-creation.service';
import { requireLists } from '../../boards/board.queries';
import { CompletionService } from '../../completion/completion.service';
import { Config } from '../../config/config';
import type { LockedBoard } from '../../database/board-row';
import type { Change } from '../../database/change';
import { Database } from '../../database/database';
import { UnitOfWork } from '../../database/unit-of-work';
import type { Caller } from '../../http/caller';
import { OtherVersion } from '../../http/input/read-only';
import type { FieldError, ProblemCode } from '../../http/problem';
import { Problem } from '../../http/problem';
import { SprintChanges } from '../../sprints/sprint-changes.service';
import type { SprintReference } from '../../sprints/sprint.queries';
import { briefly } from '../../stories/brief-story.queries';
import { MovesService } from '../../stories/moves.service';
import { noSprint, SprintResolver } from '../../stories/sprint-of-body';
import { StoriesAnswer } from '../../stories/stories-answer';
import { StoriesService } from '../../stories/stories.service';
import type { StoryView, UpdateStory } from '../../stories/story.dto';
import { TasksService } from '../../tasks/tasks.service';
import type { Kind } from './batch-form';
import { readBatch, resolve } from './batch-form';
import type { BatchCreateStory, BatchCreateTask, BatchResult } from './batch.dto';

/** Performs an operation, whose form has been checked: it has the `id` and the `set` of its kind. */
type Perform = (
  change: Change,
  board: LockedBoard,
  operation: { id: never; set: never },
) => Promise<{ id: number }>;

/** Performs many operations on one board, all or none. */
@Injectable()
export class BatchService {
  /** The method of a single request for each kind. */
  private readonly performs: Record<Kind, Perform> = {
    'create story': (change, board, { set }) => this.createStory(change, board, set),
    'create sprint': (change, board, { set }) => this.sprints.createIn(change, board, set),
    'create task': (change, _, { set }) => this.createTask(change, set),
    'update story': (change, _, { id, set }) => this.stories.updateIn(change, id, set),
    'update sprint': (change, _, { id, set }) => this.sprints.updateIn(change, id, set),
    'update task': (change, _, { id, set }) => this.tasks.updateIn(change, id, set),
    'delete story': (change, _, { id }) => this.stories.deleteIn(change, id),
    'delete sprint': (change, _, { id }) => this.sprints.deleteIn(change, id, false),
    'delete task': (change, _, { id }) => this.tasks.deleteIn(change, id),
    'move story': (change, _, { id, set }) => this.moves.moveIn(change, id, set),
    'start sprint': (change, board, { id }) => this.sprints.startIn(change, sprintOf(board, id)),
    'complete sprint': (change, board, { id, set }) =>
      this.completion.completeIn(change, sprintOf(board, id), set),
  };

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly database: Database,
    private readonly boards: BoardCreation,
    private readonly stories: StoriesService,
    private readonly moves: MovesService,
    private readonly sprints: SprintChanges,
    private readonly completion: CompletionService,
    private readonly tasks: TasksService,
    private readonly sprintResolver: SprintResolver,
    private readonly config: Config,
  ) {}

  /**
   * Performs operations on a board in their order, in one change. Each has the rules and the result of the
   * single request, by a caller who may see this board only. `If-Match` refers to the board's lists. The
   * board is created if it does not exist and the batch creates a sprint or a story.
   * @throws Problem of the first operation that fails, which `errors` names, or `batch_too_large`
   */
  async run(
    caller: Caller,
    boardName: string,
    body: Record<string, unknown>,
  ): Promise<StoriesAnswer> {
    const { operations, dryRun } = await readBatch(body);
    const creates =
      caller.ifMatch === undefined &&
      operations.some(({ kind }) => kind === 'create story' || kind === 'create sprint');
    const { database, databaseDeadlineMs } = this.config;
    // On SQLite all other changes wait for it, on a server only those of its board.
    const maxMs = database.kind === 'sqlite' ? databaseDeadlineMs : Infinity;
    const work = async (change: Change): Promise<BatchResult> => {
      const board = creates
        ? await this.boards.boardForCreation(change, boardName)
        : await change.lockNamed(boardName);
      requireLists(caller, board);
      const begunAt = performance.now();
      const { revision: before } = board;
      const restricted = { ...caller, boards: new Set([board.name]), ifNoneMatch: undefined };
      const ids = new Map<string, number>();
      const results: BatchResult['results'] = [];
      // The descriptions that a dry run sets, by story: it does not store them, so they cannot be read later.
      const descriptions = new Map<number, string>();
      for (const [i, operation] of operations.entries()) {
        const { kind, op, type, as, if_match: ifMatch } = operation;
        change.caller = { ...restricted, ifMatch };
        const resolved = resolve(operation, ids);
        const { id, ...resource } = await this.performs[kind](
          change,
          board,
          resolved as never,
        ).catch((error: unknown) => {
          throw atOperation(i, error);
        });
        if (as !== undefined) ids.set(`$${as}`, id);
        const result: BatchResult['results'][number] & Partial<StoryView> = {
          op,
          type,
          id,
          ...resource,
        };
        if (dryRun && type === 'story') {
          const { description } = operation.set as UpdateStory;
          if (description) descriptions.set(id, description);
        }
        const description = descriptions.get(id);
        const isKept = description !== undefined && result.description === description;
        results.push(isKept ? { ...result, description } : briefly(result));
        await change.betweenSteps();
        const isLast = i === operations.length - 1;
        if (!isLast && performance.now() - begunAt > maxMs) throw new Problem('batch_too_large');
      }
      await change.flush();
      const { revision: after } = board;
      return {
        results,
        refs: Object.fromEntries([...ids].map(([name, id]) => [name.slice(1), id])),
        revision: after > before ? { from: before + 1, to: after } : { from: null, to: null },
      };
    };
    const result = await this.unitOfWork.run(caller, work, { dryRun });
    const { results, ...rest } = result;
    const end = `],${JSON.stringify(rest).slice(1)}`;
    return new StoriesAnswer(this.database, result, results, '{"results":[', end);
  }

  /** @throws Problem with an error of the field, like an update, if the board has no such sprint */
  private async createStory(
    change: Change,
    board: LockedBoard,
    { sprint_id: sent = null, ...body }: BatchCreateStory,
  ): Promise<{ id: number }> {
    const id = await this.sprintResolver.idOf(change, board, sent);
    if (id === undefined) throw Problem.invalid([noSprint(sent)]);
    try {
      return await this.stories.createIn(change, board, id, body);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'sprint_not_found') throw error;
      throw Problem.invalid([noSprint(sent)]);
    }
  }

  private async createTask(
    change: Change,
    { story_id: storyId, ...body }: BatchCreateTask,
  ): Promise<{ id: number }> {
    try {
      return await this.tasks.createIn(change, storyId, body);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'story_not_found') throw error;
      const detail = 'story_id must be the id of a story of the board';
      throw Problem.invalid([{ pointer: '/story_id', code: 'not_found', detail }]);
    }
  }
}

/** The sprint of an operation, which names it by its id or by `current`. */
const sprintOf = ({ name: boardName }: LockedBoard, id: number | 'current'): SprintReference =>
  id === 'current' ? { boardName, which: id } : id;

/** The field of an operation that a problem is about, as a pointer. */
const FIELDS: Partial<Record<ProblemCode, string>> = {
  external_id_taken: '/set/external_id',
  no_current_sprint: '/id',
  no_next_sprint_to_carry_to: '/set/unfinished',
  precondition_failed: '/if_match',
  sprint_not_found: '/id',
  story_not_found: '/id',
  task_not_found: '/id',
};

/** Converts the problem of an operation to one of the batch, with pointers into the body of the batch. */
function atOperation(i: number, error: unknown): unknown {
  if (!(error instanceof Problem) || error.status >= 500) return error;
  const { code, detail, options } = error;
  const pointer = `/operations/${i}`;
  const field = error instanceof OtherVersion ? '/set/version' : FIELDS[code];
  const errors: FieldError[] = options.errors?.map((each) => ({
    ...each,
    pointer: `${pointer}/set${each.pointer}`,
  })) ?? [{ pointer: pointer + (field ?? ''), code: 'rejected', detail }];
  return new Problem(code, detail, { ...options, errors });
}
