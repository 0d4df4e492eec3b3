import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** An action of a key or of the command palette. */
export interface Command {
  /** The name in the palette: “New story”. */
  name: string;
  /** `KeyboardEvent.key`, letters in lower case; `Ctrl+k` for Ctrl or Cmd, `Shift+ArrowUp`. */
  key?: string;
  /** The text that is shown instead of `key`. */
  shownKey?: string;
  run: () => void;
}

/** The commands of the views on the page; the innermost view comes last and overrides the others. */
export const commands = signal<readonly (readonly Command[])[]>([]);

/** Makes commands available while the component is mounted. */
export function useCommands(list: readonly Command[], inputs: readonly unknown[]): void {
  useEffect(() => {
    commands.value = [...commands.value, list];
    return () => {
      commands.value = commands.value.filter((each) => each !== list);
    };
    // The caller lists the values that the commands depend on.
  }, inputs);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable]') !== null;

const dialogs = document.getElementsByTagName('dialog');

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.altKey) return;
  const isControl = event.ctrlKey || event.metaKey;
  const isNamed = event.key.length > 1;
  const key =
    (isControl ? 'Ctrl+' : '') +
    // Shift is part of a character, such as `?`.
    (event.shiftKey && isNamed ? 'Shift+' : '') +
    (isNamed ? event.key : event.key.toLowerCase());
  if (!isControl && isTyping(event.target)) return;
  // While a dialog is open, the commands of the view behind it are disabled.
  if ([...dialogs].some(({ open }) => open)) return;
  const command = commands.value.flat().findLast((each) => each.key === key);
  if (!command) return;
  // Enter activates a focused button or link anyway; a focused card is a list item.
  const isControlFocused =
    event.target instanceof Element && event.target.closest('a, button, summary');
  if (isControlFocused && event.key === 'Enter') return;
  event.preventDefault();
  command.run();
});
