import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import type { BoardStore } from '../../state/board/board-store';
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
  const typed = useSignal<string | undefined>(undefined);
  const isChecked = useSignal(false);
  /** The stories when the dialog opened. */
  const originals = useRef(ids.flatMap((id) => state.stories.get(id) ?? [])).current;
  const [first] = originals;
  useEffect(() => {
    // They were deleted while the script of the dialog was loaded.
    if (!first) onClose();
  }, []);
  if (!first) return null;

  const label = LABELS[field];
  const texts = new Set(originals.map((story) => draftOf(story)[field]));
  const text = typed.value ?? (texts.size === 1 ? [...texts].join('') : '');
  const draft = { ...emptyDraft(null), title: first.title, [field]: text };
  const error = errorsOf(draft, state)[field];
  const save = (): void => {
    isChecked.value = true;
    if (error) return;
    const set = { [field]: fieldsOf(draft)[field] };
    const changes = originals.flatMap((original) => {
      // The service may have assigned an id to a new story.
      const present = state.stories.get(store.sender.created.get(original.id) ?? original.id);
      const { id, [field]: value } = present ?? original;
      if (value === set[field]) return [];
      // If someone else has set the field meanwhile, the change is a conflict.
      const seen = value === original[field] && present ? undefined : original.version;
      const { title } = present ?? original;
      return { seen, title, change: { kind: 'story.update', id, set } as const };
    });
    store.change(
      changes.map(({ change }) => change),
      {
        seen: changes.map(({ seen }) => seen),
        // With the title, because someone else may have deleted the story.
        label:
          changes.length > 1
            ? `Change ${label.toLowerCase()} of ${countOf(changes)}`
            : `Change ${quoted(changes[0]?.title ?? '')}`,
      },
    );
    onClose();
  };
  return (
    <Dialog
      title={`${label} of ${originals.length > 1 ? countOf(originals) : quoted(first.title)}`}
      onClose={onClose}
    >
      <DialogForm
        action="Save"
        isDisabled={typed.value === undefined}
        onSubmit={save}
        onCancel={onClose}
      >
        <TextField
          label={label}
          error={isChecked.value ? error : undefined}
          hint={texts.size > 1 ? 'They have different values now.' : undefined}
          value={text}
          inputMode={field === 'points' ? 'decimal' : undefined}
          list={field === 'assignee' ? people : undefined}
          autocomplete="off"
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
          onText={(next) => (typed.value = next)}
        />
        <Suggestions id={people} texts={assigneesOf(state)} />
      </DialogForm>
    </Dialog>
  );
}

const countOf = ({ length }: { length: number }): string => plural(length, 'story', 'stories');
