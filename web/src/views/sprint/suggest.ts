import type { Sprint } from '../../api/types';
import type { BoardState } from '../../state/model';
import { sprintsOf } from '../../state/model';
import { todayIn } from '../../util/calendar';

const DAY = 86_400_000;
const TWO_WEEKS = 14;

/** 9999-12-31 */
const LAST_DAY = 2_932_896;

const numberOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY;
const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);

/** Days from the start of one sprint to that of the next. */
function cadence(last: Sprint, previous: Sprint | undefined): number {
  const start = numberOf(last.start_date);
  const between = previous ? start - numberOf(previous.start_date) : 0;
  const days = last.end_date ? numberOf(last.end_date) - start + 1 : undefined;
  // A longer time was a pause of the team.
  if (between > 0 && (days === undefined || between <= 2 * days)) return between;
  if (days === undefined) return TWO_WEEKS;
  // A sprint from Monday to Friday is followed by the next Monday.
  return days < 5 ? days : Math.ceil(days / 7) * 7;
}

/** The next name that no sprint has: “Sprint 3” after “Sprint 2”, “Launch 2” after “Launch”. */
function nextName({ name: last }: Sprint, sprints: readonly Sprint[]): string {
  if (!last) return '';
  const names = new Set(sprints.map(({ name }) => name));
  let name = /\d/.test(last) ? last : `${last} 1`;
  do name = name.replace(/\d+(?!.*\d)/, (number) => String(BigInt(number) + 1n));
  while (names.has(name));
  return name;
}

/** The end date of a sprint that begins on another date and has the same length; empty if there is none. */
export function movedEnd(
  { start_date, end_date }: { start_date: string; end_date: string },
  to: string,
): string {
  if (!end_date || !to) return end_date;
  const end = numberOf(to) + numberOf(end_date) - numberOf(start_date);
  return end <= LAST_DAY ? dateOf(end) : '';
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
  // Some tools write 31 December 9999 for a sprint without an end.
  start = Math.min(start, LAST_DAY);
  const length = last.end_date ? numberOf(last.end_date) - numberOf(last.start_date) : undefined;
  return {
    name: nextName(last, sprints),
    start_date: dateOf(start),
    end_date: length === undefined ? null : dateOf(Math.min(start + length, LAST_DAY)),
  };
}
