import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { api } from '../api/client';
import type { Board, Story } from '../api/types';
import { commands, keyOf, UNDO } from '../commands';
import { navigate, pathOf, route, storyUrl } from '../router';
import { announce } from '../state/announce';
import { sprintName, sprintsOf } from '../state/model';
import { canWrite, isAdmin } from '../state/session';
import { store } from '../state/stores';
import { useAnswer, useSettled } from '../util/answer';
import { isComposing } from '../util/composing';
import { Dialog } from './dialog';

interface Option {
  name: string;
  /** Its key, or its kind: “Story #7”. */
  note: string;
  run: () => void;
}

interface Found {
  q: string;
  stories: readonly { id: number; title: string }[];
}

const MAX_STORIES = 20;
const MAX_BOARDS = 10;
const MAX_OPTIONS = 60;
/** Milliseconds after the last key until the service searches. */
const TYPED_MS = 150;

/** The commands of the present view, and links to the views and sprints of the board. */
function placesAndCommands(): Option[] {
  const { board } = route.value;
  const state = store.value?.view.value;
  const go = (name: string, to: string, note = 'Go to'): Option => ({
    name,
    note,
    run: () => navigate(to),
  });
  const places = [go('Boards', '/')];
  if (isAdmin.value) places.push(go('Tokens', '/tokens'));
  if (board) {
    places.push(go('Board', pathOf(board)));
    places.push(go('Plan', pathOf(board, 'backlog')));
    places.push(go('Reports', pathOf(board, 'reports')));
    places.push(go('Settings', pathOf(board, 'settings')));
    if (canWrite.value) places.push(go('Import', pathOf(board, 'import')));
  }
  const sprints = state
    ? sprintsOf(state)
        .reverse()
        .map((sprint) => go(sprintName(sprint), `${pathOf(board)}?sprint=${sprint.id}`, 'Sprint'))
    : [];
  const all = commands.value
    .flat()
    // Undo has two keys.
    .filter(({ name, key }) => name && key !== 'Ctrl+k' && key !== UNDO)
    .map((command) => ({ ...command, note: keyOf(command) ?? '' }));
  return [...places, ...all, ...sprints];
}

/** The number of a story, which is typed as `60` or `#60`. */
const numberIn = (text: string): number => Number(/^#?(\d{1,15})$/.exec(text.trim())?.[1]);

/** Finds the story with a number, if it is on the board. */
async function findNumbered(number: number, board: string): Promise<Found['stories']> {
  if (!number) return [];
  try {
    const params = { path: { story_id: number } };
    const { data } = await api.GET('/api/stories/{story_id}', { params });
    const story = data as Story;
    return story.board_name === board ? [story] : [];
  } catch {
    return [];
  }
}

/** Finds the stories of a board for a text. */
async function findStories(q: string, board: string): Promise<Found['stories']> {
  if (!q || !board) return [];
  const query = { q: [q], fields: 'id,title', limit: MAX_STORIES };
  const params = { path: { board_name: board }, query };
  const [{ data }, numbered] = await Promise.all([
    api.GET('/api/boards/{board_name}/stories', { params }),
    findNumbered(numberIn(q), board),
  ]);
  return [...numbered, ...(data as Found['stories'])];
}

/**
 * Returns the titles of stories by id: first the story with the typed number, then loaded stories that match, then
 * stories that the service has found.
 */
function titlesFor(typed: string, isMatch: (text: string) => boolean, found: Found | null) {
  const known = [...(store.value?.view.value?.stories.values() ?? [])];
  const more = found?.q === typed.trim() ? found.stories : [];
  const number = numberIn(typed);
  return new Map(
    [
      ...[...known, ...more].filter(({ id }) => id === number),
      ...known
        .filter((story) => isMatch(`${story.title} #${story.id} ${story.external_id ?? ''}`))
        .slice(0, MAX_STORIES),
      ...more,
    ].map(({ id, title }) => [id, title]),
  );
}

/** The options that have all words of a text: the fixed ones first, then boards, then stories. */
function optionsFor(
  typed: string,
  fixed: readonly Option[],
  boards: readonly Board[],
  found: Found | null,
): Option[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const isMatch = (text: string): boolean =>
    words.every((word) => text.toLowerCase().includes(word));
  const shown = fixed.filter(({ name, note }) => isMatch(`${name} ${note}`));
  if (words.length === 0) return shown;
  const isWhole = ({ name }: Option): boolean => name.toLowerCase() === words.join(' ');
  shown.sort((a, b) => Number(isWhole(b)) - Number(isWhole(a)));
  const others = boards.filter(({ name }) => name !== route.value.board && isMatch(name));
  return [
    ...shown,
    ...others.slice(0, MAX_BOARDS).map(({ name }) => ({
      name,
      note: 'Board',
      run: () => navigate(pathOf(name)),
    })),
    ...[...titlesFor(typed, isMatch, found)].map(([id, title]) => ({
      name: title,
      note: `Story #${id}`,
      run: () => navigate(storyUrl(id)),
    })),
  ].slice(0, MAX_OPTIONS);
}

/** Finds a command, a view, a board, a sprint or a story by its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId();
  const typed = useSignal('');
  const index = useSignal(0);
  const list = useRef<HTMLUListElement>(null);
  /** The commands of the view, as they were when the palette opened. */
  const all = useRef(placesAndCommands());
  const { board } = route.value;
  const q = typed.value.trim();
  const search = useSettled(q, TYPED_MS);
  // If the service cannot be reached, only the loaded stories are found.
  const found = useAnswer(
    async () => ({ q: search, stories: await findStories(search, board).catch(() => []) }),
    [board, search],
  ).data;
  const boards = useAnswer(async () => (await api.GET('/api/boards')).data as Board[], []).data;
  const options = useMemo(
    () => optionsFor(typed.value, all.current, boards ?? [], found),
    [typed.value, boards, found, store.value?.view.value],
  );
  const count = options.length;
  const at = Math.min(index.value, count - 1);
  const isSearching = q !== '' && board !== '' && found?.q !== q;
  const isEmpty = count === 0 && !isSearching;
  useEffect(() => {
    if (isEmpty) announce('No results');
  }, [isEmpty]);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const choose = (option: Option | undefined): void => {
    if (!option) return;
    onClose();
    // After the dialog has closed and has returned the focus.
    setTimeout(() => option.run());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[event.key];
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(options[at]);
    } else if (to !== undefined && count > 0) {
      event.preventDefault();
      index.value = (to + count) % count;
    }
  };
  return (
    <Dialog title="Commands" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Command or story"
        aria-expanded={count > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={count > 0 ? `${id}-${at}` : undefined}
        placeholder="Type a command, a sprint or a story"
        autoFocus
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          index.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={id} class="palette" role="listbox" aria-label="Commands">
        {options.map((option, i) => (
          <li
            key={i}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => choose(option)}
          >
            <span>{option.name}</span>
            <span class="note">{option.note}</span>
          </li>
        ))}
      </ul>
      {isEmpty && <p class="note">No results.</p>}
    </Dialog>
  );
}
