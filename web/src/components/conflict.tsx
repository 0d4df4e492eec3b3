import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api/client';
import type { Event } from '../api/types';
import type { BoardStore } from '../state/board-store';
import type { Conflict } from '../state/queue';
import { formatTime } from '../util/format';
import { changesOf } from '../views/story/history';
import { Button } from './controls';
import { Dialog } from './dialog';

/** Says who changed a story before the change of the user arrived, and asks which one shall stay. */
export function ConflictDialog({ store, conflict }: { store: BoardStore; conflict: Conflict }) {
  const events = useSignal<readonly Event[]>([]);
  const { entity, id } = conflict.target;
  useEffect(() => {
    if (entity !== 'story') return;
    const params = { path: { story_id: id } };
    void api.GET('/api/stories/{story_id}/history', { params }).then(
      ({ data }) => {
        events.value = (data as Event[]).filter(
          ({ after }) => Number((after as { version?: number } | null)?.version) > conflict.seen,
        );
      },
      () => undefined,
    );
  }, [conflict]);
  const keep = (): void => store.queue.dropConflict(conflict);
  return (
    <Dialog title="Someone else was faster" onClose={keep}>
      <p>
        Your change was not made: <strong>{conflict.label}</strong>
      </p>
      <ul class="theirs">
        {events.value.map((event) => (
          <li key={event.revision}>
            <strong>{event.actor}</strong>, {formatTime(event.at)}
            {changesOf(event).map(({ name, from, to }) => (
              <div key={name} class="history-change">
                {name}: <del>{from}</del> → <ins>{to}</ins>
              </div>
            ))}
          </li>
        ))}
      </ul>
      <footer class="dialog-foot">
        <span class="spring" />
        <Button onClick={keep}>Keep theirs</Button>
        <Button kind="primary" onClick={() => store.applyAgain(conflict)}>
          Apply mine again
        </Button>
      </footer>
    </Dialog>
  );
}
