import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button, Skeleton } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/dialog-form';
import { closeStory, navigate, pathOf, route, storyUrl } from '../../router';
import { announceUnsaved } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import type { Change, StoryFields } from '../../state/changes/change';
import { temporaryId } from '../../state/changes/change';
import { recoverFocus } from '../../state/focus';
import type { Card, ListId } from '../../state/model';
import { canWrite } from '../../state/session';
import { useStoryTitle } from '../../state/title';
import { UNREACHABLE, useAnswer } from '../../util/answer';
import { formatTime } from '../../util/format';
import { BoardGone } from './board-gone';
import { typedInto } from './drafts';
import type { Draft } from './fields';
import { draftOf, errorsOf, fieldsOf, StoryForm } from './fields';
import { History } from './history';
import { createTask, Tasks } from './tasks';

const NOT_HERE =
  'There is no such story on this board. It may have been deleted, or moved to another board.';

/** The dialog of a story: its fields, tasks and history. */
export function StoryDialog({ store, id }: { store: BoardStore; id: number }) {
  const isReady = store.confirmed.state.value !== null;
  const { data: isRead, error } = useAnswer(async () => {
    if (isReady && id > 0) await store.rows.loadStory(id);
    return isReady;
  }, [store, id, isReady, store.reader.reads.value]);
  const failure = error && error.status !== 404 ? error.message : '';

  const state = store.view.value;
  const present = state?.stories.get(id);
  /** The last known story, so that it stays open with its typed text when someone deletes it. */
  const last = useRef(present ?? typedInto.get(id)?.original);
  if (present) last.current = present;
  const story = last.current;
  const created = state?.stories.get(store.sender.created.get(id) ?? 0);
  useEffect(() => {
    if (!created) return;
    const kept = typedInto.get(id);
    typedInto.delete(id);
    if (kept) typedInto.set(created.id, { ...kept, original: created });
    navigate(storyUrl(created.id), { replace: true });
  }, [created?.id]);
  useStoryTitle(story && `${story.title} – ${store.name}`);
  const isLoaded = isRead || error !== null;
  const isShown = isLoaded || (story !== undefined && store.connection.isUnreachable.value);
  if (!state || !isShown) {
    return (
      <Dialog title={story?.title ?? 'Story'} size="story" onClose={closeStory}>
        {store.connection.isUnreachable.value ? (
          <p class="empty">{UNREACHABLE}</p>
        ) : (
          <Skeleton lines={6} />
        )}
      </Dialog>
    );
  }
  if (failure || !story) {
    return (
      <Dialog title="Story" onClose={closeStory}>
        <p role="alert">{failure || NOT_HERE}</p>
      </Dialog>
    );
  }
  return (
    <Dialog title={story.title} size="story" onClose={closeStory}>
      <StoryBody
        key={store.sender.firstIdOf(id)}
        store={store}
        story={story}
        isDeleted={!present && !created}
      />
    </Dialog>
  );
}

interface StoryBodyProps {
  store: BoardStore;
  story: Card;
  /** Whether someone has deleted the story, or moved it to another board, while it was open. */
  isDeleted: boolean;
}

function StoryBody({ store, story, isDeleted }: StoryBodyProps) {
  const edit = useDraft(store, story);
  const { draft, original, typed, isDirty, isChanged, change } = edit;
  const state = store.view.value;
  const isReadOnly = !canWrite.value || store.reader.failure.value !== null;
  // The button Delete, which may have had the focus, is removed with the story.
  useEffect(() => recoverFocus(), [isDeleted, isReadOnly]);
  if (!state) return null;

  const errors = errorsOf(draft, state, isDeleted ? null : story.sprint_id);
  const save = (): void => {
    if (Object.keys(errors).length > 0) return;
    typedInto.delete(story.id);
    if (isDeleted) {
      const [list, body] = [listOf(draft), fieldsOf(draft)];
      store.change([{ kind: 'story.create', id: temporaryId(), list, body }]);
    } else {
      createTask(store, story, draft.task);
      const changes = changesOf(story.id, draft, typed.value, original.value);
      store.change(changes, { seen: original.value.version });
    }
    closeStory();
  };

  return (
    <Form class="story" onSubmit={save}>
      <div class="story-parts">
        <Notices store={store} story={story} isDeleted={isDeleted} isChanged={isChanged} />
        <StoryForm
          state={state}
          draft={draft}
          errors={errors}
          isReadOnly={isReadOnly}
          hasNoDescription={story.description === undefined}
          onChange={change}
        />
        {!isDeleted && (
          <Tasks
            store={store}
            story={story}
            title={draft.task}
            error={errors.task}
            isReadOnly={isReadOnly}
            onTitle={(task) => change({ task })}
          />
        )}
        <History story={story} />
      </div>
      <footer class="dialog-foot">
        {!isReadOnly && !isDeleted && (
          <Button
            kind="danger"
            onClick={() => {
              typedInto.delete(story.id);
              closeStory();
              store.change([{ kind: 'story.delete', id: story.id }]);
            }}
          >
            Delete
          </Button>
        )}
        <span class="note">
          {story.id > 0 ? `#${story.id}` : 'New'}
          {story.external_id && ` (${story.external_id})`},{' '}
          {isDirty ? 'not saved yet' : `changed ${formatTime(story.updated_at)}`}
        </span>
        {isDirty && edit.kept && (
          <Button
            onClick={(event) => {
              edit.discard();
              event.currentTarget.form?.querySelector('input')?.focus();
            }}
          >
            Discard
          </Button>
        )}
        {!isReadOnly && (
          <Button kind="primary" type="submit" disabled={!isDirty && !isDeleted}>
            {isDeleted ? 'Create' : 'Save'}
          </Button>
        )}
      </footer>
    </Form>
  );
}

