import { useEffect, useRef } from 'preact/hooks';
import { announcement, closeToast, toasts } from '../state/announce';
import { recoverFocus } from '../state/focus';
import { Icon } from './controls';

function close(id: number): void {
  closeToast(id);
  recoverFocus();
}

/**
 * The messages at the edge of the window, and the live region. An open dialog moves their element into itself,
 * because the rest of the page cannot be used or read meanwhile.
 */
export function Messages() {
  const list = useRef<HTMLDivElement>(null);
  const last = toasts.value.at(-1);
  // If there are more than fit, the new one is shown.
  useEffect(() => list.current?.scrollTo(0, list.current.scrollHeight), [last]);
  return (
    <>
      <div class="hidden" role="status" aria-live="polite">
        {announcement}
      </div>
      <div
        ref={list}
        class="toasts"
        {...(toasts.value.length > 0 && { role: 'region', 'aria-label': 'Messages' })}
      >
        {toasts.value.map(({ id, text, isError, action }) => (
          <div
            key={id}
            class={isError ? 'toast error' : 'toast'}
            role={isError ? 'alert' : undefined}
          >
            <span>{text}</span>
            {action && (
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  close(id);
                  action.run();
                }}
              >
                {action.name}
              </button>
            )}
            <button
              type="button"
              class="button quiet"
              aria-label="Dismiss"
              onClick={() => close(id)}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
      </div>
    </>
  );
}
