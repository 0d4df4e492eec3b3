import { useEffect, useId } from 'preact/hooks';
import { FieldNote } from '../../components/controls';
import type { BoardStore } from '../../state/board/board-store';
import type { Change } from '../../state/changes/change';
import { temporaryId } from '../../state/changes/change';
import { recoverFocus } from '../../state/focus';
import type { Card } from '../../state/model';
import { isComposing } from '../../util/composing';
import { formatNumber, plural } from '../../util/format';
import { isLonger, MAX_TITLE } from '../../util/length';
import { TaskRow } from './task-row';
import { titlesOf } from './titles';

/** Creates a task, unless its title is empty. */
export const createTask = (store: BoardStore, story: Card, title: string): void =>
  createTasks(store, story, [title]);

/** Creates a task for each title that is not empty. */
function createTasks(store: BoardStore, story: Card, titles: readonly string[]): void {
  const texts = titles.map((title) => title.trim()).filter(Boolean);
  const changes = texts.map((title): Change => ({
    kind: 'task.create',
    id: temporaryId(),
    storyId: story.id,
    title,
  }));
  const label = texts.length > 1 ? `Create ${plural(texts.length, 'task')}` : undefined;
  store.change(changes, { isQuiet: true, label });
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
  // Someone else may have removed the task that had the focus.
  useEffect(() => recoverFocus(), [tasks.length]);
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
          onPaste={(event) => {
            const titles = titlesOf(event.clipboardData?.getData('text/plain') ?? '');
            const isLong = titles.some((each) => isLonger(each, MAX_TITLE));
            if (isReadOnly || titles.length < 2 || isLong || title !== '') return;
            event.preventDefault();
            createTasks(store, story, titles);
          }}
          onKeyDown={(event) => {
            // Ctrl+Enter saves the story, with the task.
            if (event.key !== 'Enter' || isComposing(event) || event.ctrlKey || event.metaKey)
              return;
            // By default, Enter would save the story.
            event.preventDefault();
            if (isReadOnly || error) return;
            createTask(store, story, title);
            onTitle('');
          }}
        />
      )}
      <FieldNote id={note} error={error} />
    </section>
  );
}
