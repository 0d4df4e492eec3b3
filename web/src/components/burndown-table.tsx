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
  return (
    <Table
      name="Numbers of the burndown"
      head={['Day', 'Scope', 'Done', 'Left', 'Ideal']}
      rows={data.days.map((day) => ({
        key: day.date,
        isSoft: !day.working,
        cells: [
          formatDay(day.date),
          formatNumber(day.scope_points),
          formatNumber(day.completed_points),
          formatNumber(day.remaining_points),
          day.ideal_points === null ? '–' : formatNumber(day.ideal_points),
        ],
      }))}
    />
  );
}
