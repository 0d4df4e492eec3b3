import { Database } from '../../src/database/database';
import type { TestApp } from './app';

interface Row {
  name: string;
  revision: number;
  backlog_revision: number | null;
  backlog_count: number;
  backlog_estimated: number;
  backlog_hundredths: number;
  count: number;
  estimated: number;
  hundredths: number;
}

const STORIES = `FROM stories s WHERE s.board_id = b.id AND s.sprint_id IS NULL AND s.status <> 'done'`;

/** Throws where a board's row says something of its backlog, and its stories something else. */
export async function requireTotals({ app }: Pick<TestApp, 'app'>): Promise<void> {
  const rows = await app.get(Database).query<Row>(
    `SELECT b.name, b.revision, b.backlog_revision, b.backlog_count, b.backlog_estimated, b.backlog_hundredths,
       (SELECT COUNT(*) ${STORIES}) AS count, (SELECT COUNT(s.points) ${STORIES}) AS estimated,
       (SELECT COALESCE(SUM(ROUND(s.points * 100)), 0) ${STORIES}) AS hundredths
     FROM boards b WHERE b.name IS NOT NULL AND b.backlog_revision IS NOT NULL`,
  );
  const wrong = rows.filter(
    (row) =>
      row.revision !== row.backlog_revision ||
      row.count !== row.backlog_count ||
      row.estimated !== row.backlog_estimated ||
      row.hundredths !== row.backlog_hundredths,
  );
  if (wrong.length > 0) throw new Error(`wrong totals: ${JSON.stringify(wrong)}`);
}
