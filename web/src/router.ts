import { computed, signal } from '@preact/signals';

/** The view, the board and the story that the URL names. */
export interface Route {
  view: 'boards' | 'board' | 'backlog' | 'reports' | 'settings' | 'import' | 'tokens' | 'missing';
  board: string;
  /** The story that is open over the view. */
  story?: number;
}

const VIEWS = ['backlog', 'reports', 'settings', 'import'] as const;

export const url = signal(new URL(location.href));
export const query = computed(() => url.value.searchParams);
export const route = computed<Route>(() => parse(url.value.pathname));

function parse(path: string): Route {
  const parts = path.split('/').filter(Boolean);
  if (parts.length === 0) return { view: 'boards', board: '' };
  if (parts[0] === 'tokens' && parts.length === 1) return { view: 'tokens', board: '' };
  // An import into a new board.
  if (parts[0] === 'import' && parts.length === 1) return { view: 'import', board: '' };
  if (parts[0] !== 'b' || parts[1] === undefined) return { view: 'missing', board: '' };
  let board: string;
  try {
    board = decodeURIComponent(parts[1]);
  } catch {
    return { view: 'missing', board: '' };
  }
  const rest = parts.slice(2);
  const named = VIEWS.find((view) => view === rest[0]);
  if (named) rest.shift();
  const view = named ?? 'board';
  if (rest.length === 0) return { view, board };
  const story = Number(rest[1]);
  if (rest[0] === 'stories' && rest.length === 2 && Number.isSafeInteger(story)) {
    return { view, board, story };
  }
  return { view: 'missing', board: '' };
}

/** The path of a view of a board, or of a story over it. */
export function pathOf(board: string, view: Route['view'] = 'board', story?: number): string {
  const base = `/b/${encodeURIComponent(board)}${view === 'board' ? '' : `/${view}`}`;
  return story === undefined ? base : `${base}/stories/${story}`;
}

/** Navigates to a path and its query; the present query is not kept. */
export function navigate(to: string, { replace = false } = {}): void {
  const next = new URL(to, location.href);
  if (next.href === location.href) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', next);
  url.value = next;
}

/** Sets parameters of the query; null removes one. */
export function setQuery(values: Record<string, string | null>): void {
  const next = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  navigate(next.href, { replace: true });
}

/** The URL of a story over the present view, with its filters. */
export function storyUrl(story: number): string {
  const { board, view } = route.value;
  return pathOf(board, view, story) + url.value.search;
}

export function closeStory(): void {
  const { board, view } = route.value;
  // So that the browser's Back does not open the story again.
  navigate(pathOf(board, view) + url.value.search, { replace: true });
}

window.addEventListener('popstate', () => (url.value = new URL(location.href)));

// Links within the application change the view without loading the page.
document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest?.('a');
  if (!link || link.target || link.hasAttribute('download')) return;
  if (link.origin !== location.origin || /^\/(api|docs|openapi\.json)/.test(link.pathname)) return;
  event.preventDefault();
  navigate(link.href);
});
