import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Status } from './api/types';
import { route } from './router';
import { report } from './state/announce';
import type { StoryFieldRequest } from './state/dialogs';
import { dialog } from './state/dialogs';
import { STATUSES } from './state/model';
import { canWrite } from './state/session';
import { storedText, storeText } from './util/storage';

/** An action of a key or of the command palette. */
export interface Command {
  /** The name in the palette: “New story”; empty if nothing lists the command. */
  name: string;
  /** `KeyboardEvent.key`, letters in lower case; `Ctrl+k` for Ctrl or Cmd, `Shift+ArrowUp`. */
  key?: string;
  /** The text that is shown instead of `key`. */
  shownKey?: string;
  run: () => void;
}

const SINGLE_KEYS_OFF = 'single-keys-off';

/** Whether a character alone runs a command. Speech input types characters by mistake (WCAG 2.1.4). */
export const hasSingleKeys = signal(storedText('localStorage', SINGLE_KEYS_OFF) === null);

export function setSingleKeys(isOn: boolean): void {
  hasSingleKeys.value = isOn;
  storeText('localStorage', SINGLE_KEYS_OFF, isOn ? null : 'true');
}

/** The key of a command as the page shows it; undefined if it has none, or if its key is turned off. */
export const keyOf = ({ key, shownKey }: Command): string | undefined =>
  key?.length === 1 && !hasSingleKeys.value ? undefined : (shownKey ?? key);

/** The key that a text field has for itself, too. */
export const UNDO = 'Ctrl+z';

/** The commands that set the status of a story, with the keys 1 to 3. */
export const statusCommands = (set: (status: Status) => () => void): Command[] =>
  STATUSES.map(({ status, name }, i) => ({
    name: `Set status to ${name}`,
    key: `${i + 1}`,
    run: set(status),
  }));

/** The commands that ask for a field of stories. @param openOf opens the dialog for a field */
export const fieldCommands = (
  openOf: (field: StoryFieldRequest['field']) => () => void,
): Command[] => [
  { name: 'Set points', key: 'e', run: openOf('points') },
  { name: 'Set priority', key: 'p', run: openOf('priority') },
  { name: 'Set assignee', key: 'a', run: openOf('assignee') },
  { name: 'Set labels', key: 'l', run: openOf('labels') },
];

const sayReadOnly = (): void => report('You can only read this board');

/** Commands that change the board. With a token that can only read, nothing lists them, and their keys say why. */
export const changing = (list: readonly Command[]): readonly Command[] =>
  canWrite.value
    ? list
    : list.flatMap(({ key }) =>
        key === undefined || key === 'Escape' ? [] : { name: '', key, run: sayReadOnly },
      );

/** The commands of the views on the page; the innermost view comes last and overrides the others. */
export const commands = signal<readonly (readonly Command[])[]>([]);

/** Makes commands available while the component is mounted. */
export function useCommands(list: readonly Command[], inputs: readonly unknown[]): void {
  // A key may follow before the next frame.
  useLayoutEffect(() => {
    commands.value = [...commands.value, list];
    return () => {
      commands.value = commands.value.filter((each) => each !== list);
    };
    // The caller lists the values that the commands depend on.
  }, inputs);
}

let wasOnCard = false;

/**
 * Whether the keys act on the focused card. They still do while it is drawn again, which removes the focus, and after a
 * dialog; but not once the user has gone to something else on the page.
 */
export const isOnCard = (): boolean => wasOnCard;

function noteFocus({ target }: Event): void {
  if (!(target instanceof Element) || target.closest('dialog')) return;
  wasOnCard = target.closest('[data-story]') !== null;
}
document.addEventListener('focusin', noteFocus);
document.addEventListener('pointerdown', noteFocus);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable]') !== null;

/** The text field into which the user types; it stays here if it is removed from the page. */
let field: Element | null = null;
/** The time of the last key that was meant for a removed field. */
let lostAt: number | undefined;
/** Milliseconds without a key after which the user has noticed that the field was removed. */
const NOTICED_MS = 1000;

function typeInto(target: EventTarget | null): void {
  field = target as Element | null;
  lostAt = undefined;
}

document.addEventListener('focusin', ({ target }) => {
  if (isTyping(target)) typeInto(target);
});
document.addEventListener('pointerdown', () => typeInto(null));

/** Whether a key is the rest of a text whose field was removed, for example because someone completed its sprint. */
function isLost({ timeStamp }: KeyboardEvent): boolean {
  if (!field || field.isConnected) return false;
  if (lostAt !== undefined && timeStamp - lostAt > NOTICED_MS) {
    typeInto(null);
    return false;
  }
  lostAt = timeStamp;
  return true;
}

const dialogs = document.getElementsByTagName('dialog');

/** Whether a dialog is open, or its script is being loaded. */
const hasDialog = (): boolean =>
  dialog.value !== null || route.value.story !== undefined || [...dialogs].some(({ open }) => open);

document.addEventListener('keydown', (event) => {
  // With these keys the user leaves a field.
  if (isTyping(event.target))
    typeInto(['Enter', 'Escape', 'Tab'].includes(event.key) ? null : event.target);
  if (event.defaultPrevented || event.altKey) return;
  const isControl = event.ctrlKey || event.metaKey;
  const isNamed = event.key.length > 1;
  const key =
    (isControl ? 'Ctrl+' : '') +
    // Shift is part of a character, such as `?`.
    (event.shiftKey && (isNamed || isControl) ? 'Shift+' : '') +
    (isNamed ? event.key : event.key.toLowerCase());
  if ((!isControl || key === UNDO) && (isTyping(event.target) || isLost(event))) return;
  // The commands of the view behind a dialog are disabled.
  if (hasDialog()) return;
  const command = commands.value.flat().findLast((each) => each.key === key);
  if (!command || !keyOf(command)) return;
  // Enter activates a focused button or link anyway; a focused card is a list item.
  const isControlFocused =
    event.target instanceof Element && event.target.closest('a, button, summary');
  if (isControlFocused && event.key === 'Enter') return;
  // The arrow keys scroll a focused table.
  const isTable = event.target instanceof Element && event.target.matches('.table-wrap');
  if (isTable && event.key.startsWith('Arrow')) return;
  event.preventDefault();
  command.run();
});
