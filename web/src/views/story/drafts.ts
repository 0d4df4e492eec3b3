import type { Card } from '../../state/model';
import { unsavedTexts } from '../../util/unsaved';
import type { Draft } from './fields';

/** Text that was typed into stories and not saved, by story id, so that closing a dialog loses nothing. */
export const typedInto = unsavedTexts<number, { original: Card; typed: Partial<Draft> }>();

/** Titles of tasks that are being typed, by the ids of the tasks. */
export const taskTitles = unsavedTexts<number, string>();

/** Text that was typed into the field of a list of the plan, by the ids of the board and the list. */
export const newTitles = unsavedTexts<string, string>();

/** Titles that were typed into the dialog for several new stories, by the id of the board. */
export const severalTitles = unsavedTexts<number, string>();

/** Text that was typed into the dialog for a new story, by the id of the board. */
export const newStories = unsavedTexts<number, Draft>();
