import { signal } from '@preact/signals';
import { navigate, pathOf, route, url } from '../router';
import type { Change } from './changes/change';
import type { ListId } from './model';

/** The dialogs that have no URL. A new one needs a case here and in `app.tsx`. */
export type DialogRequest =
  | { kind: 'new-story'; list: ListId }
  | { kind: 'new-stories'; list: ListId; titles: string }
  | { kind: 'new-board' }
  | { kind: 'keys' }
  | { kind: 'palette' }
  | { kind: 'not-saved'; label: string; changes: readonly Change[] }
  | StoryFieldRequest
  | SprintRequest;

/** A dialog for one field of some stories. */
export interface StoryFieldRequest {
  kind: 'story-field';
  field: 'points' | 'priority' | 'assignee' | 'labels';
  ids: readonly number[];
}

/** A dialog about a sprint. */
export type SprintRequest =
  | { kind: 'sprint'; action: 'edit' | 'delete' | 'start' | 'reopen'; id: number }
  /** `to` is the sprint that is preselected for the unfinished stories. */
  | { kind: 'sprint'; action: 'complete'; id: number; to?: number }
  /** `completing` is the sprint whose completion continues afterwards. */
  | { kind: 'sprint'; action: 'new'; completing?: number };

export const dialog = signal<DialogRequest | null>(null);

/** The URL over which the dialog was opened. */
let openedAt = '';

export const openDialog = (request: DialogRequest): void => {
  openedAt = url.value.href;
  dialog.value = request;
};

export const closeDialog = (): void => {
  dialog.value = null;
};

/** Opens a dialog of a board, even after the user has gone to another one. */
export const openDialogOn = (board: string, request: DialogRequest): void => {
  if (route.value.board !== board) navigate(pathOf(board));
  openDialog(request);
};

// Back and Forward lead to another view, to which the dialog does not belong. The router goes back by itself, too,
// when a story is closed; its URL is already the present one then.
window.addEventListener('popstate', () => {
  if (url.value.href !== openedAt) closeDialog();
});
