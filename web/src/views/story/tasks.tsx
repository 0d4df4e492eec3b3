import { useSignal } from '@preact/signals';
import { Button, Icon } from '../../components/controls';
import type { BoardStore } from '../../state/board/board-store';
import { temporaryId } from '../../state/changes/change';
import type { Card } from '../../state/model';
import { canWrite } from '../../state/session';
import { formatNumber } from '../../util/format';

/** The tasks of a story as checkboxes. They are saved at once. */
export function Tasks({ store, story }: { store: BoardStore; story: Card }) {
  const title = useSignal('');
  const tasks = store.view.value?.tasks.get(story.id) ?? [];
  const done = tasks.filter(({ status }) => status === 'done').length;
  const add = (): void => {
    const text = title.value.trim();
    if (!text) return;
    title.value = '';
    store.change([{ kind: 'task.create', id: temporaryId(), storyId: story.id, title: text }], {
      isQuiet: true,
    });
  };
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
                disabled={!canWrite.value || task.id < 0}
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
            {canWrite.value && task.id > 0 && (
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
      {canWrite.value && (
        <input
          aria-label="New task"
          placeholder="New task, then Enter"
          maxLength={255}
          value={title.value}
          onInput={(event) => (title.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            add();
            // By default, Enter would save the story.
            if (!event.ctrlKey && !event.metaKey) event.preventDefault();
          }}
        />
      )}
    </section>
  );
}
