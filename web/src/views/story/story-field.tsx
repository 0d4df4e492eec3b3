import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import type { BoardStore } from '../../state/board/board-store';
import type { Change } from '../../state/changes/change';
import type { StoryFieldRequest } from '../../state/dialogs';
import type { BoardState } from '../../state/model';
import { plural } from '../../util/format';
import { quoted } from '../../util/names';
import { assigneesOf, draftOf, emptyDraft, errorsOf, fieldsOf, Suggestions } from './fields';

const LABELS = { points: 'Points', assignee: 'Assignee' } as const;

interface StoryFieldProps {
  store: BoardStore;
  state: BoardState;
  request: StoryFieldRequest;
  onClose: () => void;
}

/** A dialog for one field of one story, or of all selected ones. */
export function StoryField({ store, state, request: { field, ids }, onClose }: StoryFieldProps) {
  const people = useId();
  /** The stories when the dialog opened, so that changes of others are not overwritten unseen. */
  const originals = useRef(ids.flatMap((id) => state.stories.get(id) ?? [])).current;
  const [first] = originals;
  const texts = new Set(originals.map((story) => draftOf(story)[field]));
  const typed = useSignal<string | undefined>(undefined);
  const text = typed.value ?? (texts.size === 1 ? [...texts].join('') : '');
  if (!first) return null;
  const label = LABELS[field];
  const what =
    ids.length === 1 ? quoted(first.title) : plural(originals.length, 'story', 'stories');
  const draft = { ...emptyDraft(null), title: first.title, [field]: text };
  const error = errorsOf(draft, state)[field];
  const save = (): void => {
    if (error) return;
    const set = { [field]: fieldsOf(draft)[field] };
    const changed = originals.filter((story) => story[field] !== set[field]);
    store.change(
      changed.map(({ id }): Change => ({ kind: 'story.update', id, set })),
      changed.length === 1
        ? { seen: changed[0]?.version }
        : {
            label: `Change ${label.toLowerCase()} of ${plural(changed.length, 'story', 'stories')}`,
          },
    );
    onClose();
  };
  return (
    <Dialog title={`${label} of ${what}`} onClose={onClose}>
      <DialogForm
        action="Save"
        isDisabled={typed.value === undefined}
        onSubmit={save}
        onCancel={onClose}
      >
        <TextField
          label={label}
          error={error}
          hint={texts.size > 1 ? 'They have different values now.' : undefined}
          value={text}
          inputMode={field === 'points' ? 'decimal' : undefined}
          list={field === 'assignee' ? people : undefined}
          autocomplete="off"
          autoFocus
          onText={(next) => (typed.value = next)}
        />
        <Suggestions id={people} texts={assigneesOf(state)} />
      </DialogForm>
    </Dialog>
  );
}
