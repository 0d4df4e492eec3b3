import type { Cell } from '../http/responses/csv';
import { csvLine } from '../http/responses/csv';
import type { Report } from './report';
import type { BurndownDayView, ForecastView, VelocityView } from './report.dto';

const GROUPS = [
  'committed',
  'added',
  'removed',
  're_estimated',
  'completed',
  'unfinished',
] as const satisfies (keyof Report)[];
const REPORT_COLUMNS = ['group', 'id', 'title', 'points', 'from', 'to', 'carried_to'] as const;
const BURNDOWN_COLUMNS = [
  'date',
  'working',
  'scope_points',
  'completed_points',
  'remaining_points',
  'ideal_points',
  'scope_count',
  'completed_count',
  'remaining_count',
] as const satisfies (keyof BurndownDayView)[];
const VELOCITY_COLUMNS = [
  'id',
  'name',
  'start_date',
  'end_date',
  'completed_at',
  'committed_points',
  'completed_points',
  'unfinished_points',
  'committed_count',
  'completed_count',
  'unfinished_count',
] as const satisfies (keyof VelocityView['sprints'][number])[];
const FORECAST_COLUMNS = ['percent', 'sprints', 'date', 'points', 'count'] as const;

/** Rows of a chunk. */
const CHUNK = 500;

/** A report as CSV: a row for each story of each group. */
export function reportCsv(report: Report): string {
  const rows = GROUPS.flatMap((group) =>
    report[group].stories.map((story) => ({ group, ...story })),
  );
  return [...csv(REPORT_COLUMNS, rows)].join('');
}

/** A burndown as CSV, in chunks: a row for each day. */
export function burndownCsv(days: Iterable<BurndownDayView>): Iterable<string> {
  return csv(BURNDOWN_COLUMNS, days);
}

/** A velocity as CSV: a row for each sprint. */
export function velocityCsv({ sprints }: VelocityView): string {
  return [...csv(VELOCITY_COLUMNS, sprints)].join('');
}

/** A forecast as CSV: a row for each percentage. */
export function forecastCsv({
  when,
  next_sprint,
}: Pick<ForecastView, 'when' | 'next_sprint'>): string {
  const rows = when.map((row, index) => ({ ...row, ...next_sprint[index] }));
  return [...csv(FORECAST_COLUMNS, rows)].join('');
}

/**
 * CSV (RFC 4180) with a header; null and undefined are empty. Unlike in lists, a value that a spreadsheet may read as
 * a formula is not altered (docs/decisions/reports-forms.md).
 */
function* csv<Column extends string>(
  columns: readonly Column[],
  rows: Iterable<Partial<Record<Column, Cell>>>,
): Generator<string> {
  let lines = csvLine(columns);
  let count = 0;
  for (const row of rows) {
    lines += csvLine(columns.map((column) => row[column]));
    count += 1;
    if (count % CHUNK > 0) continue;
    yield lines;
    lines = '';
  }
  yield lines;
}
