import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boardNamed } from '../boards/board.queries';
import { calendarDate, Clock, toRfc3339 } from '../time/clock';
import { fromHundredths } from '../reports/points';
import { Problem } from '../http/problem';
import { backlogTotals } from '../database/backlog-totals';
import { Database } from '../database/database';
import type { Reader } from '../database/engine';
import { findRelative, representSprint } from '../sprints/sprint.queries';
import { burndown } from './burndown';
import { daysFromTo } from './calendar';
import type { Throughput } from './forecast';
import { forecast, HISTORY, LEAST_HISTORY } from './forecast';
import type { BurndownView, ForecastQuery, ForecastView, ReportView } from './report.dto';
import { pastOf, reportOf, sprintOf } from './report.queries';
import { report } from './report';
import type { Totals, Velocity, VelocitySprint } from './velocity';
import { median, totals, velocity } from './velocity';

const DEFAULT_SEED = 1;
const MOST_TRIALS = 10_000;

/** A burndown, and what its picture needs besides. */
export interface Burndown extends BurndownView {
  /** Null once the sprint is completed. */
  today: string | null;
}

/** What is frozen with the completion of a sprint: its totals, and how many days it had. */
interface Frozen extends Totals {
  days: number;
}

type CompletedSprint = VelocitySprint & Frozen;

interface CompletedRow {
  id: number;
  board_id: number;
  version: number;
  name: string | null;
  start_date: string;
  end_date: string | null;
  completed_at: string;
}

/** Reads what became of sprints from the log, and foretells from it. */
@Injectable()
export class ReportsService {
  /**
   * What is frozen of completed sprints, by id and version. A sprint that is reopened has another
   * version from then on; so no other instance need be heard, and nothing is ever stale.
   */
  private readonly frozen = new LRUCache<string, Frozen>({ max: 10_000 });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem `sprint_not_found` */
  report(sprintId: number): Promise<ReportView> {
    const now = this.clock.now();
    return this.database.snapshot((reader) => reportOf(reader, sprintId, now));
  }

  /** @throws Problem `sprint_not_found` */
  async burndown(sprintId: number): Promise<Burndown> {
    const now = this.clock.now();
    return this.database.snapshot(async (reader) => {
      const row = await sprintOf(reader, sprintId);
      const past = await pastOf(reader, row, now);
      return {
        sprint: representSprint(row, now),
        days: burndown(past),
        today: past.completed ? null : calendarDate(now, past.time_zone),
      };
    });
  }

  /** The velocity of the last completed sprints of a board. @throws Problem `board_not_found` */
  velocity(boardName: string, last = 10): Promise<Velocity> {
    return this.database.snapshot(async (reader) => {
      const board = await boardNamed(reader, boardName);
      const sprints = await this.completed(reader, board, last);
      return velocity(sprints.map(({ days: _, ...sprint }) => sprint));
    });
  }

  /** What the board's past lets expect. @throws Problem `board_not_found`, `not_enough_history` */
  async forecast(boardName: string, query: ForecastQuery): Promise<ForecastView> {
    const { seed = DEFAULT_SEED, trials = MOST_TRIALS } = query;
    const now = this.clock.now();
    const { history, backlog, from } = await this.database.snapshot(async (reader) => {
      const board = await boardNamed(reader, boardName);
      const today = calendarDate(now, board.time_zone);
      const active = await findRelative(reader, board, 'current', today);
      return {
        history: await this.completed(reader, board, HISTORY),
        backlog: await backlogOf(reader, board),
        from: active?.end_date ?? today,
      };
    });
    if (history.length < LEAST_HISTORY) throw new Problem('not_enough_history');
    const { count, points } = backlog;
    return {
      seed,
      trials,
      history: { sprints: history.length },
      backlog: { count, points },
      ...forecast({
        history: history.map((sprint): Throughput => ({
          points: sprint.completed_points,
          count: sprint.completed_count,
        })),
        work: workOf(query, backlog),
        seed,
        trials,
        from,
        sprint_days: query.sprint_days ?? Math.round(median(history.map(({ days }) => days)) ?? 1),
      }),
    };
  }

  /** The last completed sprints of a board, oldest first; `reader` is a snapshot. */
  private async completed(
    reader: Reader,
    board: { id: number },
    most: number,
  ): Promise<CompletedSprint[]> {
    const rows = await reader.query<CompletedRow>(
      `SELECT id, board_id, version, name, start_date, end_date, completed_at FROM sprints
       WHERE board_id = ? AND completed_at IS NOT NULL ORDER BY start_date DESC, id DESC LIMIT ${most}`,
      [board.id],
    );
    const sprints: CompletedSprint[] = [];
    for (const row of rows.reverse()) {
      const { id, name, start_date, end_date } = row;
      const completed_at = toRfc3339(row.completed_at);
      const dates = { start_date, end_date, completed_at };
      sprints.push({ id, name, ...dates, ...(await this.frozenOf(reader, row)) });
    }
    return sprints;
  }

  private async frozenOf(reader: Reader, sprint: CompletedRow): Promise<Frozen> {
    const key = `${sprint.id}.${sprint.version}`;
    let found = this.frozen.get(key);
    if (!found) {
      const past = await pastOf(reader, sprint, this.clock.now());
      const last = past.end_date ?? calendarDate(new Date(past.end), past.time_zone);
      const days = Math.max(1, daysFromTo(past.start_date, last));
      found = { ...totals(report(past)), days };
      this.frozen.set(key, found);
    }
    return found;
  }
}

interface Backlog extends Throughput {
  /** Whether every story of it has points. */
  estimated: boolean;
}

/** The work that waits in the backlog of a board. */
async function backlogOf(reader: Reader, board: { id: number }): Promise<Backlog> {
  const totals = await backlogTotals(reader, board.id);
  const { backlog_count: count, backlog_estimated, backlog_hundredths } = totals;
  return {
    count,
    points: fromHundredths(backlog_hundredths),
    estimated: backlog_estimated === count,
  };
}

/** The work that was named or, where none was, the backlog: in points, if all of it is estimated. */
function workOf(
  { stories, points }: ForecastQuery,
  backlog: Backlog,
): { unit: keyof Throughput; amount: number } {
  if (stories !== undefined) return { unit: 'count', amount: stories };
  if (points !== undefined) return { unit: 'points', amount: points };
  const unit = backlog.estimated ? 'points' : 'count';
  return { unit, amount: backlog[unit] };
}
