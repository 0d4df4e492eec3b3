import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Field } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import { announceUnsaved } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import type { Change } from '../../state/changes/change';
import { temporaryId } from '../../state/changes/change';
import { openDialogOn } from '../../state/dialogs';
import type { BoardState, ListId } from '../../state/model';
import { listName } from '../../state/model';
import { plural } from '../../util/format';
import { isLonger, MAX_TITLE } from '../../util/length';
import { isolated, quoted } from '../../util/names';
import { BoardGone } from './board-gone';
import { severalTitles } from './drafts';
import { titlesOf } from './titles';

const MAX_STORIES = 200;

interface NewStoriesProps {
  store: BoardStore;
  state: BoardState;
  list: ListId;
  /** The pasted titles, one on each line. */
  titles: string;
  onClose: () => void;
}

/** Creates several stories at once, one from each line. The text stays for the next time, unless the user cancels. */
export function NewStories({ store, state, list, titles, onClose }: NewStoriesProps) {
  const { id } = state.board;
  const before = severalTitles.get(id) ?? [];
  const text = useSignal([before, titlesOf(titles)].flat().join('\n'));
  const lines = titlesOf(text.value);
  const gone = store.reader.failure.value;
  useLayoutEffect(() => {
    if (text.value.trim()) severalTitles.set(id, text.value);
    else severalTitles.delete(id);
  }, [text.value]);
  useEffect(
    () => () => {
      if (!severalTitles.has(id)) return;
      const request = { kind: 'new-stories' as const, list, titles: '' };
      announceUnsaved('New stories', () => openDialogOn(store.name, request));
    },
    [],
  );
  const close = (): void => {
    severalTitles.delete(id);
    onClose();
  };
  const long = lines.find((line) => isLonger(line, MAX_TITLE));
  const chosen = list === null ? undefined : state.sprints.get(list);
  // Since the dialog was opened, someone may have completed or deleted the sprint.
  const target = chosen && chosen.state !== 'completed' ? chosen.id : null;
  const error =
    lines.length > MAX_STORIES
      ? `At most ${MAX_STORIES} stories at once.`
      : long && `A title has at most ${MAX_TITLE} characters: ${quoted(`${long.slice(0, 40)}…`)}`;
  const count = plural(lines.length, 'story', 'stories');
  const create = (): void => {
    if (error || lines.length === 0) return;
    const where = isolated(listName(state, target, 'the backlog'));
    store.change(
      lines.map((title): Change => ({
        kind: 'story.create',
        id: temporaryId(),
        list: target,
        body: { title },
      })),
      { label: `Create ${count} in ${where}` },
    );
    close();
  };
  return (
    <Dialog title={`New stories in ${isolated(listName(state, target))}`} onClose={onClose}>
      <DialogForm
        action={`Create ${count}`}
        isDisabled={lines.length === 0 || gone !== null}
        onSubmit={() => create()}
        onCancel={close}
      >
        {gone && <BoardGone failure={gone} />}
        <Field label="Titles" error={error} hint="Each line becomes a story.">
          {(props) => (
            <textarea
              {...props}
              rows={10}
              autoFocus
              readOnly={gone !== null}
              value={text}
              onInput={(event) => (text.value = event.currentTarget.value)}
            />
          )}
        </Field>
      </DialogForm>
    </Dialog>
  );
}
