import { api } from '../api/client';
import type { Burndown } from '../api/types';
import { useAnswer } from '../util/answer';
import { formatDay, formatNumber } from '../util/format';
import { Table } from './table';

/** The numbers of the burndown of a sprint, day by day. */
export function BurndownTable({ sprint, revision }: { sprint: number; revision: number }) {
  const { data } = useAnswer(async () => {
    const params = { path: { sprint_id: sprint } };
    return (await api.GET('/api/sprints/{sprint_id}/burndown', { params })).data as Burndown;
  }, [sprint, revision]);
  if (!data) return null;
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
