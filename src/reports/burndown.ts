import { calendarDate } from '../time/clock';
import { addDays, daysFromTo } from './calendar';
import type { SprintPast, StoryState } from './past';
import { stateAt } from './past';
import { fromHundredths, hundredths } from '../reports/points';
import { commitment } from './report';

/** A sprint at the end of one calendar day of its board's time zone. */
export interface BurndownDay {
  /** YYYY-MM-DD */
  date: string;
  scope_points: number;
  completed_points: number;
  remaining_points: number;
  /** Null in a sprint without an end date. */
  ideal_points: number | null;
  scope_count: number;
  completed_count: number;
  remaining_count: number;
}

class Level {
  scope = 0;
  completed = 0;
  scopeCount = 0;
  completedCount = 0;

  add(state: StoryState | undefined, sign: 1 | -1): void {
    if (!state?.inside) return;
    const points = sign * hundredths(state.points);
    this.scope += points;
    this.scopeCount += sign;
    if (state.done) {
      this.completed += points;
      this.completedCount += sign;
    }
  }

  raise(by: Level): void {
    this.scope += by.scope;
    this.completed += by.completed;
    this.scopeCount += by.scopeCount;
    this.completedCount += by.completedCount;
  }
}

/**
 * The rows of a burndown, oldest first. They are made when they are read, for a sprint without an end
 * may have been going on for a thousand years.
 */
export interface BurndownDays extends Iterable<BurndownDay> {
  readonly length: number;
  /** In hundredths; where the ideal line begins. */
  readonly committed: number;
  /** Those of some days, by their place, in ascending order. */
  at(places: Iterable<number>): Iterable<BurndownDay>;
  /** The places of the days on which something happened; between them nothing but the date changes. */
  readonly eventful: readonly number[];
}

/**
 * A sprint's burndown: a row for each day from its start to its end, its completion or today,
 * whichever is first. What happened before the first day is in the first row, what happened after
 * the last day (a sprint that is over and not completed) in the last, which agrees with the report.
 */
export function burndown(past: SprintPast): BurndownDays {
  const { start_date, end_date, time_zone } = past;
  const today = calendarDate(new Date(past.end), time_zone);
  const last = end_date !== null && end_date < today ? end_date : today;
  const length = Math.max(0, daysFromTo(start_date, last));

  const changes = new Map<number, Level>();
  for (const { states } of past.stories) {
    let before: StoryState | undefined;
    for (const state of states) {
      const place = daysFromTo(start_date, calendarDate(new Date(state.at), time_zone)) - 1;
      const day = Math.max(0, Math.min(place, length - 1));
      let change = changes.get(day);
      if (!change) changes.set(day, (change = new Level()));
      change.add(before, -1);
      change.add(state, 1);
      before = state;
    }
  }

  const committed = committedHundredths(past);
  const planned = end_date === null ? null : daysFromTo(start_date, end_date);
  const eventful = [...changes.keys()].sort((a, b) => a - b);
  function* at(places: Iterable<number>): Generator<BurndownDay> {
    const now = new Level();
    let next = 0;
    for (const day of places) {
      for (; (eventful[next] ?? Infinity) <= day; next++) {
        now.raise(changes.get(eventful[next] as number) as Level);
      }
      yield {
        date: addDays(start_date, day) as string,
        scope_points: fromHundredths(now.scope),
        completed_points: fromHundredths(now.completed),
        remaining_points: fromHundredths(now.scope - now.completed),
        ideal_points: planned && fromHundredths((committed * (planned - day - 1)) / planned),
        scope_count: now.scopeCount,
        completed_count: now.completedCount,
        remaining_count: now.scopeCount - now.completedCount,
      };
    }
  }
  return { length, committed, at, eventful, [Symbol.iterator]: () => at(Array(length).keys()) };
}

function committedHundredths(past: SprintPast): number {
  const committed = commitment(past);
  if (!committed) return 0;
  const level = new Level();
  for (const story of past.stories) level.add(stateAt(story, committed.at), 1);
  return level.scope;
}
