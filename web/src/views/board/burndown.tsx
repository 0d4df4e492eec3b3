import type { Sprint } from '../../api/types';
import { BurndownTable } from '../../components/burndown-table';
import { Figure } from '../../components/figure';
import type { BoardStore } from '../../state/board/board-store';
import { sprintName } from '../../state/model';
import { useReportInput } from '../../util/answer';
import { formatLongDay } from '../../util/format';

/** The burndown of a sprint beside its board. */
export function Burndown({ store, sprint }: { store: BoardStore; sprint: Sprint }) {
  const input = useReportInput(store);
  return (
    <aside class="burndown" aria-label="Burndown">
      {sprint.state === 'planned' ? (
        <>
          <h2>Burndown</h2>
          <p class="empty">The burndown begins on {formatLongDay(sprint.start_date)}.</p>
        </>
      ) : (
        <Figure
          title="Burndown"
          name={`Burndown of ${sprintName(sprint)}`}
          href={`/api/sprints/${sprint.id}/burndown`}
          input={input}
          table={() => <BurndownTable sprint={sprint.id} input={input} />}
        />
      )}
    </aside>
  );
}
