import type { Change, LockedBoard } from '../database/change';
import type { Members } from '../events/event';
import { rfc3339 } from '../common/clock';

/** Rows that one UPDATE gives new places. */
const CHUNK = 250;

/** A story that gets a new place: another list of its board, another `seq`, or both. */
export interface Reseat {
  /** As it is stored. */
  story: { id: number; seq: number; version: number; updated_at: string };
  /** Sprint, or null for the backlog. */
  from: number | null;
  to: number | null;
  seq: number;
}

/** Gives stories of a board their new places, in few statements, and tells each as `story.moved`. */
export async function reseat(
  change: Change,
  board: LockedBoard,
  seats: readonly Reseat[],
): Promise<void> {
  const moving = seats.filter(({ story, from, to, seq }) => from !== to || story.seq !== seq);
  for (let start = 0; start < moving.length; start += CHUNK) {
    const chunk = moving.slice(start, start + CHUNK);
    const ids = chunk.map(({ story }) => story.id);
    await change.run(
      `UPDATE stories SET
         sprint_id = CASE id ${chunk.map(() => 'WHEN ? THEN ?').join(' ')} END,
         seq = CASE id ${chunk.map(() => 'WHEN ? THEN ?').join(' ')} END,
         updated_at = ?, version = version + 1
       WHERE id IN (${ids.map(() => '?').join(', ')})`,
      [
        ...chunk.flatMap(({ story, to }) => [story.id, to]),
        ...chunk.flatMap(({ story, seq }) => [story.id, seq]),
        change.now,
        ...ids,
      ],
    );
    for (const { story, from, to, seq } of chunk) {
      const told = { before: {} as Members, after: {} as Members };
      const tell = (name: string, was: unknown, is: unknown): void => {
        if (was === is) return;
        told.before[name] = was;
        told.after[name] = is;
      };
      tell('sprint_id', from, to);
      tell('seq', story.seq, seq);
      tell('updated_at', rfc3339(story.updated_at), rfc3339(change.now));
      tell('version', story.version, story.version + 1);
      change.record(board, {
        type: 'story.moved',
        entity: 'story',
        id: story.id,
        version: story.version + 1,
        ...told,
        from_sprint_id: from,
        sprint_id: to,
      });
    }
  }
}
