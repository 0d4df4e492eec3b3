import { useSignal } from '@preact/signals';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import type { BoardStore } from '../../state/board-store';
import { temporaryId } from '../../state/changes';
import type { BoardState, ListId } from '../../state/model';
import type { Draft } from './fields';
import { emptyDraft, errorsOf, fieldsOf, StoryForm } from './fields';

interface NewStoryProps {
  store: BoardStore;
  state: BoardState;
  list: ListId;
  onClose: () => void;
}

/** The dialog in which a story is written; it can stay open for the next one. */
export function NewStory({ store, state, list, onClose }: NewStoryProps) {
  const draft = useSignal<Draft>(emptyDraft(list));
  const isChecked = useSignal(false);
  const errors = isChecked.value ? errorsOf(draft.value) : {};
  const create = (): void => {
    isChecked.value = true;
    if (Object.keys(errorsOf(draft.value)).length > 0) return;
    const target = draft.value.sprint === '' ? null : Number(draft.value.sprint);
    store.change([
      { kind: 'story.create', id: temporaryId(), list: target, body: fieldsOf(draft.value) },
    ]);
    onClose();
  };
  return (
    <Dialog title="New story" onClose={onClose}>
      <DialogForm action="Create" onSubmit={() => create()} onCancel={onClose}>
        <StoryForm
          state={state}
          draft={draft.value}
          errors={errors}
          onChange={(set) => (draft.value = { ...draft.value, ...set })}
        />
      </DialogForm>
    </Dialog>
  );
}
