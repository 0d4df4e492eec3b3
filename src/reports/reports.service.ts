import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { findBoard } from '../boards/board.queries';
import { Database } from '../database/database';
import { FairQueue } from '../database/fair-queue';
import type { Reader } from '../database/reader';
import type { Client } from '../http/client';
import { Problem } from '../http/problem';
import { atRevision } from '../http/responses/board-revision';
import type { SprintView } from '../sprints/sprint.dto';
import type { SprintReference, SprintRow } from '../sprints/sprint.queries';
import { representSprint, SprintQueries } from '../sprints/sprint.queries';
import { calendarDate, Clock, toRfc3339 } from '../time/clock';
import type { BurndownDays } from './burndown';
import { burndown } from './burndown';
import { addDays, daysFromTo } from './calendar';
import type { ForecastQuestion, Work } from './forecast';
import { forecast, HISTORY, MIN_HISTORY } from './forecast';
import { report } from './report';
import type {
  ForecastQuery,
  ForecastView,
  ReportView,
  VelocitySprintView,
  VelocityView,
} from './report.dto';
import type { Backlog, ReplayedSprint } from './report.queries';
import { countBacklog, readHistory, replaySprint } from './report.queries';
import { inSteps } from './steps';
import type { SprintTotals } from './velocity';
import { cadence, totals, velocity } from './velocity';

const DEFAULT_SEED = 1;
const DEFAULT_TRIALS = 10_000;

/** Maximum milliseconds that a forecast waits for others; one takes up to 0.2 s. */
const WAIT_MS = 2000;

/** A burndown with the other data that its picture needs. */
export interface Burndown {
  sprint: SprintView;
  days: BurndownDays;
  /** Today, or the day on which the sprint was completed, in the time zone of its board. */
  date: string;
}

/** A velocity with the other data that its picture needs. */
export interface Velocity {
  board: string;
  view: VelocityView;
  /** The last day of each sprint: its end date or, without one, the day of its completion in the time zone of its board. */
  lastDays: string[];
}

/** A forecast with the other data that its picture needs. */
export interface Forecast extends Pick<ForecastQuestion, 'history' | 'work' | 'from'> {
  board: string;
  view: ForecastView;
}

/** A completed sprint, and the snapshot from which it was read. */
interface CompletedSprint {
  reader: Reader;
  sprint: SprintRow;
}

/** The totals of a completed sprint and its length in days. */
interface CompletedTotals extends SprintTotals {
  days: number;
}

/** Reads reports of sprints from the log, and makes forecasts from them. */
@Injectable()
export class ReportsService {
  /**
   * By id, version and last change of the sprint: the totals of a completed sprint are final, and reopening it
   * raises its version. After a backup was restored, a version may repeat, but with another time. So no
   * entry is ever stale, whichever instance changes the sprint.
   */
  private readonly completedTotals = new LRUCache<string, CompletedTotals, CompletedSprint>({
    max: 10_000,
    fetchMethod: (_key, _stale, { context }) => this.readTotals(context),
  });

