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

/** Whether the browser is going back from a closed story; `url` then precedes the history. */
let isGoingBack = false;

/** Adds an entry to the history. Its state is the URL of the entry before, to which closing a story goes back. */
function push(next: URL): void {
  // The view behind a story stays where it is then, even if stories were added above.
  history.scrollRestoration = viewBehind(next).href === location.href ? 'manual' : 'auto';
  history.pushState(location.href, '', next);
}

/** Navigates to a path and its query; the present query is not kept. */
export function navigate(to: string, { replace = false } = {}): void {
  const next = new URL(to, url.value);
  if (next.href === url.value.href) return;
  if (!isGoingBack) {
    try {
      if (replace) history.replaceState(history.state, '', next);
      else push(next);
    } catch {
      showLater();
    }
  }
  url.value = next;
}

/**
 * Shows the URL in the address bar later. Safari allows no more than 100 changes in ten seconds, and each letter of a
 * search makes one.
 */
function showLater(): void {
  setTimeout(() => {
    if (isGoingBack || url.value.href === location.href) return;
    try {
      history.replaceState(history.state, '', url.value);
    } catch {
      showLater();
    }
  }, 1000);
}

/** Sets parameters of the query; null removes one. */
export function setQuery(values: Record<string, string | null>): void {
  const next = new URL(url.value);
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

/** The URL of the view behind the story of a URL. */
function viewBehind(story: URL): URL {
  const { board, view } = parse(story.pathname);
  return new URL(pathOf(board, view) + story.search, story);
}

/** Closes the open story so that the browser's Back does not open it again, nor stay in the view behind it. */
export function closeStory(): void {
  const behind = viewBehind(url.value);
  if (isGoingBack || history.state !== behind.href) {
    navigate(behind.href, { replace: true });
    return;
  }
  isGoingBack = true;
  history.back();
  url.value = behind;
}

window.addEventListener('popstate', () => {
  // The user may have gone on meanwhile.
  if (isGoingBack && url.value.href !== location.href) push(url.value);
  else url.value = new URL(location.href);
  isGoingBack = false;
});

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
