import { useId } from 'preact/hooks';
import type { BoardStore } from '../../state/board/board-store';
import { temporaryId } from '../../state/changes/change';
import type { Card } from '../../state/model';
import { formatNumber } from '../../util/format';
import { TaskRow } from './task-row';

/** Creates a task, unless its title is empty. */
export function createTask(store: BoardStore, story: Card, title: string): void {
  const text = title.trim();
  if (!text) return;
  store.change([{ kind: 'task.create', id: temporaryId(), storyId: story.id, title: text }], {
    isQuiet: true,
  });
}

interface TasksProps {
  store: BoardStore;
  story: Card;
  /** The title of a new task, as it is typed. */
  title: string;
  /** The error of the title. */
  error?: string;
  isReadOnly: boolean;
  onTitle: (title: string) => void;
}

/** The tasks of a story. Their changes are saved at once. */
export function Tasks({ store, story, title, error, isReadOnly, onTitle }: TasksProps) {
  const note = useId();
  const tasks = store.view.value?.tasks.get(story.id) ?? [];
  const done = tasks.filter(({ status }) => status === 'done').length;
  if (isReadOnly && tasks.length === 0 && title === '') return null;
  return (
    <section class="tasks">
      <h3>
        Tasks{' '}
        {tasks.length > 0 && (
          <span class="count">
            {formatNumber(done)} of {formatNumber(tasks.length)}
          </span>
        )}
      </h3>
      <ul>
        {tasks.map((task) => (
          <TaskRow key={task.id} store={store} task={task} isReadOnly={isReadOnly} />
        ))}
      </ul>
      {(!isReadOnly || title !== '') && (
        <input
          aria-label="New task"
          aria-describedby={error && note}
          aria-invalid={error ? true : undefined}
          placeholder="New task, then Enter"
          readOnly={isReadOnly}
          value={title}
          onInput={(event) => onTitle(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Ctrl+Enter saves the story, with the task.
            if (event.key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey)
              return;
            // By default, Enter would save the story.
            event.preventDefault();
            if (isReadOnly || error) return;
            createTask(store, story, title);
            onTitle('');
          }}
        />
      )}
      {error && (
        <p id={note} class="field-error" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
