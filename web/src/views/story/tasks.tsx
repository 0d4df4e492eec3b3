import { useId } from 'preact/hooks';
import { Button, Icon } from '../../components/controls';
import type { BoardStore } from '../../state/board/board-store';
import { temporaryId } from '../../state/changes/change';
import type { Card } from '../../state/model';
import { formatNumber } from '../../util/format';

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

/** The tasks of a story as checkboxes. They are saved at once. */
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
          <li key={task.id}>
            <label>
              <input
                type="checkbox"
                checked={task.status === 'done'}
                disabled={isReadOnly || task.id < 0}
                onChange={(event) =>
                  store.change(
                    [
                      {
                        kind: 'task.update',
                        id: task.id,
                        storyId: story.id,
                        set: { status: event.currentTarget.checked ? 'done' : 'todo' },
                      },
                    ],
                    { isQuiet: true },
                  )
                }
              />
              <span>{task.title}</span>
            </label>
            {!isReadOnly && task.id > 0 && (
              <Button
                kind="quiet"
                aria-label={`Remove task ${task.title}`}
                onClick={(event) => {
                  const row = event.currentTarget.closest('li');
                  const next = row?.nextElementSibling ?? row?.previousElementSibling;
                  const to =
                    next?.querySelector('button') ?? row?.closest('ul')?.nextElementSibling;
                  store.change([{ kind: 'task.delete', id: task.id, storyId: story.id }], {
                    isQuiet: true,
                  });
                  (to as HTMLElement | null)?.focus();
                }}
              >
                <Icon name="close" />
              </Button>
            )}
          </li>
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
