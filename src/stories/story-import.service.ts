import { Injectable } from '@nestjs/common';
import { BoardsService } from '../boards/boards.service';
import type { Change, LockedBoard } from '../database/change';
import { UnitOfWork } from '../database/unit-of-work';
import type { Caller } from '../http/caller';
import type { FieldError, FieldErrorCode } from '../http/problem';
import { Problem } from '../http/problem';
import type { NewStory } from './story-writer.service';
import { StoryWriter } from './story-writer.service';
import type { CreateStory, StoryView, UpdateStory } from './story.dto';
import { MAX_SEQ } from './story.entity';
import type { StoryRow } from './story.queries';
import { findEndOfBacklog, representStory, STORY_COLUMNS, STORY_TABLES } from './story.queries';

/** Milliseconds during which an import is run again after conflicts; no request waits for it. */
const RETRY_MS = 300_000;

/** External ids that one SELECT looks for, and updates between two pauses. */
const CHUNK = 250;

/** A story to import. An existing one needs no title. */
export type ImportedStory = Partial<CreateStory>;

interface ImportOptions {
  /** Updates the stories whose `external_id` exists on the board, instead of rejecting them. */
  update?: boolean;
  /** Called with the number of stories that are written. */
  progress?: (done: number) => void;
}

export interface Imported {
  created: number;
  updated: number;
  unchanged: number;
}

interface ImportPlan {
  created: NewStory[];
  updated: [story: StoryView, body: UpdateStory][];
}

/** Imports many stories into a board. */
@Injectable()
export class StoryImportService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly boards: BoardsService,
    private readonly writer: StoryWriter,
  ) {}

  /**
   * Creates stories in the backlog in their order, with the result of one POST for each, but all or none;
   * creates the board if it does not exist.
   * @throws Problem with every error, at pointers such as `/17/external_id`
   */
  load(
    caller: Caller,
    boardName: string,
    bodies: readonly ImportedStory[],
    { update = false, progress }: ImportOptions = {},
  ): Promise<Imported> {
    const work = async (change: Change): Promise<Imported> => {
      const board = await this.boards.boardForCreation(change, boardName);
      const existing = await findByExternalId(change, board, bodies);
      const last = await findEndOfBacklog(change, board);
      const plan = planImport(bodies, existing, update, last);
      let done = 0;
      const written = (stories: number): void => progress?.((done += stories));
      await this.writer.createMany(change, board, plan.created, written);
      let updated = 0;
      for (const [i, [story, body]] of plan.updated.entries()) {
        if (i % CHUNK === 0) await change.pause();
        const to = { board, sprintId: story.sprint_id };
        const after = await this.writer.update(change, board, story, body, to);
        if (after !== story) updated += 1;
        written(1);
      }
      return { created: plan.created.length, updated, unchanged: plan.updated.length - updated };
    };
    return this.unitOfWork.run(caller, work, RETRY_MS);
  }
}

/** The stories of a board that have the external ids of the bodies. */
async function findByExternalId(
  change: Change,
  board: LockedBoard,
  bodies: readonly ImportedStory[],
): Promise<Map<string, StoryView>> {
  const ids = [...new Set(bodies.flatMap(({ external_id: id }) => id ?? []))];
  const stories = new Map<string, StoryView>();
  for (let start = 0; start < ids.length; start += CHUNK) {
    const chunk = ids.slice(start, start + CHUNK);
    const rows = await change.query<StoryRow & { external_id: string }>(
      `SELECT ${STORY_COLUMNS} FROM ${STORY_TABLES}
       WHERE s.board_id = ? AND s.external_id IN (${chunk.map(() => '?').join(', ')})`,
      [board.id, ...chunk],
    );
    for (const row of rows) stories.set(row.external_id, representStory(row));
    await change.pause();
  }
  return stories;
}

/** Separates new stories, with the `seq` of each, from updates of existing ones. @throws Problem */
function planImport(
  bodies: readonly ImportedStory[],
  existing: ReadonlyMap<string, StoryView>,
  update: boolean,
  endOfBacklog: number,
): ImportPlan {
  const errors: FieldError[] = [];
  const plan: ImportPlan = { created: [], updated: [] };
  const seen = new Set<string>();
  let last = endOfBacklog;
  bodies.forEach((body, i) => {
    const fail = (field: string, code: FieldErrorCode, detail: string): void => {
      errors.push({ pointer: `/${i}/${field}`, code, detail: `${field} ${detail}` });
    };
    const { title, seq, external_id: externalId = null, ...rest } = body;
    const story = externalId === null ? undefined : existing.get(externalId);
    if (externalId !== null) {
      if (seen.has(externalId)) fail('external_id', 'duplicate', `${externalId} occurs twice`);
      else if (story && !update) {
        fail('external_id', 'taken', `${externalId} is on the board already`);
      }
      seen.add(externalId);
    }
    if (story) {
      const changed = { ...(title !== undefined && { title }), ...(seq != null && { seq }) };
      plan.updated.push([story, { ...rest, ...changed }]);
    } else if (title === undefined) {
      fail('title', 'required', 'is required');
    } else {
      const place = seq ?? last + 1;
      if (place > MAX_SEQ) fail('seq', 'seq_exhausted', 'would exceed the greatest seq');
      last = Math.max(last, place);
      plan.created.push({ ...rest, title, seq: place, external_id: externalId });
    }
  });
  if (errors.length > 0) throw Problem.invalid(errors);
  return plan;
}
