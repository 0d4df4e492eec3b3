import type { Change } from '../state/changes/change';
import { valuesOf } from '../state/changes/change';
import { nameOf, shown } from '../views/story/history';
import { Dialog } from './dialog';

/** The values of changes, as the user typed them. */
export function Values({ changes }: { changes: readonly Change[] }) {
  return (
    <ul class="theirs" aria-label="Your change">
      {changes.flatMap((change) =>
        Object.entries(valuesOf(change)).map(([name, value]) => (
          <li key={name} class="history-change">
            {nameOf(name)}: <ins>{shown(name, value)}</ins>
          </li>
        )),
      )}
    </ul>
  );
}

interface NotSavedProps {
  label: string;
  changes: readonly Change[];
  onClose: () => void;
}

/** Shows the text of changes that the service has rejected, so that the user can copy it. */
export function NotSaved({ label, changes, onClose }: NotSavedProps) {
  return (
    <Dialog title="Your change was not saved" onClose={onClose}>
      <p>
        <strong>{label}</strong>
      </p>
      <Values changes={changes} />
    </Dialog>
  );
}
