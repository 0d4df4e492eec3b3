import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { closeReports } from '../state/announce';
import { recoverFocus } from '../state/focus';
import { noteRemoval } from '../state/removal';
import { Icon } from './controls';

interface DialogProps {
  title: string;
  /** Absent while the dialog must not be closed, except by its own content. */
  onClose?: () => void;
  /** `story` is wide. */
  size?: 'story';
  children: ComponentChildren;
}

/** Moves the messages into the topmost dialog, because the page behind it cannot be used or read. */
function moveMessages(): void {
  const messages = document.getElementById('messages');
  const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  if (messages && messages.parentElement !== top) top.append(messages);
}

/** Focuses a button of a dialog once it is ready, unless the user has moved the focus meanwhile from its heading. */
export function useFirstFocus(button: { current: HTMLElement | null }, isReady: boolean): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (!isReady || isDone.current) return;
    isDone.current = true;
    const dialog = button.current?.closest('dialog');
    const { activeElement } = document;
    if (
      [document.body, dialog, dialog?.querySelector('h2')].some((each) => each === activeElement)
    ) {
      button.current?.focus();
    }
  }, [isReady]);
}

function isOutside(element: Element, { clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX < left || clientX >= right || clientY < top || clientY >= bottom;
}

/**
 * A modal dialog. `Esc`, the button Close and a click outside call `onClose`. The browser keeps the focus inside;
 * on closing, the focus returns to the element that had it before.
 */
export function Dialog({ title, onClose, size, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // The messages would cover the buttons of the dialog.
  useEffect(closeReports, []);
  // A layout effect, because the messages must leave the dialog before it is removed.
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement as HTMLElement | null;
    const row = opener?.closest<HTMLElement>('[data-story]');
    const card = row?.dataset.story;
    const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
    dialog?.showModal();
    // Without a field that takes the focus, the browser focuses Close, so that Enter would close the dialog.
    if (document.activeElement?.matches('.dialog-head button'))
      dialog?.querySelector('h2')?.focus();
    moveMessages();
    return () => {
      dialog?.close();
      moveMessages();
      // The card may have been drawn again or removed meanwhile.
      const drawn = card && document.querySelector<HTMLElement>(`[data-story="${card}"]`);
      if (card) noteRemoval(Number(card));
      const last = drawn || opener;
      if (last?.isConnected) last.focus();
      // The focused element may be removed together with the dialog.
      recoverFocus(neighbour);
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${size ?? ''}`}
      aria-labelledby={heading}
      // Chromium closes a dialog when Esc is pressed again, even if a script has prevented it before.
      closedby={onClose ? 'closerequest' : 'none'}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onMouseDown={(event) => {
        // A click on the scrollbar of the dialog has the same target.
        if (event.target === event.currentTarget && isOutside(event.currentTarget, event))
          onClose?.();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading} tabIndex={-1}>
            {title}
          </h2>
          {onClose && (
            <button type="button" class="button quiet" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
