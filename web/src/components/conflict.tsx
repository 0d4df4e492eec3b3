import { report } from '../state/announce';
import type { BoardStore } from '../state/board/board-store';
import type { Conflict } from '../state/changes/conflict';
import type { Card } from '../state/model';
import { useAnswer } from '../util/answer';
import { formatTime } from '../util/format';
import { quoted, whoOf } from '../util/names';
import { changesOf, WORDS } from '../views/story/history';
import { Button } from './controls';
import { Dialog } from './dialog';
import { NoAnswer } from './no-answer';
import { Values } from './not-saved';

interface ConflictDialogProps {
  store: BoardStore;
  conflict: Conflict;
  onLater: () => void;
}

/** Shows who changed a story or task before the change of the user arrived, and asks which change to keep. */
export function ConflictDialog({ store, conflict, onLater }: ConflictDialogProps) {
  const { target, seen, revision, label, entries } = conflict;
  const answer = useAnswer(() => store.rows.changesSince(target, seen, revision), [conflict]);
  const { data, error, isUnreachable } = answer;
  const events = data ?? [];
  const changed = entries[0]?.changed;
  const isPart = entries.some(({ count = 1 }) => count > 1);
  /** The story, if the label does not name it. */
  const named = changed ?? (isPart && target.entity === 'story' ? target.id : undefined);
  const deletion = events.find(({ type }) => type === 'story.deleted');
  const deleted = deletion?.before as Card | undefined;
  const isCreated = deleted !== undefined && changed === undefined;
  const story = store.view.value?.stories.get(named ?? 0) ?? events.at(-1)?.before;
  const title = (story as { title?: string } | undefined)?.title ?? `#${named}`;
  const applyAgain = (): void => store.applyAgain(conflict, events, deleted);
  const keepTheirs = (): void => {
    store.queue.dropConflict(conflict);
    report(`Discarded: ${label}`, { name: 'Undo', run: applyAgain });
  };
  return (
    <Dialog title="Your change was not saved" onClose={onLater}>
      <p>
        <strong>{label}</strong>
      </p>
      <Values changes={entries.map(({ change }) => change)} />
      <p>Meanwhile{named === undefined ? '' : `, ${quoted(title)}`}:</p>
      <NoAnswer {...answer} />
      <ul class="theirs" aria-label="Their changes">
        {events.map((event) => (
          <li key={event.revision}>
            <strong>{whoOf(event.actor)}</strong> {WORDS[event.type] ?? event.type},{' '}
            {formatTime(event.at)}
            {changesOf(event).map(({ name, from, to }) => (
              <div key={name} class="history-change">
                {name}: <del>{from}</del> → <ins>{to}</ins>
              </div>
            ))}
          </li>
        ))}
      </ul>
      {isCreated && <p>Press Create to save the story as a new one, with your change.</p>}
      <footer class="dialog-foot">
        <span class="note">Press Esc to decide later.</span>
        <span class="spring" />
        <Button onClick={keepTheirs}>Keep theirs</Button>
        <Button kind="primary" disabled={!data && !error && !isUnreachable} onClick={applyAgain}>
          {isCreated ? 'Create' : 'Apply mine again'}
        </Button>
      </footer>
    </Dialog>
  );
}
