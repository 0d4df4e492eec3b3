import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { recoverFocus } from '../state/focus';
import { noteRemoval } from '../state/removal';

export interface MenuItem {
  name: string;
  run: () => void;
  isDisabled?: boolean;
  /** Whether it is the first of a group. */
  isFirst?: boolean;
  /** Whether it is what the view shows; the menu opens there. */
  isCurrent?: boolean;
}

interface MenuProps {
  name: string;
  children?: ComponentChildren;
  class?: string;
  /** Computed when the menu opens. */
  items: () => readonly MenuItem[];
}

/** A button that opens a menu. */
export function Menu({ name, children, items, class: className }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [shown, setShown] = useState<readonly MenuItem[] | null>(null);
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
        onClick={() => setShown(shown ? null : items())}
      >
        {children ?? name}
      </button>
      {shown && button.current && (
        <MenuList
          id={id}
          name={name}
          anchor={button.current}
          items={shown}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}

interface MenuListProps {
  id: string;
  name: string;
  /** The button that has opened the menu. */
  anchor: HTMLElement;
  items: readonly MenuItem[];
  onClose: () => void;
}

/** Whether the name of an item begins with a typed letter. */
const beginsWith = ({ textContent }: HTMLElement, letter: string): boolean =>
  letter.length === 1 && textContent?.toLowerCase().startsWith(letter.toLowerCase()) === true;

/** An open menu in the top layer; arrow keys, Home, End, Esc and the first letters of its items work in it. */
export function MenuList({ id, name, anchor, items, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  /** The card, if one of its keys has opened the menu. */
  const opener = useRef(document.activeElement?.closest<HTMLElement>('[data-story]:focus')).current;

  useLayoutEffect(() => {
    const menu = list.current;
    if (!menu) return;
    const place = (): void => {
      const { top, bottom, left } = anchor.getBoundingClientRect();
      const { width, height } = menu.getBoundingClientRect();
      const isBelow = bottom + 4 + height <= innerHeight;
      menu.style.top = `${Math.max(4, isBelow ? bottom + 4 : top - height - 4)}px`;
      menu.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
    };
    // Safari on iOS before 18.3 closes no popover when the page beside it is touched.
    const closeOutside = ({ target }: Event): void => {
      const isInside = [menu, anchor].some((each) => each.contains(target as Node));
      if (!isInside && menu.matches(':popover-open')) menu.hidePopover();
    };
    menu.showPopover();
    place();
    addEventListener('resize', place);
    addEventListener('pointerdown', closeOutside);
    const first = menu.querySelector<HTMLElement>('[role=menuitem]:not([disabled])');
    (menu.querySelector<HTMLElement>('[aria-current]') ?? first)?.focus();
    const card = anchor.closest<HTMLElement>('[data-story]')?.dataset.story;
    return () => {
      removeEventListener('resize', place);
      removeEventListener('pointerdown', closeOutside);
      // Once the card is removed, and before another one gets the focus.
      if (card) requestAnimationFrame(() => noteRemoval(Number(card)));
      // The menu is removed with its card, which may appear in another list.
      recoverFocus();
    };
  }, []);

  const close = (): void => {
    if (list.current?.matches(':popover-open')) list.current.hidePopover();
    (opener?.isConnected ? opener : anchor).focus();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const all = [
      ...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not([disabled])') ?? []),
    ];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    event.stopPropagation();
    const isTyped = !event.ctrlKey && !event.metaKey && !event.altKey;
    const named = isTyped ? all.filter((each) => beginsWith(each, event.key)) : [];
    if (named.length > 0) {
      event.preventDefault();
      (named.find((each) => all.indexOf(each) > at) ?? named[0])?.focus();
      return;
    }
    if (to === undefined) {
      if (event.key === 'Tab' || event.key === 'Escape') {
        event.preventDefault();
        close();
      }
      return;
    }
    event.preventDefault();
    all.at(to % all.length)?.focus();
  };

  return (
    <div
      ref={list}
      id={id}
      class="menu"
      popover="auto"
      role="menu"
      aria-label={name}
      onKeyDown={onKeyDown}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
    >
      {items.map((item, i) => (
        <button
          key={i}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={item.isFirst ? 'menu-item first' : 'menu-item'}
          disabled={item.isDisabled}
          aria-current={item.isCurrent ? 'true' : undefined}
          onClick={() => {
            close();
            item.run();
          }}
        >
          {item.name}
        </button>
      ))}
    </div>
  );
}
