import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import { query } from '../../router';
import { announceUnsaved } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import { openDialogOn } from '../../state/dialogs';
import { focusNewCard } from '../../state/focus';
import type { BoardState, ListId } from '../../state/model';
import { BoardGone } from './board-gone';
import { createStory } from './create';
import { newStories } from './drafts';
import type { Draft } from './fields';
import { emptyDraft, errorsOf, fieldsOf, newDraft, StoryForm } from './fields';

interface NewStoryProps {
  store: BoardStore;
  state: BoardState;
  list: ListId;
  onClose: () => void;
}

/** The dialog that creates a story. Its text stays for the next time it opens, unless the user cancels. */
export function NewStory({ store, state, list, onClose }: NewStoryProps) {
  const blank = emptyDraft(list);
  const empty = newDraft(list, query.value);
  const { id } = state.board;
  const draft = useSignal<Draft>({ ...empty, ...newStories.get(id), sprint: empty.sprint });
  const isChecked = useSignal(false);
  const gone = store.reader.failure.value;
  const errors = isChecked.value ? errorsOf(draft.value, state) : {};
  useEffect(
    () => () => {
      const { title = '', sprint = '' } = newStories.get(id) ?? {};
      if (title.trim()) {
        const chosen = sprint === '' ? null : Number(sprint);
        announceUnsaved(title.trim(), () =>
          openDialogOn(store.name, { kind: 'new-story', list: chosen }),
        );
      }
    },
    [],
  );
  const change = (set: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...set };
    const isEmpty = Object.entries(draft.value).every(
      ([name, value]) =>
        name === 'sprint' ||
        value === empty[name as keyof Draft] ||
        value === blank[name as keyof Draft],
    );
    if (isEmpty) newStories.delete(id);
    else newStories.set(id, draft.value);
  };
  const close = (): void => {
    newStories.delete(id);
    onClose();
  };
  const create = (): void => {
    isChecked.value = true;
    if (Object.keys(errorsOf(draft.value, state)).length > 0) return;
    const target = draft.value.sprint === '' ? null : Number(draft.value.sprint);
    const story = createStory(store, target, fieldsOf(draft.value));
    close();
    // The next key acts on it.
    focusNewCard(() => store.sender.idOf(story));
  };
  return (
    <Dialog title="New story" onClose={onClose}>
      <DialogForm
        action="Create"
        isDisabled={gone !== null}
        onSubmit={() => create()}
        onCancel={close}
      >
        {gone && <BoardGone failure={gone} />}
        <StoryForm
          state={state}
          draft={draft.value}
          errors={errors}
          isReadOnly={gone !== null}
          isNew
          onChange={change}
        />
      </DialogForm>
    </Dialog>
  );
}
