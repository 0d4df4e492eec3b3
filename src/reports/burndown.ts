import { fromHundredths, hundredths } from './points';
import { calendarDate } from '../time/clock';
import { addDays, daysFromTo, isWorkingDay, workingDaysFromTo } from './calendar';
import type { SprintHistory, StoryState } from './replay';
import { commitment } from './report';
import type { BurndownDayView } from './report.dto';
import type { Steps } from './steps';

/** Sums of stories, or changes of these sums; points in hundredths. */
class Totals {
  scope = 0;
  completed = 0;
  scopeCount = 0;
  completedCount = 0;

  /** The points and the number of all stories, done or not. */
  get work(): { points: number; count: number } {
    return { points: fromHundredths(this.scope), count: this.scopeCount };
  }

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
  /** The commitment, as in the report. The ideal line starts at these points. */
  readonly committed: Totals['work'];
  /** The work in the sprint, at the end of its history. */
  readonly scope: Totals['work'];
  /** Whether the day with an index is a working day. */
  isWorking(index: number): boolean;
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
export function* burndown(history: SprintHistory): Steps<BurndownDays> {
  const { start_date, end_date, time_zone } = history;
  const today = calendarDate(new Date(history.end), time_zone);
  const last = end_date !== null && end_date < today ? end_date : today;
  const length = Math.max(0, daysFromTo(start_date, last));

  const changes = new Map<number, Totals>();
  const atEnd = new Totals();
  for (const { states } of history.stories) {
    let before: StoryState | undefined;
    for (const state of states) {
      yield;
      const index = daysFromTo(start_date, calendarDate(new Date(state.at), time_zone)) - 1;
      const day = Math.max(0, Math.min(index, length - 1));
      let change = changes.get(day);
      if (!change) changes.set(day, (change = new Totals()));
      change.addStory(before, -1);
      change.addStory(state, 1);
      before = state;
    }
    atEnd.addStory(before, 1);
  }

  const committed = new Totals();
  const atCommitment = yield* commitment(history);
  if (atCommitment) {
    for (const { states } of history.stories) {
      committed.addStory(states.findLast(atCommitment.includes), 1);
    }
  }
  // If no day of the sprint is a working day, all days count.
  const { working_days } = history;
  const daysUntilEnd =
    end_date !== null && workingDaysFromTo(start_date, end_date, working_days) > 0
      ? (first: string) => workingDaysFromTo(first, end_date, working_days)
      : (first: string) => daysFromTo(first, end_date as string);
  const planned = end_date === null ? 0 : daysUntilEnd(start_date);
  const dateOf = (index: number): string => addDays(start_date, index) as string;
  const isWorking = (index: number): boolean => isWorkingDay(dateOf(index), working_days);
  /** The points of the ideal line at the end of the day with an index; null without an end date. */
  const ideal = (index: number): number | null => {
    if (end_date === null) return null;
    if (dateOf(index) >= end_date) return 0;
    return fromHundredths((committed.scope * daysUntilEnd(dateOf(index + 1))) / planned);
  };
  const eventful = [...changes.keys()].sort((a, b) => a - b);
  function* at(indices: Iterable<number>): Generator<BurndownDayView> {
    const totals = new Totals();
    let next = 0;
    for (const day of indices) {
      for (; (eventful[next] ?? Infinity) <= day; next++) {
        totals.add(changes.get(eventful[next] as number) as Totals);
      }
      yield {
        date: dateOf(day),
        working: isWorking(day),
        scope_points: fromHundredths(totals.scope),
        completed_points: fromHundredths(totals.completed),
        remaining_points: fromHundredths(totals.scope - totals.completed),
        ideal_points: ideal(day),
        scope_count: totals.scopeCount,
        completed_count: totals.completedCount,
        remaining_count: totals.scopeCount - totals.completedCount,
      };
    }
  }
  return {
    length,
    committed: committed.work,
    scope: atEnd.work,
    isWorking,
    at,
    eventful,
    [Symbol.iterator]: () => at(Array(length).keys()),
  };
}
