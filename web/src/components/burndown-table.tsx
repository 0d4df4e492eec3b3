import { api } from '../api/client';
import type { Burndown } from '../api/types';
import { useAnswer } from '../util/answer';
import { formatDay, formatNumber } from '../util/format';
import { NoAnswer } from './no-answer';
import { Table } from './table';

interface BurndownTableProps {
  sprint: number;
  input: string;
  kind?: 'burndown' | 'burnup';
}

/** The numbers of the burndown or of the burn-up of a sprint, day by day. */
export function BurndownTable({ sprint, input, kind = 'burndown' }: BurndownTableProps) {
  const load = async () => {
    const params = { path: { sprint_id: sprint } };
    return (await api.GET('/api/sprints/{sprint_id}/burndown', { params })).data as Burndown;
  };
  const answer = useAnswer(load, [sprint, input], sprint);
  const { data } = answer;
  if (!data) return <NoAnswer {...answer} />;
  // Like the picture, in stories if none has points. The ideal line is known in points only.
  const unit = data.days.some(({ scope_points }) => scope_points > 0) ? 'points' : 'count';
  const isUp = kind === 'burnup';
  const idealOf = ({ ideal_points: left }: Burndown['days'][number]): string => {
    if (left === null) return '–';
    // Like `sumOfPoints`, without the error of binary fractions.
    const completed = Math.round((data.committed_points - left) * 100) / 100;
    return formatNumber(isUp ? completed : left);
  };
  return (
    <Table
      name={`Numbers of the ${isUp ? 'burn-up' : 'burndown'}`}
      head={[
        'Day',
        'Scope',
        'Completed',
        ...(isUp ? [] : ['Remaining']),
        ...(unit === 'points' ? ['Ideal'] : []),
      ]}
      rows={data.days.map((day) => ({
        key: day.date,
        isSoft: !day.working,
        cells: [
          formatDay(day.date) + (day.working ? '' : ' (day off)'),
          formatNumber(day[`scope_${unit}`]),
          formatNumber(day[`completed_${unit}`]),
          ...(isUp ? [] : [formatNumber(day[`remaining_${unit}`])]),
          ...(unit === 'points' ? [idealOf(day)] : []),
        ],
      }))}
    />
  );
}
