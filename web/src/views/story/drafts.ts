import { announce, toast } from '../../state/announce';
import type { Card } from '../../state/model';
import type { Draft } from './fields';

/** Text that was typed into stories and not saved, by story id, so that closing a dialog loses nothing. */
export const typedInto = new Map<number, { original: Card; typed: Partial<Draft> }>();

/** Text that was typed into the dialog for a new story, by board. */
export const newStories = new Map<string, Draft>();

/** Announces that a dialog was closed with unsaved changes, and offers to open it again. */
export function announceUnsaved(title: string, open: () => void): void {
  const text = `“${title}” is not saved`;
  announce(text);
  toast(text, { action: { name: 'Edit again', run: open } });
}
