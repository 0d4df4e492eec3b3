import { Injectable } from '@nestjs/common';
import { boardForCreation } from '../boards/boards.service';
import type { Caller } from '../http/caller';
import type { FieldError, FieldErrorCode } from '../http/problem';
import { Problem } from '../http/problem';
import type { Change, LockedBoard } from '../database/change';
import type { Parameter } from '../database/engine';
import { UnitOfWork } from '../database/unit-of-work';
import { endOf, newStory, recordCreation, StoriesService } from './stories.service';
import type { CreateStory, StoryView, UpdateStory } from './story.dto';
import { GREATEST_SEQ } from './story.entity';
import type { StoryRow } from './story.queries';
import { representStory, STORY_COLUMNS, STORY_TABLES } from './story.queries';

/** Milliseconds for one import: it may be long, and nobody's request waits for it. */
const DEADLINE = 300_000;

/** Rows that one SELECT names or reads. */
const CHUNK = 500;

/** A story as it is imported; one that is there already need not have a title. */
export type ImportedStory = Partial<CreateStory>;

export interface ImportOptions {
  /** Changes the stories whose `external_id` is there, instead of refusing them. */
  update?: boolean;
  /** Told how many stories are written. */
  progress?: (done: number) => void;
}

export interface Imported {
  created: number;
  updated: number;
  unchanged: number;
}

/** A story that is to be made, with its place. */
type Fresh = CreateStory & { seq: number };

/** A story that is there, and what is to be changed of it. */
type Stale = [story: StoryView, body: UpdateStory];

/** Brings many stories to a board at once. */
@Injectable()
export class StoryImportService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly stories: StoriesService,
  ) {}

  /**
   * Puts stories into the backlog of a board in their order, as if they were posted to it one after
   * the other, but all or none; the board is made where it is not there yet.
   * @throws Problem that names every fault, with pointers such as `/17/external_id`
   */
  load(
    caller: Caller,
    boardName: string,
    bodies: readonly ImportedStory[],
    { update = false, progress }: ImportOptions = {},
  ): Promise<Imported> {
    const work = async (change: Change): Promise<Imported> => {
      const board = await boardForCreation(change, boardName);
      const known = await withExternalIds(change, board, bodies);
      const { fresh, stale } = sort(bodies, known, update, await endOf(change, board, null));
      let done = 0;
      const wrote = (rows: number): void => progress?.((done += rows));
      await this.create(change, board, fresh, wrote);
      let updated = 0;
      for (const [story, body] of stale) {
        const after = await this.stories.store(change, {
          board,
          to: board,
          story,
          sprintId: story.sprint_id,
          body,
        });
        if (after !== story) updated += 1;
        wrote(1);
      }
      return { created: fresh.length, updated, unchanged: stale.length - updated };
    };
    return this.unitOfWork.run(caller, work, DEADLINE);
  }

  private async create(
    change: Change,
    board: LockedBoard,
    fresh: readonly Fresh[],
    wrote: (rows: number) => void,
  ): Promise<void> {
    const [first] = fresh;
    if (!first) return;
    // Which ids many rows are given at once is not the same on every server: they are read again, as
    // the stories of this instant that were not there before. The board is held, so nobody else adds any.
    const others = await change.query<{ id: number }>(
      `SELECT s.id FROM stories s WHERE ${OF_THIS_INSTANT}`,
      [board.id, change.now],
    );
    const before = new Set(others.map(({ id }) => id));
    const rows = function* (): Generator<Parameter[]> {
      for (const body of fresh) {
        yield Object.values(newStory(change, board, null, body));
        wrote(0.5);
      }
    };
    await change.insertMany('stories', Object.keys(newStory(change, board, null, first)), rows());
    for (let last = 0, more = true; more;) {
      const stories = await change.query<StoryRow>(
        `SELECT ${STORY_COLUMNS} FROM ${STORY_TABLES}
         WHERE ${OF_THIS_INSTANT} AND s.id > ? ORDER BY s.id LIMIT ${CHUNK}`,
        [board.id, change.now, last],
      );
      for (const story of stories) {
        last = story.id;
        if (before.has(story.id)) continue;
        recordCreation(change, board, representStory(story));
        wrote(0.5);
      }
      more = stories.length === CHUNK;
    }
  }
}

/** The stories of a board that were last changed in this millisecond, by being made. */
const OF_THIS_INSTANT = 's.board_id = ? AND s.updated_at = ? AND s.version = 1';

/** The stories of a board that have the external ids of these. */
async function withExternalIds(
  change: Change,
  board: LockedBoard,
  bodies: readonly ImportedStory[],
): Promise<Map<string, StoryView>> {
  const ids = [...new Set(bodies.flatMap(({ external_id: id }) => id ?? []))];
  const known = new Map<string, StoryView>();
  for (let start = 0; start < ids.length; start += CHUNK) {
    const chunk = ids.slice(start, start + CHUNK);
    const rows = await change.query<StoryRow & { external_id: string }>(
      `SELECT ${STORY_COLUMNS} FROM ${STORY_TABLES}
       WHERE s.board_id = ? AND s.external_id IN (${chunk.map(() => '?').join(', ')})`,
      [board.id, ...chunk],
    );
    for (const row of rows) known.set(row.external_id, representStory(row));
  }
  return known;
}

/** Tells the new stories, with the `seq` of each, from those that are there. @throws Problem */
function sort(
  bodies: readonly ImportedStory[],
  known: ReadonlyMap<string, StoryView>,
  update: boolean,
  endOfBacklog: number,
): { fresh: Fresh[]; stale: Stale[] } {
  const faults: FieldError[] = [];
  const fresh: Fresh[] = [];
  const stale: Stale[] = [];
  const seen = new Set<string>();
  let last = endOfBacklog;
  bodies.forEach((body, i) => {
    const fail = (member: string, code: FieldErrorCode, detail: string): void => {
      faults.push({ pointer: `/${i}/${member}`, code, detail: `${member} ${detail}` });
    };
    const { title, seq, ...rest } = body;
    const externalId = body.external_id ?? null;
    const story = externalId === null ? undefined : known.get(externalId);
    if (externalId !== null) {
      if (seen.has(externalId)) fail('external_id', 'duplicate', `${externalId} is there twice`);
      else if (story && !update)
        fail('external_id', 'taken', `${externalId} is on the board already`);
      seen.add(externalId);
    }
    if (story) {
      const changed = { ...(title !== undefined && { title }), ...(seq != null && { seq }) };
      stale.push([story, { ...rest, ...changed }]);
      return;
    }
    if (title === undefined) {
      fail('title', 'required', 'is required');
      return;
    }
    const place = seq ?? last + 1;
    if (place > GREATEST_SEQ) fail('seq', 'seq_exhausted', 'would be beyond the greatest there is');
    last = Math.max(last, place);
    fresh.push({ ...rest, title, seq: place });
  });
  if (faults.length > 0) throw Problem.invalid(faults);
  return { fresh, stale };
}
