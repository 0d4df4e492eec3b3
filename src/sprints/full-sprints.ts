import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boardNamed, collectionTag, findBoard } from '../boards/board.queries';
import { Kept } from '../http/answer';
import { calendarDate, Clock } from '../time/clock';
import type { ProblemCode } from '../http/problem';
import { Problem } from '../http/problem';
import type { BoardRow } from '../database/change';
import { Database } from '../database/database';
import type { Reader } from '../database/engine';
import type { StoryRow } from '../stories/story.queries';
import { representStory, STORY_COLUMNS, STORY_TABLES } from '../stories/story.queries';
import type { TaskView } from '../tasks/task.dto';
import { representTask, TASK_COLUMNS } from '../tasks/task.queries';
import type { FullSprint, StoryWithTasks } from './sprint.dto';
import type { Relative, SprintRow } from './sprint.queries';
import { findRelative, representSprint } from './sprint.queries';

/** Bytes that are kept of all sprints together, and of one. */
const MOST_KEPT = 32 * 1024 * 1024;
const LARGEST_KEPT = 4 * 1024 * 1024;

export const MISSING: Record<Relative, ProblemCode> = {
  current: 'no_current_sprint',
  next: 'no_next_sprint',
  previous: 'no_previous_sprint',
};

/**
 * Sprints in full: what boards on walls ask for over and over, and what costs the most to put together.
 *
 * The bytes of an answer are kept under its entity tag, which is made of the board's id and revision,
 * the day in the board's time zone, and the word of the path. Nothing else is in an answer: whoever
 * changes a row of a board raises its revision in the same transaction, and what is derived depends
 * on the day alone. So the row of the board, read anew for each request, proves that what is kept
 * still holds, whichever instance made the change; nothing ever has to be invalidated.
 */
@Injectable()
export class FullSprints {
  private readonly kept = new LRUCache<string, Kept>({
    maxSize: MOST_KEPT,
    maxEntrySize: LARGEST_KEPT,
    sizeCalculation: (answer) => answer.size,
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * The JSON of the sprint that a word means today, with its stories and their tasks.
   * @throws Problem `board_not_found`, `no_current_sprint`, …
   */
  async find(boardName: string, which: Relative): Promise<Kept> {
    const { database } = this;
    const read = async (): Promise<Kept | undefined> =>
      this.read(database, await findBoard(database, boardName), which);
    const answer =
      (await read()) ??
      (await read()) ??
      // Somebody changes the board all the time.
      (await database.snapshot(async (reader) =>
        this.read(reader, await boardNamed(reader, boardName), which),
      ));
    if (!answer) throw new Error('a snapshot changed while it was read');
    return answer;
  }

  /**
   * Reads without a transaction, which would cost as many round trips as what is read. Each statement
   * sees one committed state, no older than what those before it saw; so if the last one finds the
   * board at the revision that the first one did, all saw the same.
   * @returns nothing where the board has changed meanwhile
   */
  private async read(reader: Reader, board: BoardRow, which: Relative): Promise<Kept | undefined> {
    const now = this.clock.now();
    const today = calendarDate(now, board.time_zone);
    const etag = collectionTag(board, `${today}.${which}`);
    const kept = this.kept.get(etag);
    if (kept) return kept;
    const sprint = await findRelative(reader, board, which, today);
    const stories = sprint ? await storiesOf(reader, sprint) : [];
    const tasks = sprint ? await tasksOf(reader, sprint, board.revision) : [];
    // Without a task it is not known yet.
    if (tasks.length === 0 && !(await isAt(reader, board))) return undefined;
    if (!sprint) throw new Problem(MISSING[which]);
    const byId = new Map(stories.map((story) => [story.id, story]));
    for (const task of tasks) byId.get(task.story_id)?.tasks.push(task);
    const full: FullSprint = { ...representSprint(sprint, now), stories };
    const answer = new Kept(etag, Buffer.from(JSON.stringify(full)));
    this.kept.set(etag, answer);
    return answer;
  }
}

async function storiesOf(reader: Reader, sprint: SprintRow): Promise<StoryWithTasks[]> {
  const rows = await reader.query<StoryRow>(
    `SELECT ${STORY_COLUMNS} FROM ${STORY_TABLES} WHERE s.board_id = ? AND s.sprint_id = ? ORDER BY s.seq, s.id`,
    [sprint.board_id, sprint.id],
  );
  return rows.map((row) => Object.assign(representStory(row), { tasks: [] }));
}

/** The tasks of the stories of a sprint, each story's in their order; none at another revision. */
async function tasksOf(reader: Reader, sprint: SprintRow, revision: number): Promise<TaskView[]> {
  const rows = await reader.query<TaskView>(
    `SELECT ${TASK_COLUMNS} FROM boards b JOIN stories s ON s.board_id = b.id JOIN tasks t ON t.story_id = s.id
     WHERE b.id = ? AND b.revision = ? AND s.sprint_id = ? ORDER BY t.story_id, t.seq, t.id`,
    [sprint.board_id, revision, sprint.id],
  );
  return rows.map(representTask);
}

async function isAt(reader: Reader, board: { id: number; revision: number }): Promise<boolean> {
  const found = await reader.query('SELECT id FROM boards WHERE id = ? AND revision = ?', [
    board.id,
    board.revision,
  ]);
  return found.length > 0;
}
