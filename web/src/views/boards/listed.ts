import { signal } from '@preact/signals';
import type { Board } from '../../api/types';

/** The list of boards as it was read last. It is shown until it is read again, so that Back finds its place in it. */
export const listed = signal<readonly Board[] | null>(null);
