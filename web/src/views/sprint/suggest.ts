import type { Sprint } from '../../api/types';
import type { BoardState } from '../../state/model';
import { sprintsOf } from '../../state/model';
import { todayIn } from '../../util/calendar';

const DAY = 86_400_000;
const TWO_WEEKS = 14;

const numberOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY;
const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);

/** Days from the start of one sprint to that of the next. */
function cadence(last: Sprint, previous: Sprint | undefined): number {
  const start = numberOf(last.start_date);
  const between = previous ? start - numberOf(previous.start_date) : 0;
  if (between > 0) return between;
  if (!last.end_date) return TWO_WEEKS;
  const days = numberOf(last.end_date) - start + 1;
  // A sprint from Monday to Friday is followed by the next Monday.
  return days < 5 ? days : Math.ceil(days / 7) * 7;
}

/** A name and dates for the next sprint of the board. */
export function suggestSprint(
  state: BoardState,
): Pick<Sprint, 'name' | 'start_date' | 'end_date'> & { name: string } {
  const sprints = sprintsOf(state);
  const last = sprints.at(-1);
  const today = numberOf(todayIn(state.board.time_zone));
  if (!last) {
    // 1 January 1970 was a Thursday.
    const monday = today + ((11 - (today % 7)) % 7);
    const end = dateOf(monday + TWO_WEEKS - 3);
    return { name: 'Sprint 1', start_date: dateOf(monday), end_date: end };
  }
  const days = cadence(last, sprints.at(-2));
  let start = numberOf(last.start_date) + days;
  if (last.end_date) start = Math.max(start, numberOf(last.end_date) + 1);
  // Skips sprints in the past, after a pause of the team.
  while (start + days <= today) start += days;
  const length = last.end_date ? numberOf(last.end_date) - numberOf(last.start_date) : undefined;
  return {
    name: (last.name ?? '').replace(/\d+(?!.*\d)/, (number) => String(Number(number) + 1)),
    start_date: dateOf(start),
    end_date: length === undefined ? null : dateOf(start + length),
  };
}
