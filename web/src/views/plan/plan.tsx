import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { Button, Skeleton } from '../../components/controls';
import { countFound, filtered, Filters, hasFilter } from '../../components/filters';
import { Menu } from '../../components/menu';
import { pathOf, query } from '../../router';
import type { BoardStore } from '../../state/board/board-store';
import type { StoryFieldRequest } from '../../state/dialogs';
import { openDialog } from '../../state/dialogs';
import { focused, recoverFocus } from '../../state/focus';
import type { Card, ListId } from '../../state/model';
import { sprintsOf, storiesOf, sumOfPoints } from '../../state/model';
import { canWrite } from '../../state/session';
import { useTitle } from '../../state/title';
import { formatNumber, plural } from '../../util/format';
import { useVelocity } from '../sprint/velocity';
import { usePlanKeys } from './keys';
import { PlanList } from './list';
import { moveItems } from './moves';
import { clearSelection, keepSelected, selected } from './selection';

/** Milliseconds after which the lists are shown even if they are not loaded. */
const HIDDEN_MS = 1000;
/** The number of completed sprints that Show more adds. */
const COMPLETED_PAGE = 5;
const NONE: readonly Card[] = [];

/** The plan: the sprints one under another, and the backlog. */
export function PlanView({ store }: { store: BoardStore }) {
  const completedShown = useSignal(0);
  const velocity = useVelocity(store);
  const isFiltered = hasFilter(query.value);
  const isChoosing = useSignal(false);
  const shownOf = useCallback(
    (list: ListId) => {
      const state = store.view.value;
      return state ? filtered(storiesOf(state, list), query.value) : NONE;
    },
    [store],
  );
  const [isReady, track] = useFirstLists();
  usePlanKeys(store, shownOf);
  useWholeBacklog(store, isFiltered || isChoosing.value);
  const state = store.view.value;
  useTitle(store.view.value ? `Plan – ${store.name}` : undefined);
  useEffect(() => () => void (selected.value = new Set()), [store, store.name]);
  useEffect(() => {
    const isShown = (id: number): boolean => {
      if (!canWrite.value) return false;
      const story = state?.stories.get(id);
      if (!story || state?.sprints.get(story.sprint_id ?? 0)?.state === 'completed') return false;
      return filtered([story], query.value).length > 0;
    };
    if (state) keepSelected(isShown);
    // After each rendering, because it also depends on what a search has found.
  });
  if (!state) return <Skeleton lines={8} />;

  const sprints = sprintsOf(state);
  const completed = sprints.filter(({ state }) => state === 'completed');
  const hidden = Math.max(0, completed.length - completedShown.value);
  const shown = sprints.filter((s) => s.state !== 'completed' || completed.indexOf(s) >= hidden);
  const found = countFound(new Set(completed.slice(0, hidden).map(({ id }) => id)));
  const list = (sprint?: (typeof sprints)[number]) => (
    <PlanList
      key={sprint?.id ?? 'backlog'}
      store={store}
      sprint={sprint}
      all={storiesOf(state, sprint?.id ?? null)}
      stories={shownOf(sprint?.id ?? null)}
      isFiltered={isFiltered}
      velocity={velocity}
      shownOf={shownOf}
      track={track}
    />
  );
  return (
    <div class={`plan ${isReady ? '' : 'loading'} ${canWrite.value ? '' : 'read-only'}`}>
      <header class="view-head">
        <div class="view-title">
          <h1>Plan</h1>
          {velocity?.average_points ? (
            <span class="note">
              {plural(velocity.sprints.length, 'completed sprint')}
              {velocity.sprints.length === 1 ? ' of ' : ', on average '}
              {plural(Math.round(velocity.average_points), 'point')}
              {velocity.sprints.length > 1 && ' each'}
            </span>
          ) : null}
          <span class="spring" />
          {canWrite.value && (
            <>
              <Button onClick={() => openDialog({ kind: 'sprint', action: 'new' })}>
                New sprint
              </Button>
              <Button kind="primary" onClick={() => openDialog({ kind: 'new-story', list: null })}>
                New story
              </Button>
            </>
          )}
        </div>
      </header>
      <Filters stories={[...state.stories.values()]} onChoose={() => (isChoosing.value = true)} />
      {hidden > 0 && (
        <p class="show-more">
          <Button
            kind="quiet"
            onClick={() => {
              completedShown.value += COMPLETED_PAGE;
              recoverFocus();
            }}
          >
            Show more <span class="count">{plural(hidden, 'completed sprint')}</span>
          </Button>
          {found > 0 && (
            <span class="note">
              {formatNumber(found)} more in{' '}
              {hidden === 1 ? 'a completed sprint' : 'completed sprints'}
            </span>
          )}
        </p>
      )}
      {sprints.length === 0 && canWrite.value && (
        <p class="empty plan-hint">
          Add stories to the backlog, create a sprint, and move stories into it. Or{' '}
          <a href={pathOf(store.name, 'import')}>import a file</a> from another tool.
        </p>
      )}
      {shown.map(list)}
      {list()}
      <SelectionBar store={store} shownOf={shownOf} />
    </div>
  );
}

/**
 * Returns whether the lists that the page shows first are loaded, and a function that takes the promise of each.
 * They are shown together, because they would move while they load one after another.
 */
function useFirstLists(): [boolean, (loading: Promise<void>) => void] {
  const isReady = useSignal(false);
  const loading = useRef(0);
  useEffect(() => {
    const timer = setTimeout(() => (isReady.value = true), HIDDEN_MS);
    return () => clearTimeout(timer);
  }, []);
  const track = useCallback((list: Promise<void>) => {
    loading.current += 1;
    void list.finally(() => {
      loading.current -= 1;
      if (loading.current === 0) isReady.value = true;
    });
  }, []);
  return [isReady.value, track];
}

/** Loads the rest of the backlog once it is needed, so that a filter misses no story, assignee or label. */
function useWholeBacklog(store: BoardStore, isNeeded: boolean): void {
  const part = store.lists.part.value;
  useEffect(() => {
    if (isNeeded && part) void store.lists.loadPage();
  }, [store, isNeeded, part]);
}

/** The bar with the actions for the selected stories. */
function SelectionBar({
  store,
  shownOf,
}: {
  store: BoardStore;
  shownOf: (list: ListId) => readonly Card[];
}) {
  const ids = selected.value;
  const [first] = ids;
  if (first === undefined) return null;
  const stories = [...ids].flatMap((id) => store.view.value?.stories.get(id) ?? []);
  const edit = (field: StoryFieldRequest['field']) => (): void =>
    openDialog({ kind: 'story-field', field, ids: stories.map(({ id }) => id) });
  const anchor = focused.value !== null && ids.has(focused.value) ? focused.value : first;
  return (
    <div class="selection-bar" role="toolbar" aria-label="Selected stories">
      <strong>{formatNumber(ids.size)} selected</strong>
      <span class="note">{plural(sumOfPoints(stories), 'point')}</span>
      <Menu name="Move" items={() => moveItems(store, anchor, shownOf)} />
      <Menu
        name="Edit"
        items={() => [
          { name: 'Points', run: edit('points') },
          { name: 'Priority', run: edit('priority') },
          { name: 'Assignee', run: edit('assignee') },
          { name: 'Labels', run: edit('labels') },
        ]}
      />
      <Button kind="quiet" aria-label="Clear selection" onClick={clearSelection}>
        Clear
      </Button>
    </div>
  );
}
