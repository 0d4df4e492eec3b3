import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { recoverFocus } from '../state/focus';
import { Icon } from './controls';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** `story` is wide. */
  size?: 'story';
  children: ComponentChildren;
}

/** Puts the messages where they can be read: into the dialog on top, if there is one. */
function moveMessages(): void {
  const messages = document.getElementById('messages');
  const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  if (messages && messages.parentElement !== top) top.append(messages);
}

/**
 * A modal dialog: `Esc`, the button Close and a click beside it close it. The browser keeps the focus
 * inside and gives it back afterwards.
 */
export function Dialog({ title, onClose, size, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Not after the next paint, because the messages must leave the dialog before it is removed.
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement as HTMLElement | null;
    const card = opener?.closest<HTMLElement>('[data-story]')?.dataset.story;
    dialog?.showModal();
    moveMessages();
    return () => {
      dialog?.close();
      moveMessages();
      // The card may have been drawn again meanwhile, or be gone.
      const drawn = card && document.querySelector<HTMLElement>(`[data-story="${card}"]`);
      const last = drawn || opener;
      if (last?.isConnected) last.focus();
      // What had the focus may be removed together with the dialog.
      recoverFocus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${size ?? ''}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button type="button" class="button quiet" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
