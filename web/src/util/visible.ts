import { signal } from '@preact/signals';

/** Whether the page is hidden, as in a tab in the background. */
export const isHidden = signal(document.hidden);

document.addEventListener('visibilitychange', () => (isHidden.value = document.hidden));
