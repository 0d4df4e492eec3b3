import { api } from '../api/client';
import type { Burndown } from '../api/types';
import { useAnswer } from '../util/answer';
import { formatDay, formatNumber } from '../util/format';
import { NoAnswer } from './no-answer';
import { Table } from './table';

/** The numbers of the burndown of a sprint, day by day. */
export function BurndownTable({ sprint, revision }: { sprint: number; revision: number }) {
  const load = async () => {
    const params = { path: { sprint_id: sprint } };
    return (await api.GET('/api/sprints/{sprint_id}/burndown', { params })).data as Burndown;
  };
  const answer = useAnswer(load, [sprint, revision], sprint);
  const { data } = answer;
  if (!data) return <NoAnswer {...answer} />;
  // Like the picture, in stories if none has points. The ideal line is known in points only.
  const unit = data.days.some(({ scope_points }) => scope_points > 0) ? 'points' : 'count';
  return (
    <Table
      name="Numbers of the burndown"
      head={['Day', 'Scope', 'Done', 'Left', ...(unit === 'points' ? ['Ideal'] : [])]}
      rows={data.days.map((day) => ({
        key: day.date,
        isSoft: !day.working,
        cells: [
          formatDay(day.date),
          formatNumber(day[`scope_${unit}`]),
          formatNumber(day[`completed_${unit}`]),
          formatNumber(day[`remaining_${unit}`]),
          ...(unit === 'points'
            ? [day.ideal_points === null ? '–' : formatNumber(day.ideal_points)]
            : []),
        ],
      }))}
    />
  );
}
