import type { Status } from '../../api/types';
import type { Command } from '../../commands';
import { changing, fieldCommands, isOnCard, statusCommands, useCommands } from '../../commands';
import { navigate, storyUrl } from '../../router';
import { report } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import { openDialog } from '../../state/dialogs';
import { focused, focusInView, openMoveMenu } from '../../state/focus';
import type { Card, ListId } from '../../state/model';
import { isKeyForRemovedCard, REMOVED } from '../../state/removal';
import { canWrite } from '../../state/session';
import { setStatuses, shift, shiftToList, storiesFor } from './moves';
import { clearSelection, drawnRows, pick } from './selection';

/** The keys of the plan, which act on the focused row and on the stories that are selected with it. */
export function usePlanKeys(store: BoardStore, shownOf: (list: ListId) => readonly Card[]): void {
  const focusRow = (row: HTMLElement | undefined): void => {
    if (!row) return;
    focused.value = Number(row.dataset.story);
    focusInView(row);
  };
  const at = (rows: readonly HTMLElement[]): number =>
    rows.findIndex((row) => Number(row.dataset.story) === focused.value);
  const step = (by: -1 | 1) => (): void => {
    const rows = drawnRows();
    const index = at(rows);
    focusRow(index < 0 ? rows[0] : rows[index + by]);
  };
  /** Focuses the first row of the next or previous list. */
  const stepList = (by: -1 | 1) => (): void => {
    const rows = drawnRows();
    const list = (row: HTMLElement | undefined) => row?.parentElement;
    const index = at(rows);
    const own = list(rows[index]);
    const heads = rows.filter((row, i) => list(row) !== list(rows[i - 1]));
    const head = heads.findIndex((row) => list(row) === own);
    if (index < 0) focusRow(rows[0]);
    else focusRow(heads[head + by]);
  };
  const story = (): Card | undefined => {
    const known = store.view.value?.stories.get(focused.value ?? 0);
    return known && at(drawnRows()) >= 0 ? known : undefined;
  };
  /** Runs a command on the focused story; if it is a move, not in a completed sprint. */
  const withStory =
    (run: (story: Card) => void, isMove = true) =>
    (): void => {
      const card = isOnCard() ? story() : undefined;
      if (isKeyForRemovedCard()) report(REMOVED);
      else if (!card) report('Choose a story first, with the arrow keys');
      else if (!isMove) run(card);
      else if (card.id < 0) report('This story is not saved yet');
      else {
        const sprint = store.view.value?.sprints.get(card.sprint_id ?? 0);
        if (sprint?.state === 'completed') report('The sprint is completed');
        else run(card);
      }
    };
  const move = (by: -1 | 1) => withStory(({ id }) => shift(store, id, by, shownOf));
  const toList = (by: -1 | 1) =>
    withStory(({ id }) => shiftToList(store, id, by, by < 0 ? 'last' : 'first'));
  const toStatus = (status: Status) =>
    withStory(({ id }) => setStatuses(store, storiesFor(store, id), status), false);
  const listOfFocus = (): ListId => {
    const list = story()?.sprint_id ?? null;
    return store.view.value?.sprints.get(list ?? 0)?.state === 'completed' ? null : list;
  };

  const readCommands: Command[] = [
    { name: 'Next story', key: 'ArrowDown', shownKey: '↓', run: step(1) },
    { name: 'Previous story', key: 'ArrowUp', shownKey: '↑', run: step(-1) },
    { name: 'Next list', key: 'ArrowRight', shownKey: '→', run: stepList(1) },
    { name: 'Previous list', key: 'ArrowLeft', shownKey: '←', run: stepList(-1) },
    {
      name: 'Open story',
      key: 'Enter',
      run: () => {
        const card = story();
        if (card) navigate(storyUrl(card.id));
      },
    },
  ];
  const writeCommands: Command[] = [
    { name: 'Move down', key: 'Shift+ArrowDown', shownKey: 'Shift ↓', run: move(1) },
    { name: 'Move up', key: 'Shift+ArrowUp', shownKey: 'Shift ↑', run: move(-1) },
    { name: 'Move to the next list', key: 'Shift+ArrowRight', shownKey: 'Shift →', run: toList(1) },
    {
      name: 'Move to the previous list',
      key: 'Shift+ArrowLeft',
      shownKey: 'Shift ←',
      run: toList(-1),
    },
    { name: 'Select', key: 'x', run: withStory(({ id }) => pick(id, false)) },
    { name: 'Clear selection', key: 'Escape', shownKey: 'Esc', run: clearSelection },
    ...statusCommands(toStatus),
    ...fieldCommands((field) =>
      withStory((card) => {
        const chosen = storiesFor(store, card.id);
        // It is empty if the selected stories are in a sprint that was completed meanwhile.
        const ids = (chosen.length > 0 ? chosen : [card]).map(({ id }) => id);
        openDialog({ kind: 'story-field', field, ids });
      }, false),
    ),
    { name: 'Menu of moves', key: 'm', run: withStory(({ id }) => openMoveMenu(id)) },
    {
      name: 'New story',
      key: 'c',
      run: () => openDialog({ kind: 'new-story', list: listOfFocus() }),
    },
    { name: 'New sprint', run: () => openDialog({ kind: 'sprint', action: 'new' }) },
    {
      name: 'New stories, one per line',
      run: () => openDialog({ kind: 'new-stories', list: listOfFocus(), titles: '' }),
    },
  ];
  useCommands([...readCommands, ...changing(writeCommands)], [store, canWrite.value]);
}
