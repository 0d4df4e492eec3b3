import { useId, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

export interface MenuItem {
  name: string;
  run: () => void;
  isDisabled?: boolean;
  /** Begins a new group. */
  isFirst?: boolean;
}

interface MenuProps {
  name: string;
  children?: ComponentChildren;
  class?: string;
  /** Computed when the menu opens. */
  items: () => readonly MenuItem[];
}

/** A button that opens a menu in the top layer; arrow keys, Home, End and Esc work in it. */
export function Menu({ name, children, items, class: className }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<readonly MenuItem[] | null>(null);

  const open = (): void => {
    setShown(items());
    requestAnimationFrame(() => {
      const menu = list.current;
      const anchor = button.current?.getBoundingClientRect();
      if (!menu || !anchor) return;
      menu.showPopover();
      const { width, height } = menu.getBoundingClientRect();
      const below = anchor.bottom + 4 + height <= innerHeight;
      menu.style.top = `${Math.max(4, below ? anchor.bottom + 4 : anchor.top - height - 4)}px`;
      menu.style.left = `${Math.max(4, Math.min(anchor.left, innerWidth - width - 4))}px`;
      menu.querySelector<HTMLElement>('[role=menuitem]:not([disabled])')?.focus();
    });
  };

  const close = (): void => {
    if (list.current?.matches(':popover-open')) list.current.hidePopover();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const all = [
      ...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not([disabled])') ?? []),
    ];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    event.stopPropagation();
    if (to === undefined) {
      if (event.key === 'Tab' || event.key === 'Escape') {
        event.preventDefault();
        close();
        button.current?.focus();
      }
      return;
    }
    event.preventDefault();
    all.at(to % all.length)?.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        class={className ?? 'button'}
        aria-label={children ? name : undefined}
        aria-haspopup="menu"
        aria-expanded={shown !== null}
        aria-controls={shown ? id : undefined}
        onClick={(event) => {
          event.stopPropagation();
          if (shown) close();
          else open();
        }}
      >
        {children ?? name}
      </button>
      {shown && (
        <div
          ref={list}
          id={id}
          class="menu"
          popover="auto"
          role="menu"
          aria-label={name}
          onKeyDown={onKeyDown}
          onClick={(event) => event.stopPropagation()}
          onToggle={(event) => {
            if (event.newState === 'closed') setShown(null);
          }}
        >
          {shown.map((item) => (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={item.isFirst ? 'menu-item first' : 'menu-item'}
              disabled={item.isDisabled}
              onClick={() => {
                close();
                button.current?.focus();
                item.run();
              }}
            >
              {item.name}
            </button>
          ))}
        </div>
      )}
    </>
  );
}
