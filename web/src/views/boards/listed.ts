import { signal } from '@preact/signals';
import type { Board } from '../../api/types';

/** The last response with the list of boards, shown until the next one so that Back restores the scroll position. */
export const listed = signal<readonly Board[] | null>(null);