/** The draft of an open story. What was typed and not saved stays when the dialog is closed. */
function useDraft(store: BoardStore, story: Card) {
  /** The text that was typed and not saved when the story was open before. */
  const kept = useRef(typedInto.get(story.id)).current;
  /** The story when the user began to type, so that changes of others are not overwritten. */
  const original = useSignal<Card>(kept?.original ?? story);
  const typed = useSignal<Partial<Draft>>(kept?.typed ?? {});
  const isDirty = Object.keys(typed.value).length > 0;
  /** Whether someone else has changed the story meanwhile. */
  const isChanged = isDirty && !isSame(original.value, story);
  if (!isChanged && original.value !== story) original.value = story;
  /** The story when the dialog is closed; by then, the service may have assigned an id to a new one. */
  const latest = useRef(story);
  latest.current = story;
  useEffect(() => {
    const { view } = route.value;
    return () => {
      const { id, title } = latest.current;
      if (!typedInto.has(id)) return;
      announceUnsaved(title, () => navigate(pathOf(store.name, view, id)));
    };
  }, []);

  const change = (set: Partial<Draft>): void => {
    const all = { ...typed.value, ...set };
    const before = draftOf(original.value);
    const isSameAgain = Object.entries(all).every(
      ([name, value]) => value === before[name as keyof Draft],
    );
    typed.value = isSameAgain ? {} : all;
    if (isSameAgain) typedInto.delete(story.id);
    else typedInto.set(story.id, { original: original.value, typed: all });
  };
  const discard = (): void => {
    typedInto.delete(story.id);
    typed.value = {};
  };
  const draft: Draft = { ...draftOf(story), ...typed.value };
  return { draft, original, typed, isDirty, isChanged, kept, change, discard };
}

const listOf = ({ sprint }: Draft): ListId => (sprint === '' ? null : Number(sprint));

/** The changes that save a draft: of the typed fields whose values differ from those of the original. */
function changesOf(id: number, draft: Draft, typed: Partial<Draft>, original: Card): Change[] {
  const now = fieldsOf(draft);
  const before = fieldsOf(draftOf(original));
  const set = Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) =>
        name in typed && JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof now]),
    ),
  ) as StoryFields;
  const changes: Change[] = [];
  // First, because the move may be rejected.
  if (Object.keys(set).length > 0) changes.push({ kind: 'story.update', id, set });
  const list = listOf(draft);
  if ('sprint' in typed && list !== original.sprint_id) {
    changes.push({ kind: 'story.move', ids: [id], list, position: 'last' });
  }
  return changes;
}

/** What the user must know before saving the story. */
function Notices({ store, story, isDeleted, isChanged }: StoryBodyProps & { isChanged: boolean }) {
  const gone = store.reader.failure.value;
  return (
    <>
      {gone && <BoardGone failure={gone} />}
      {isDeleted && !gone && (
        <p class="notice" role="alert">
          This story was deleted, or moved to another board.
          {canWrite.value && ' Press Create to save it as a new story of this board.'}
        </p>
      )}
      {isChanged && !isDeleted && (
        <p class="notice" role="status">
          Someone else has changed this story since you began to edit it. When you save, you choose
          which version to keep.
        </p>
      )}
      {store.connection.isUnreachable.value && story.description === undefined && (
        <p class="notice">
          The description is not loaded, because the service cannot be reached. Trying again…
        </p>
      )}
    </>
  );
}

/** Whether two versions of a story have the same fields in the form; moving other stories changes none of them. */
const isSame = (a: Card, b: Card): boolean =>
  JSON.stringify([draftOf(a), a.description === undefined]) ===
  JSON.stringify([draftOf(b), b.description === undefined]);
