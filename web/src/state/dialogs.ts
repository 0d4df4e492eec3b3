import { signal } from '@preact/signals';
import type { ListId } from './model';

/** The dialogs that have no URL. A new one is a member here and a case in `components/dialogs.tsx`. */
export type DialogRequest =
  | { kind: 'new-story'; list: ListId }
  | { kind: 'new-board' }
  | { kind: 'keys' }
  | { kind: 'palette' };

export const dialog = signal<DialogRequest | null>(null);

export const openDialog = (request: DialogRequest): void => {
  dialog.value = request;
};

export const closeDialog = (): void => {
  dialog.value = null;
};
