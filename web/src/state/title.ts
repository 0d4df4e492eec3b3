import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { route } from '../router';
import { announceView } from './announce';
import type { BoardStore } from './board/board-store';
import { store } from './stores';

const ofView = signal('Sprintline');
const ofStory = signal<string | undefined>(undefined);

effect(() => {
  document.title = ofStory.value ?? ofView.value;
});

/** The view and the board that were announced last; the browser itself announces the first ones. */
let announced: { view: string; of: BoardStore | null } | undefined;

/** Announces the title of another view. */
function announceTitle(title: string): void {
  const { view } = route.value;
  // A board that is renamed keeps its store.
  const of = store.value;
  if (announced && (announced.view !== view || announced.of !== of)) announceView(title);
  announced = { view, of };
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
