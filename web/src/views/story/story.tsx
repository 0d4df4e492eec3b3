import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../../api/problem';
import { Button, Skeleton } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { closeStory } from '../../router';
import type { BoardStore } from '../../state/board-store';
import type { Change, StoryFields } from '../../state/changes';
import type { Card } from '../../state/model';
import { canWrite } from '../../state/session';
import { formatTime } from '../../util/format';
import type { Draft } from './fields';
import { draftOf, faultsOf, fieldsOf, StoryForm } from './fields';
import { History } from './history';
import { Tasks } from './tasks';

/** A story over the view: its fields, its tasks and who changed what. */
export function StoryDialog({ store, id }: { store: BoardStore; id: number }) {
  const isLoaded = useSignal(false);
  const failure = useSignal('');
  const isReady = store.base.value !== null;
  useEffect(() => {
    if (!isReady) return;
    store.loadStory(id).then(
      () => (isLoaded.value = true),
      (error: unknown) => {
        failure.value =
          error instanceof ApiError && error.status === 404
            ? 'This story does not exist, or it was deleted.'
            : (error as Error).message;
      },
    );
  }, [store, id, isReady, store.reads.value]);

  const state = store.view.value;
  const story = state?.stories.get(id);
  if (failure.value || (isLoaded.value && !story)) {
    return (
      <Dialog title="Story" onClose={closeStory}>
        <p role="alert">{failure.value || 'This story was deleted.'}</p>
      </Dialog>
    );
  }
  if (!isLoaded.value || !state || !story) {
    return (
      <Dialog title={story?.title ?? 'Story'} size="story" onClose={closeStory}>
        <Skeleton lines={6} />
      </Dialog>
    );
  }
  return (
    <Dialog title={story.title} size="story" onClose={closeStory}>
      <StoryBody key={id} store={store} story={story} />
    </Dialog>
  );
}

function StoryBody({ store, story }: { store: BoardStore; story: Card }) {
  /** The fields as they were when the user began to type; what others change meanwhile is not overwritten. */
  const original = useSignal<Card>(story);
  const typed = useSignal<Partial<Draft>>({});
  const draft: Draft = { ...draftOf(story), ...typed.value };
  const faults = faultsOf(draft);
  const state = store.view.value;
  const isDirty = Object.keys(typed.value).length > 0;
  if (!isDirty && original.value !== story) original.value = story;
  if (!state) return null;

  const save = (): void => {
    if (Object.keys(faults).length > 0) return;
    const now = fieldsOf(draft);
    const before = fieldsOf(draftOf(original.value));
    const set = Object.fromEntries(
      Object.entries(now).filter(
        ([name, value]) =>
          JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof now]),
      ),
    ) as StoryFields;
    const changes: Change[] = [];
    const list = draft.sprint === '' ? null : Number(draft.sprint);
    if (list !== original.value.sprint_id) {
      changes.push({ kind: 'story.move', ids: [story.id], list, position: 'last' });
    }
    if (Object.keys(set).length > 0) changes.push({ kind: 'story.update', id: story.id, set });
    store.change(changes, { seen: original.value.version });
    closeStory();
  };

  return (
    <form
      class="story"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
      }}
    >
      <StoryForm
        state={state}
        draft={draft}
        faults={faults}
        isReadOnly={!canWrite.value}
        onChange={(set) => (typed.value = { ...typed.value, ...set })}
      />
      <Tasks store={store} story={story} />
      <History story={story} />
      <footer class="dialog-foot">
        {canWrite.value && (
          <Button
            kind="danger"
            onClick={() => {
              closeStory();
              store.change([{ kind: 'story.delete', id: story.id }]);
            }}
          >
            Delete
          </Button>
        )}
        <span class="note">Changed {formatTime(story.updated_at)}</span>
        <span class="spring" />
        {canWrite.value && (
          <Button kind="primary" type="submit" disabled={!isDirty}>
            Save
          </Button>
        )}
      </footer>
    </form>
  );
}
