import { useId } from 'preact/hooks';
import type { Sprint } from '../../api/types';
import { Skeleton } from '../../components/controls';
import { SprintOptions } from '../../components/sprint-options';
import { query, setQuery } from '../../router';
import type { BoardStore } from '../../state/board/board-store';
import type { BoardState } from '../../state/model';
import { findSprint, sprintsOf } from '../../state/model';
import { canWrite } from '../../state/session';
import { useTitle } from '../../state/title';
import { useReportInput } from '../../util/answer';
import { Forecast } from './forecast';
import { SprintReport } from './sprint-report';
import { Velocity } from './velocity';

/** The reports of a board: those of one sprint, the velocity and the forecast. */
export function ReportsView({ store }: { store: BoardStore }) {
  const input = useReportInput(store);
  const name = store.view.value?.board.name;
  useTitle(name && `Reports – ${name}`);
  const state = store.view.value;
  if (!state) return <Skeleton lines={6} />;
  const sprint = shownSprint(state);
  const completed = sprintsOf(state).filter(({ state }) => state === 'completed').length;
  return (
    <div class="reports">
      <header class="view-head">
        <div class="view-title">
          <h1>Reports</h1>
          <span class="spring" />
          {sprint && <SprintChoice state={state} sprint={sprint} />}
        </div>
      </header>
      {sprint ? (
        <SprintReport board={state.board.name} sprint={sprint} state={state} input={input} />
      ) : (
        <p class="empty">
          Reports are computed from the history of the board.
          {canWrite.value &&
            ' Create a sprint and add stories to it; its burndown begins on its first day.'}
        </p>
      )}
      <div class="figures">
        <Velocity board={state.board.name} input={input} />
        <Forecast board={state.board.name} input={input} completed={completed} />
      </div>
    </div>
  );
}

/** The sprint of the URL, by default the current one; else the last completed one, else the first one. */
function shownSprint(state: BoardState): Sprint | undefined {
  const sprints = sprintsOf(state);
  return (
    findSprint(state, query.value.get('sprint')) ??
    findSprint(state, 'current') ??
    sprints.findLast(({ state }) => state === 'completed') ??
    sprints[0]
  );
}

function SprintChoice({ state, sprint }: { state: BoardState; sprint: Sprint }) {
  const id = useId();
  return (
    <div class="choice">
      <label for={id}>Sprint</label>
      <select
        id={id}
        value={String(sprint.id)}
        onChange={(event) => setQuery({ sprint: event.currentTarget.value })}
      >
        <SprintOptions sprints={sprintsOf(state).reverse()} />
      </select>
    </div>
  );
}
