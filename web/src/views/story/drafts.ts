import { announce, toast } from '../../state/announce';
import type { Card } from '../../state/model';
import type { Draft } from './fields';

/** What was typed into stories and not saved, by their ids: closing a dialog loses nothing. */
export const typedInto = new Map<number, { original: Card; typed: Partial<Draft> }>();

/** What was typed into a new story, by boards. */
export const newStories = new Map<string, Draft>();

/** Says that a dialog was closed before its story was saved, and offers to open it again. */
export function tellUnsaved(title: string, open: () => void): void {
  const text = `“${title}” is not saved`;
  announce(text);
  toast(text, { action: { name: 'Edit again', run: open } });
}
