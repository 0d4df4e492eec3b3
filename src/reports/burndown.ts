import { calendarDate } from '../time/clock';
import { addDays, daysFromTo } from './calendar';
import { fromHundredths, hundredths } from './points';
import type { SprintHistory, StoryState } from './replay';
import { stateAt } from './replay';
import { commitment } from './report';
import type { BurndownDayView } from './report.dto';

/** Sums of stories, or changes of these sums; points in hundredths. */
class Totals {
  scope = 0;
  completed = 0;
  scopeCount = 0;
  completedCount = 0;

  addStory(state: StoryState | undefined, sign: 1 | -1): void {
    if (!state?.inside) return;
    const points = sign * hundredths(state.points);
    this.scope += points;
    this.scopeCount += sign;
    if (state.done) {
      this.completed += points;
      this.completedCount += sign;
    }
  }

  add(other: Totals): void {
    this.scope += other.scope;
    this.completed += other.completed;
    this.scopeCount += other.scopeCount;
    this.completedCount += other.completedCount;
  }
}

/**
 * The days of a burndown, oldest first. They are computed while they are iterated, because a sprint
 * without an end date may last for a thousand years.
 */
export interface BurndownDays extends Iterable<BurndownDayView> {
  readonly length: number;
  /** The committed points, in hundredths, at which the ideal line begins. */
  readonly committed: number;
  /** The days with these indices, which must ascend. */
  at(indices: Iterable<number>): Iterable<BurndownDayView>;
  /** The indices of the days with a change; between them only the date and the ideal line differ. */
  readonly eventful: readonly number[];
}

/**
 * The burndown of a sprint: a row for each day from its start to its end, its completion or today,
 * whichever is first. The first row includes all changes before it. The last row includes all changes
 * after it (of a sprint that has ended and is not completed), so that it agrees with the report.
 */
export function burndown(history: SprintHistory): BurndownDays {
  const { start_date, end_date, time_zone } = history;
  const today = calendarDate(new Date(history.end), time_zone);
  const last = end_date !== null && end_date < today ? end_date : today;
  const length = Math.max(0, daysFromTo(start_date, last));

  const changes = new Map<number, Totals>();
  for (const { states } of history.stories) {
    let before: StoryState | undefined;
    for (const state of states) {
      const index = daysFromTo(start_date, calendarDate(new Date(state.at), time_zone)) - 1;
      const day = Math.max(0, Math.min(index, length - 1));
      let change = changes.get(day);
      if (!change) changes.set(day, (change = new Totals()));
      change.addStory(before, -1);
      change.addStory(state, 1);
      before = state;
    }
  }

  const committed = committedHundredths(history);
  const planned = end_date === null ? null : daysFromTo(start_date, end_date);
  const eventful = [...changes.keys()].sort((a, b) => a - b);
  function* at(indices: Iterable<number>): Generator<BurndownDayView> {
    const totals = new Totals();
    let next = 0;
    for (const day of indices) {
      for (; (eventful[next] ?? Infinity) <= day; next++) {
        totals.add(changes.get(eventful[next] as number) as Totals);
      }
      yield {
        date: addDays(start_date, day) as string,
        scope_points: fromHundredths(totals.scope),
        completed_points: fromHundredths(totals.completed),
        remaining_points: fromHundredths(totals.scope - totals.completed),
        ideal_points: planned && fromHundredths((committed * (planned - day - 1)) / planned),
        scope_count: totals.scopeCount,
        completed_count: totals.completedCount,
        remaining_count: totals.scopeCount - totals.completedCount,
      };
    }
  }
  return { length, committed, at, eventful, [Symbol.iterator]: () => at(Array(length).keys()) };
}

function committedHundredths(history: SprintHistory): number {
  const committed = commitment(history);
  if (!committed) return 0;
  const totals = new Totals();
  for (const story of history.stories) totals.addStory(stateAt(story, committed.at), 1);
  return totals.scope;
}
