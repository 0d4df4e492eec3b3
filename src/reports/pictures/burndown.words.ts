import type { SprintView } from '../../sprints/sprint.dto';
import type { BurndownDays } from '../burndown';
import type { BurndownDayView } from '../report.dto';
import type { Unit } from './text';
import { counted, day, noun, number, range } from './text';

/** The data that the picture of a burndown shows. */
export interface BurndownPicture {
  sprint: Pick<SprintView, 'board_name' | 'name' | 'start_date' | 'end_date' | 'state'>;
  days: Pick<BurndownDays, 'length' | 'at' | 'committed' | 'isWorking'>;
  /** Today, or the day on which the sprint was completed, in the time zone of its board. */
  date: string;
  /** The work in the sprint. */
  scope: Record<Unit, number>;
  /** Whether the remaining or the completed work is drawn. */
  kind: 'burndown' | 'burnup';
}

/** "Sprint 12"; a sprint without a name is called after its first day. */
export const sprintName = ({ name, start_date }: BurndownPicture['sprint']): string =>
  name ?? `Sprint of ${day(start_date)}`;

/** The main result in words: "21 of 31 points left, 4 working days". */
export function burndownHeadline(
  of: BurndownPicture,
  unit: Unit,
  last: BurndownDayView | undefined,
  workingDays: number,
): string {
  const { sprint, scope, kind } = of;
  if (!last) {
    const planned = scope[unit] > 0 ? `${counted(scope[unit], unit)} planned` : 'Nothing planned';
    return `${planned}, ${startOrCompletion(of)}`;
  }
  const when = whenOf(of, workingDays);
  const total = last[`scope_${unit}`];
  const left = last[`remaining_${unit}`];
  if (total === 0) return `No stories, ${when}`;
  const all = counted(total, unit);
  const isDone = kind === 'burnup' || sprint.state === 'completed' || left === 0;
  if (!isDone) return `${number(left)} of ${all} left, ${when}`;
  const done = left === 0 ? `All ${all}` : `${number(last[`completed_${unit}`])} of ${all}`;
  return `${done} done, ${when}${when.includes('working') ? ' left' : ''}`;
}

/** The start or completion of a sprint without days to draw: "starts Nov 16". */
export const startOrCompletion = ({ sprint, date }: BurndownPicture): string =>
  sprint.state === 'completed' ? `completed ${day(date)}` : `starts ${day(sprint.start_date)}`;

function whenOf(
  { sprint: { state, end_date }, date }: BurndownPicture,
  workingDays: number,
): string {
  if (state === 'completed') return `completed ${day(date)}`;
  if (end_date === null) return 'no end date';
  if (state === 'ended') return `ended ${day(end_date)}`;
  return `${workingDays} working ${workingDays === 1 ? 'day' : 'days'}`;
}

/** The numbers of the picture, for readers who cannot see it; for more than 62 days, only the last day. */
export function burndownDescription(
  { sprint, days, kind }: BurndownPicture,
  unit: Unit,
  shown: readonly BurndownDayView[],
): string {
  const up = kind === 'burnup';
  const rows = shown.length > 62 ? shown.slice(-1) : shown;
  const values = rows.map((row) => {
    const value = row[up ? (`completed_${unit}` as const) : (`remaining_${unit}` as const)];
    return `${day(row.date)}: ${number(value)} of ${number(row[`scope_${unit}`])}`;
  });
  return [
    `${up ? 'Completed' : 'Remaining'} ${noun(unit, 2)} at the end of each day`,
    `${range(sprint.start_date, sprint.end_date)}, ${number(days.committed[unit])} committed`,
    ...values,
  ].join('; ');
}
