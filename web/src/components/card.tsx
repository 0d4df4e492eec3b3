import type { ReadonlySignal } from '@preact/signals';
import { computed, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { navigate, storyUrl } from '../router';
import { cardElement, focused } from '../state/focus';
import type { Card as Story } from '../state/model';
import { statusName } from '../state/model';
import { noteRemoval } from '../state/removal';
import { canWrite } from '../state/session';
import { store } from '../state/stores';
import { allowDrag, dragged } from '../util/drag';
import { formatNumber, plural } from '../util/format';
import { StatusMark } from './controls';
import type { MenuItem } from './menu';
import { MenuList } from './menu';

interface CardListProps {
  name: string;
  stories: readonly Story[];
  /** The index of the card before which a dragged one would be dropped; -1 for none. */
  dropIndex: number;
  /** The items of the menu Move. */
  moves: (story: Story) => readonly MenuItem[];
  /** The selection, if stories can be selected; the cards are then drawn as rows. */
  selection?: Selection;
  /** Whether the list is that of a completed sprint, so that its stories cannot be moved. */
  isFixed?: boolean;
}

/** The selected stories of a view. */
export interface Selection {
  ids: ReadonlySignal<ReadonlySet<number>>;
  /** Selects or deselects a story, or selects the range from the last picked story to it. */
  pick(id: number, isRange: boolean): void;
}

/** The flags of a card's look; everything else in it comes from its story. */
const TAB_STOP = 1;
const SELECTED = 2;
const DRAGGED = 4;
const DROP_BEFORE = 8;
const UNSAVED = 16;
const MOVABLE = 32;
const OPEN = 64;

/** The maximum number of labels in a row, so that it stays low. */
const MAX_ROW_LABELS = 5;

/**
 * A list of stories. Its cards are plain elements without listeners of their own: components would double
 * the time to render 500 of them.
 */
export function CardList(props: CardListProps) {
  const { name, stories, dropIndex, moves, selection, isFixed = false } = props;
  const list = useRef<HTMLUListElement>(null);
  const menu = useSignal<{ id: number; anchor: HTMLElement; items: readonly MenuItem[] } | null>(
    null,
  );
  // Stories are immutable, so a card is drawn again only for another object or another look.
  const drawn = useRef({ url: '', cards: new WeakMap<Story, { look: number; node: VNode }>() });
  useKeptFocus(list, stories);

  const isWritable = canWrite.value && !isFixed;
  const selected = selection?.ids.value;
  const moving = dragged.value;
  const isGroup = moving !== null && selected?.has(moving);
  const unsaved = store.value?.unsaved.value;
  const open = menu.value;
  // When the focus moves, only the lists that lose or get it are drawn again.
  const tabStop = useMemo(
    () =>
      computed(() => {
        const focus = focused.value;
        return stories.some(({ id }) => id === focus) ? focus : stories[0]?.id;
      }),
    [stories],
  ).value;
  const url = storyUrl(0);
  if (drawn.current.url !== url) drawn.current = { url, cards: new WeakMap() };
  const { cards } = drawn.current;
  const nodes = stories.map((story, i) => {
    const { id } = story;
    const isSelected = selected?.has(id);
    const look =
      (id === tabStop ? TAB_STOP : 0) |
      (isSelected ? SELECTED : 0) |
      (id === moving || (isGroup && isSelected) ? DRAGGED : 0) |
      (i === dropIndex ? DROP_BEFORE : 0) |
      (unsaved?.has(id) ? UNSAVED : 0) |
      (isWritable && id > 0 ? MOVABLE : 0) |
      (open?.id === id ? OPEN : 0);
    let card = cards.get(story);
    if (card?.look !== look) {
      // Preact skips a fragment that is the same object as before, but compares an element.
      const node = <Fragment key={id}>{draw(story, look, selection !== undefined)}</Fragment>;
      card = { look, node };
      cards.set(story, card);
    }
    return card.node;
  });

  const storyAt = (target: EventTarget | null): Story | undefined => {
    const id = Number((target as Element).closest<HTMLElement>('[data-story]')?.dataset.story);
    return stories.find((story) => story.id === id);
  };

  const onClick = (event: MouseEvent): void => {
    const target = event.target as Element;
    const story = storyAt(target);
    if (!story) return;
    const { id } = story;
    const anchor = target.closest<HTMLElement>('.card-move');
    if (anchor) menu.value = menu.value?.id === id ? null : { id, anchor, items: moves(story) };
    else if (selection && target.matches('.pick')) {
      selection.pick(id, event.shiftKey);
      // The click has toggled the box, even if the story stays selected.
      (target as HTMLInputElement).checked = selection.ids.value.has(id);
    } else if (
      selection &&
      isWritable &&
      id > 0 &&
      (event.shiftKey || event.ctrlKey || event.metaKey)
    ) {
      event.preventDefault();
      selection.pick(id, event.shiftKey);
    } else if (!target.closest('a, input')) navigate(storyUrl(id));
  };

  return (
    <>
      <ul
        ref={list}
        class={selection ? 'rows' : 'cards'}
        aria-label={name}
        onClick={onClick}
        onFocusIn={({ target }) => (focused.value = storyAt(target)?.id ?? focused.value)}
        onPointerOver={({ target }) => {
          const card = (target as Element).closest<HTMLElement>('[data-story]');
          if (!card) return;
          allowDrag(card, Number(card.dataset.story), () => card.matches(':has(.card-move)'));
        }}
      >
        {nodes}
      </ul>
      {open && stories.some(({ id }) => id === open.id) && (
        <MenuList
          key={open.id}
          id={`move-${open.id}`}
          name="Move"
          anchor={open.anchor}
          items={open.items}
          onClose={() => {
            if (menu.value === open) menu.value = null;
          }}
        />
      )}
    </>
  );
}

/** Draws a story as a card or a row. */
function draw(story: Story, look: number, isRow: boolean): VNode {
  const { id, title, priority, points, assignee, labels, status } = story;
  const tabIndex = look & TAB_STOP ? 0 : -1;
  const isMovable = (look & MOVABLE) > 0;
  const isSelected = (look & SELECTED) > 0;
  const isOpen = (look & OPEN) > 0;
  const shownLabels = isRow ? labels.slice(0, MAX_ROW_LABELS) : labels;
  const moreLabels = labels.slice(shownLabels.length);
  return (
    <li
      class={[
        isRow ? 'row' : 'card',
        status,
        look & DRAGGED && 'dragged',
        isSelected && 'selected',
        look & DROP_BEFORE && 'drop-before',
      ]
        .filter(Boolean)
        .join(' ')}
      id={`story-${id}`}
      data-story={id}
      aria-label={title}
      // Two elements, because the button Move, which has the title in its name, is beside the second one.
      aria-describedby={`story-${id}-about story-${id}-end`}
      tabIndex={tabIndex}
    >
      {isRow && isMovable && (
        <input
          type="checkbox"
          class="pick"
          aria-label={`Select ${title}`}
          tabIndex={-1}
          checked={isSelected}
        />
      )}
      {isRow && <StatusMark status={status} />}
      <a
        class="card-title"
        href={storyUrl(id)}
        title={isRow ? title : undefined}
        draggable={false}
        tabIndex={-1}
      >
        {title}
      </a>
      <div class="card-foot">
        <span class="card-about" id={`story-${id}-about`}>
          {isRow && <span class="hidden">{statusName(status)}.</span>}
          {isSelected && <span class="hidden">Selected.</span>}
          <span class="card-id">{id > 0 ? `#${id}` : 'New'}</span>
          {priority !== null && (
            <span class="priority" title={`Priority ${formatNumber(priority)}`}>
              P{priority}
            </span>
          )}
          {(look & UNSAVED) > 0 && <span class="unsaved">Unsaved</span>}
          {labels.length > 0 && (
            <span class="labels">
              {shownLabels.map((label) => (
                <span key={label} class="label" title={label}>
                  {label}
                </span>
              ))}
              {moreLabels.length > 0 && (
                <span class="label" title={moreLabels.join(', ')}>
                  <span aria-hidden="true">+{moreLabels.length}</span>
                  <span class="hidden">{moreLabels.join(', ')}</span>
                </span>
              )}
            </span>
          )}
        </span>
        <span class="card-end">
          <span class="card-about" id={`story-${id}-end`}>
            {(assignee || isRow) && (
              <span class="assignee" title={assignee ?? undefined}>
                {assignee}
              </span>
            )}
            {points !== null ? (
              <span class="points" title={plural(points, 'point')}>
                {formatNumber(points)}
                <span class="hidden">{points === 1 ? ' point' : ' points'}</span>
              </span>
            ) : (
              isRow && <span class="points none" />
            )}
          </span>
          {isMovable && (
            <button
              class="card-move"
              aria-label={`Move ${title}`}
              aria-haspopup="menu"
              aria-expanded={isOpen}
              aria-controls={isOpen ? `move-${id}` : undefined}
              tabIndex={tabIndex}
            >
              •••
            </button>
          )}
        </span>
      </div>
    </li>
  );
}

/**
 * Keeps the focus on a card that is drawn again in another list. If the card was removed, a neighbour gets
 * the focus.
 */
function useKeptFocus(list: { current: HTMLUListElement | null }, stories: readonly Story[]): void {
  const drawn = useRef(stories);
  const rowOfFocus = (): HTMLElement | null => {
    const { activeElement } = document;
    return list.current?.contains(activeElement)
      ? (activeElement?.closest<HTMLElement>('[data-story]') ?? null)
      : null;
  };
  const keep = (row: HTMLElement, neighbour: Element | null): void => {
    const before = drawn.current.find((story) => story.id === Number(row.dataset.story));
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      const id = Number(row.dataset.story);
      const next = cardElement(store.value?.sender.idOf(id) ?? id) ?? neighbour;
      noteRemoval(id, before);
      (next?.isConnected ? (next as HTMLElement) : document.querySelector('main'))?.focus();
    });
  };
  // Read before the list is drawn again.
  const row = rowOfFocus();
  const neighbour = row && (row.nextElementSibling ?? row.previousElementSibling);
  useLayoutEffect(() => {
    if (row && !row.isConnected) keep(row, neighbour);
    drawn.current = stories;
  });
  useLayoutEffect(
    () => () => {
      const last = rowOfFocus();
      if (last) keep(last, null);
    },
    [],
  );
}
