import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import type { BoardStore } from '../../state/board/board-store';
import { hasFields } from '../../state/changes/rows';
import type { StoryFieldRequest } from '../../state/dialogs';
import type { BoardState, Card } from '../../state/model';
import { plural } from '../../util/format';
import { quoted } from '../../util/names';
import type { Draft } from './fields';
import {
  assigneesOf,
  draftOf,
  emptyDraft,
  errorsOf,
  fieldsOf,
  labelText,
  labelTexts,
  Suggestions,
} from './fields';

const DIFFERENT = 'They have different values now.';
const SOME_LABELS = 'Labels that only some of the stories have stay.';

/** How the dialog asks for a field. */
interface FieldInput {
  label: string;
  hint?: string;
  inputMode?: 'decimal' | 'numeric';
  /** The suggestions for a text. */
  suggest?: (text: string, state: BoardState) => string[];
}

const FIELDS: Record<StoryFieldRequest['field'], FieldInput> = {
  points: { label: 'Points', inputMode: 'decimal' },
  priority: { label: 'Priority', inputMode: 'numeric', hint: 'A smaller number is more urgent.' },
  assignee: { label: 'Assignee', suggest: (_text, state) => assigneesOf(state) },
  labels: { label: 'Labels', hint: 'Separated by commas.', suggest: labelTexts },
};

interface StoryFieldProps {
  store: BoardStore;
  state: BoardState;
  request: StoryFieldRequest;
  onClose: () => void;
}

/** A dialog for one field of one story, or of all selected ones. */
export function StoryField({ store, state, request: { field, ids }, onClose }: StoryFieldProps) {
  const suggestions = useId();
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

  const { label, hint = '', inputMode, suggest } = FIELDS[field];
  const texts = new Set(originals.map((story) => draftOf(story)[field]));
  /** Whether labels are added and removed; otherwise all of the stories get the same value. */
  const isRelative = field === 'labels' && originals.length > 1;
  const shared = first.labels.filter((each) =>
    originals.every((story) => story.labels.includes(each)),
  );
  const initial = isRelative ? labelText(shared) : texts.size === 1 ? [...texts].join('') : '';
  // After the comma, the user types another label.
  const text = typed.value ?? (field === 'labels' && initial ? `${initial}, ` : initial);
  const draftFor = ({ labels }: Card): Draft => {
    const draft = { ...emptyDraft(null), title: first.title, [field]: text };
    if (!isRelative) return draft;
    const wanted = fieldsOf(draft).labels;
    const kept = labels.filter((each) => wanted.includes(each) || !shared.includes(each));
    return { ...draft, labels: labelText([...new Set([...kept, ...wanted])]) };
  };
  /** The present state of a story, by its new id if the service has saved it meanwhile; undefined if it was deleted. */
  const knownOf = ({ id }: Card) => state.stories.get(store.sender.idOf(id));
  const error = originals
    .map((story) => errorsOf(draftFor(knownOf(story) ?? story), state)[field])
    .find(Boolean);
  const save = (): void => {
    isChecked.value = true;
    if (error) return;
    const changes = originals.flatMap((original) => {
      const known = knownOf(original);
      const present = known ?? original;
      const set = { [field]: fieldsOf(draftFor(present))[field] };
      if (hasFields(present, set)) return [];
      // If someone else has set the field meanwhile, the change is a conflict, unless it adds and removes labels.
      const isAsSeen = known && (isRelative || hasFields(known, { [field]: original[field] }));
      const change = { kind: 'story.update', id: present.id, set } as const;
      return { seen: isAsSeen ? undefined : original.version, title: present.title, change };
    });
    // With the title, because someone else may have deleted the story.
    const what = changes.length > 1 ? countOf(changes) : quoted(changes[0]?.title ?? '');
    store.change(
      changes.map(({ change }) => change),
      {
        seen: changes.map(({ seen }) => seen),
        label: `Change ${label.toLowerCase()} of ${what}`,
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
          hint={texts.size > 1 ? `${hint} ${isRelative ? SOME_LABELS : DIFFERENT}` : hint}
          value={text}
          inputMode={inputMode}
          list={suggestions}
          autocomplete="off"
          autoFocus
          onFocus={({ currentTarget: input }) =>
            // The user adds a label to the present ones, but replaces any other value.
            input.setSelectionRange(field === 'labels' ? text.length : 0, text.length)
          }
          onText={(next) => (typed.value = next)}
        />
        <Suggestions id={suggestions} texts={suggest?.(text, state) ?? []} />
      </DialogForm>
    </Dialog>
  );
}

const countOf = ({ length }: { length: number }): string => plural(length, 'story', 'stories');
