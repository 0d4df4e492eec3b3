import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import type { Burndown as Data, Sprint } from '../../api/types';
import { Button } from '../../components/controls';
import type { BoardStore } from '../../state/board-store';
import { sprintName } from '../../state/model';
import { formatDay, formatNumber } from '../../util/format';

/** A burst of changes draws the picture once. */
const SETTLE_MS = 1500;

/** The picture stays as it is where the service cannot be reached. */
const ignore = (): void => undefined;

/** The burndown of a sprint: the picture of the service, and its numbers as a table. */
export function Burndown({ store, sprint }: { store: BoardStore; sprint: Sprint }) {
  const revision = useSignal(0);
  const isTable = useSignal(false);
  const data = useSignal<Data | null>(null);
  const picture = useSignal('');
  const current = store.revision.value;
  useEffect(() => {
    const timer = setTimeout(() => (revision.value = current), revision.value ? SETTLE_MS : 0);
    return () => clearTimeout(timer);
  }, [current]);
  useEffect(() => {
    if (sprint.state === 'planned') return;
    const params = { path: { sprint_id: sprint.id } };
    if (isTable.value) {
      void api.GET('/api/sprints/{sprint_id}/burndown', { params }).then((answer) => {
        data.value = answer.data as unknown as Data;
      }, ignore);
      return;
    }
    // An address would be drawn from the cache of the browser after a change.
    const options = { params, headers: { Accept: 'image/svg+xml' }, parseAs: 'text' } as const;
    void api.GET('/api/sprints/{sprint_id}/burndown', options).then((answer) => {
      picture.value = `data:image/svg+xml,${encodeURIComponent(answer.data as unknown as string)}`;
    }, ignore);
  }, [sprint.id, sprint.state, isTable.value, revision.value]);
  const name = `Burndown of ${sprintName(sprint)}`;
  const begun = sprint.state !== 'planned';
  return (
    <aside class="burndown" aria-label="Burndown">
      <div class="burndown-head">
        <h2>Burndown</h2>
        {begun && (
          <Button
            kind="quiet"
            aria-pressed={isTable.value}
            onClick={() => (isTable.value = !isTable.value)}
          >
            {isTable.value ? 'Show as picture' : 'Show as table'}
          </Button>
        )}
      </div>
      {!begun && <p class="empty">It begins on {formatDay(sprint.start_date)}.</p>}
      {begun && !isTable.value && picture.value && (
        <img src={picture.value} alt={name} width="842" height="450" />
      )}
      {begun && isTable.value && data.value && (
        <div class="table-wrap" tabIndex={0} role="region" aria-label="Numbers of the burndown">
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col">Left</th>
                <th scope="col">Ideal</th>
                <th scope="col">Done</th>
              </tr>
            </thead>
            <tbody>
              {data.value.days.map((day) => (
                <tr key={day.date}>
                  <th scope="row">{formatDay(day.date)}</th>
                  <td>{formatNumber(day.remaining_points)}</td>
                  <td>{day.ideal_points === null ? '–' : formatNumber(day.ideal_points)}</td>
                  <td>{formatNumber(day.completed_points)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </aside>
  );
}
