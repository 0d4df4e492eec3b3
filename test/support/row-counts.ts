import { DeletedBoards } from '../../src/boards/deleted-boards.service';
import { Database } from '../../src/database/database';
import type { TestApp } from './app';

const TABLES = ['boards', 'sprints', 'stories', 'tasks', 'events'];

/** Counts the rows of boards, sprints, stories, tasks and events, after the purge has run. */
export async function rowCounts({ app }: TestApp): Promise<number[]> {
  await app.get(DeletedBoards).purge();
  const counts = await Promise.all(
    TABLES.map((table) =>
      app.get(Database).query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`),
    ),
  );
  return counts.map(([row]) => row?.n ?? 0);
}
