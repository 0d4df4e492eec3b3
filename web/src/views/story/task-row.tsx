import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Task } from '../../api/types';
import { Button, FieldNote, Icon } from '../../components/controls';
import { toast } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import { isComposing } from '../../util/composing';
import { isLonger, MAX_TITLE, tooLong } from '../../util/length';
import { quoted } from '../../util/names';
import { taskTitles } from './drafts';

interface TaskRowProps {
  store: BoardStore;
  task: Task;
  isReadOnly: boolean;
}

/** A task: a checkbox, a button that turns the title into a field, and one that removes the task. */
export function TaskRow({ store, task, isReadOnly }: TaskRowProps) {
  const isRenaming = useSignal(false);
  const { id, story_id: storyId, title } = task;
  return (
    <li>
      <label>
        <input
          type="checkbox"
          aria-label={title}
          checked={task.status === 'done'}
          disabled={isReadOnly || id < 0}
          onChange={(event) => {
            const status = event.currentTarget.checked ? 'done' : 'todo';
            store.change([{ kind: 'task.update', id, storyId, set: { status } }], {
              isQuiet: true,
            });
          }}
        />
        {!isRenaming.value && <span>{title}</span>}
      </label>
      {isRenaming.value && (
        <TaskTitle store={store} task={task} onClose={() => (isRenaming.value = false)} />
      )}
      {!isReadOnly && id > 0 && (
        <>
          <Button
            kind="quiet"
            aria-label={`Rename task ${title}`}
            onClick={() => (isRenaming.value = true)}
          >
            <Icon name="edit" />
          </Button>
          <Button
            kind="quiet"
            aria-label={`Remove task ${title}`}
            onClick={(event) => {
              const row = event.currentTarget.closest('li');
              const next = row?.nextElementSibling ?? row?.previousElementSibling;
              const to =
                next?.querySelector('button:last-child') ?? row?.closest('ul')?.nextElementSibling;
              store.change([{ kind: 'task.delete', id, storyId }]);
              (to as HTMLElement | null)?.focus();
            }}
          >
            <Icon name="close" />
          </Button>
        </>
      )}
    </li>
  );
}

interface TaskTitleProps {
  store: BoardStore;
  task: Task;
  onClose: () => void;
}

/** A field for the title of a task. Enter and leaving the field save the title, Esc does not. */
function TaskTitle({ store, task, onClose }: TaskTitleProps) {
  const { id, story_id: storyId, title: before } = useRef(task).current;
  const field = useRef<HTMLInputElement>(null);
  const text = useSignal(before);
  const isCancelled = useRef(false);
  const note = useId();
  const isTooLong = isLonger(text.value.trim(), MAX_TITLE);
  /** The task with the title that the user saw; only a later title of someone else is a conflict. */
  const seen = useRef({ seen: 0, revision: 0 });
  if (task.title === before) {
    seen.current = { seen: task.version, revision: store.confirmed.revision.value };
  }
  useLayoutEffect(() => {
    // Not every browser focuses a field whose text is selected.
    field.current?.focus();
    field.current?.select();
    // The field is removed, too, when the dialog is closed.
    return () => {
      taskTitles.delete(id);
      const title = text.value.trim();
      if (isCancelled.current || title === '' || title === before) return;
      if (isLonger(title, MAX_TITLE)) {
        toast(`Not saved: Rename task ${quoted(before)}. ${tooLong(MAX_TITLE)}`, { isError: true });
        return;
      }
      store.change([{ kind: 'task.update', id, storyId, set: { title } }], {
        isQuiet: true,
        ...seen.current,
      });
    };
  }, []);
  return (
    <div class="task-title">
      <input
        ref={field}
        aria-label="Title of the task"
        aria-describedby={isTooLong ? note : undefined}
        aria-invalid={isTooLong || undefined}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          taskTitles.set(id, text.value);
        }}
        onBlur={({ currentTarget }) => {
          // If another window or a question of the browser takes the focus, the field still is the active element.
          if (!isTooLong && document.activeElement !== currentTarget) onClose();
        }}
        onKeyDown={(event) => {
          const { key, ctrlKey, metaKey, currentTarget } = event;
          // Ctrl+Enter saves the story, too.
          const isEnter = key === 'Enter' && !ctrlKey && !metaKey;
          if (isComposing(event) || (!isEnter && key !== 'Escape')) return;
          // By default, Enter would save the story, and Esc close it.
          event.preventDefault();
          if (isEnter && isTooLong) return;
          isCancelled.current = key === 'Escape';
          onClose();
          currentTarget.closest('li')?.querySelector('button')?.focus();
        }}
      />
      <FieldNote id={note} error={isTooLong ? tooLong(MAX_TITLE) : undefined} />
    </div>
  );
}