  /**
   * Runs one simulation at a time: with sixteen concurrent ones, a request would wait for sixteen steps instead
   * of one.
   */
  private readonly simulation = new FairQueue(1, WAIT_MS);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sprints: SprintQueries,
  ) {}

  /** @throws Problem `sprint_not_found` */
  report(client: Client, reference: SprintReference): Promise<ReportView> {
    const now = this.clock.now();
    return this.database.snapshot(client, (reader) => this.reportOf(reader, reference, now));
  }

  /**
   * Computes the report of a sprint at its completion or, while it is open, now. Of a completed sprint only the
   * field `sprint` can change.
   * @param reader a snapshot, or a change that has flushed its events
   * @param earlier a replay of the sprint, to which the later events are added
   * @throws Problem `sprint_not_found`
   */
  async reportOf(
    reader: Reader,
    reference: SprintReference,
    now: Date,
    earlier?: ReplayedSprint,
  ): Promise<ReportView> {
    const row = await this.sprints.get(reader, reference, now);
    const found = await inSteps(
      report(await readHistory(reader, row, now, earlier)),
      reader.signal,
    );
    return atRevision({ sprint: representSprint(row, now), ...found }, row.revision);
  }

  /**
   * Replays a sprint before a change that reports it, so that the change reads only the later events: reading
   * 40,000 events within the change delayed other changes by 0.4 s.
   * @returns undefined if there is no such sprint, which the change reports
   */
  replayed(client: Client, reference: SprintReference): Promise<ReplayedSprint | undefined> {
    const now = this.clock.now();
    return this.database
      .snapshot(client, async (reader) =>
        replaySprint(reader, await this.sprints.get(reader, reference, now)),
      )
      .catch((error: unknown) => {
        if (error instanceof Problem && error.status === 404) return undefined;
        throw error;
      });
  }

  /** @throws Problem `sprint_not_found` */
  burndown(client: Client, reference: SprintReference): Promise<Burndown> {
    const now = this.clock.now();
    return this.database.snapshot(client, async (reader) => {
      const row = await this.sprints.get(reader, reference, now);
      const history = await readHistory(reader, row, now);
      const found = {
        sprint: representSprint(row, now),
        days: await inSteps(burndown(history), reader.signal),
        date: calendarDate(new Date(history.end), history.time_zone),
      };
      return atRevision(found, row.revision);
    });
  }

  /** The velocity of the last completed sprints of a board. @throws Problem `board_not_found` */
  velocity(client: Client, boardName: string, last = 10): Promise<Velocity> {
    return this.database.snapshot(client, async (reader) => {
      const board = await findBoard(reader, boardName);
      const completed = await this.sprints.findCompleted(reader, board.id, last);
      const sprints: VelocitySprintView[] = [];
      const lastDays: string[] = [];
      for (const row of completed) {
        const { days, ...sums } = await this.totalsOf(reader, row);
        const { id, name, start_date, end_date } = row;
        const completed_at = toRfc3339(row.completed_at as string);
        sprints.push({ id, name, start_date, end_date, completed_at, ...sums });
        lastDays.push(addDays(start_date, days - 1) as string);
      }
      const view = velocity(sprints);
      return atRevision({ board: board.name, view, lastDays }, board.revision);
    });
  }

  /** @throws Problem `board_not_found`, `not_enough_history`, `overloaded` */
  async forecast(client: Client, boardName: string, query: ForecastQuery): Promise<Forecast> {
    const { seed = DEFAULT_SEED, trials = DEFAULT_TRIALS } = query;
    const now = this.clock.now();
    const { board, history, backlog, from } = await this.database.snapshot(
      client,
      async (reader) => {
        const board = await findBoard(reader, boardName);
        const today = calendarDate(now, board.time_zone);
        const active = await this.sprints.findLastActive(reader, board.id, today);
        const history: (CompletedTotals & { start_date: string })[] = [];
        for (const row of await this.sprints.findCompleted(reader, board.id, HISTORY)) {
          const { start_date } = row;
          history.push({ start_date, ...(await this.totalsOf(reader, row)) });
        }
        const backlog = await countBacklog(reader, board.id);
        const end = active?.end_date;
        // There is no day after 9999-12-31.
        const from = end ? (addDays(end, 1) ?? end) : today;
        return { board, history, backlog, from };
      },
    );
    if (history.length < MIN_HISTORY) throw new Problem('not_enough_history');
    const { count, points } = backlog;
    const sprint_days = query.sprint_days ?? cadence(history);
    const question: ForecastQuestion = {
      history: history.map((sprint) => ({
        points: sprint.completed_points,
        count: sprint.completed_count,
      })),
      work: workOf(query, backlog),
      seed,
      trials,
      from,
      sprint_days,
    };
    const view = {
      seed,
      trials,
      history: { sprints: history.length },
      backlog: { count, points },
      asked: { stories: query.stories ?? null, points: query.points ?? null, sprint_days, from },
      ...(await this.simulation.run(client.key, () => inSteps(forecast(question), client.signal))),
    };
    return atRevision({ board: board.name, view, ...question }, board.revision);
  }

  /**
   * Concurrent requests await the same read. So it continues when the client of one disconnects, which takes 0.4 s
   * for 40,000 events.
   */
  private totalsOf(reader: Reader, sprint: SprintRow): Promise<CompletedTotals> {
    reader.signal?.throwIfAborted();
    const key = `${sprint.id}.${sprint.version}.${sprint.updated_at}`;
    return this.completedTotals.forceFetch(key, {
      context: { reader: { ...reader, signal: undefined }, sprint },
    });
  }

  private async readTotals({ reader, sprint }: CompletedSprint): Promise<CompletedTotals> {
    const history = await readHistory(reader, sprint, this.clock.now());
    const last = history.end_date ?? calendarDate(new Date(history.end), history.time_zone);
    const days = Math.max(1, daysFromTo(history.start_date, last));
    return { ...totals(await inSteps(report(history))), days };
  }
}

/** Returns the requested work or, by default, the backlog: in points if all of its stories have points. */
function workOf({ stories, points }: ForecastQuery, backlog: Backlog): Work {
  if (stories !== undefined) return { unit: 'count', amount: stories };
  if (points !== undefined) return { unit: 'points', amount: points };
  const unit = backlog.estimated ? 'points' : 'count';
  return { unit, amount: backlog[unit] };
}
