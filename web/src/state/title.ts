import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const ofView = signal('Sprintline');
const ofStory = signal<string | undefined>(undefined);

effect(() => {
  document.title = ofStory.value ?? ofView.value;
});

/** Sets the title of the page while the view is shown, unless a story is open; undefined until it is known. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) ofView.value = title;
  }, [title]);
}

/** Sets the title of the page while a story is open. */
export function useStoryTitle(title: string | undefined): void {
  useEffect(() => {
    ofStory.value = title;
    return () => (ofStory.value = undefined);
  }, [title]);
}
