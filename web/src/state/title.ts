import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { query, route } from '../router';
import { announceView } from './announce';
import { store } from './stores';

const ofView = signal('Sprintline');
const ofStory = signal<string | undefined>(undefined);

effect(() => {
  document.title = ofStory.value ?? ofView.value;
});

/** The view, board, error and sprint that were announced last. The browser itself announces the first page. */
let announced: readonly unknown[] | undefined;

/** Announces the title of another view, of another sprint on the board, or that the board was deleted. */
function announceTitle(title: string): void {
  const { view } = route.value;
  // A board that is renamed keeps its store.
  const { value: current } = store;
  const sprint = view === 'board' && query.value.get('sprint');
  const shown = [view, current, current?.reader.failure.value, sprint];
  if (announced?.some((each, i) => each !== shown[i])) announceView(title);
  announced = shown;
}

/** Sets the title of the page while the view is shown, unless a story is open; undefined until it is known. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return;
    ofView.value = title;
    announceTitle(title);
  }, [title]);
}

/** Sets the title of the page while a story is open. */
export function useStoryTitle(title: string | undefined): void {
  useEffect(() => {
    ofStory.value = title;
    return () => (ofStory.value = undefined);
  }, [title]);
}
