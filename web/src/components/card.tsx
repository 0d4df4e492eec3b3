import type { ReadonlySignal } from '@preact/signals';
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { navigate, storyUrl } from '../router';
import { cardElement, focused } from '../state/focus';
import type { Card as Story } from '../state/model';
import { statusName } from '../state/model';
import { store } from '../state/stores';
import { canWrite } from '../state/session';
import { allowDrag, dragged } from '../util/drag';
import { formatNumber } from '../util/format';
import { StatusMark } from './controls';
import type { MenuItem } from './menu';
import { Menu } from './menu';

interface CardProps {
  story: Story;
  /** Whether the list has no other card that Tab reaches. */
  isEntry: boolean;
  /** Whether a dragged card would be dropped before this one. */
  isDropBefore?: boolean;
  moves: (story: Story) => readonly MenuItem[];
  /** Where several can be chosen; the card is then drawn as a row. */
  selection?: Selection;
  /** Whether the story stays in its list, which is that of a completed sprint. */
  isFixed?: boolean;
}

/** The stories of a view that are chosen together. */
export interface Selection {
  ids: ReadonlySignal<ReadonlySet<number>>;
  /** Chooses or drops a story, or all from the last one to it. */
  pick(id: number, isRange: boolean): void;
}

/** A story in a list. */
export function Card({ story, isEntry, isDropBefore, moves, selection, isFixed }: CardProps) {
  const ref = useRef<HTMLLIElement>(null);
  const { id, title, points, assignee, labels, status } = story;
  const isTabStop = useComputed(() => focused.value === id);
  const isSelected = useComputed(() => selection?.ids.value.has(id) ?? false);
  const isDragged = useComputed(() => {
    const moving = dragged.value;
    return moving === id || (isSelected.value && (selection?.ids.value.has(moving ?? 0) ?? false));
  });
  const isUnsaved = useComputed(() => store.value?.unsaved.value.has(id) ?? false);
  const isMovable = canWrite.value && id > 0 && !isFixed;
  const canMove = useRef(isMovable);
  canMove.current = isMovable;
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      if (!element || !element.contains(document.activeElement)) return;
      const neighbour = (element.nextElementSibling ?? element.previousElementSibling) as
        HTMLElement | undefined;
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        // Moved to another list, it is drawn there anew. Where it is gone, a neighbour gets the focus.
        const next = cardElement(id) ?? neighbour;
        (next?.isConnected ? next : document.querySelector('main'))?.focus();
      });
    };
  }, [id]);
  return (
    <li
      ref={ref}
      class={[
        selection ? 'row' : 'card',
        status,
        isDragged.value && 'dragged',
        isSelected.value && 'selected',
        isDropBefore && 'drop-before',
      ]
        .filter(Boolean)
        .join(' ')}
      id={`story-${id}`}
      data-story={id}
      aria-label={title}
      aria-describedby={`story-${id}-about`}
      tabIndex={isTabStop.value || isEntry ? 0 : -1}
      onFocus={() => (focused.value = id)}
      onPointerEnter={(event) => allowDrag(event.currentTarget, id, () => canMove.current)}
      onClick={(event) => {
        if (selection && isMovable && (event.shiftKey || event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          selection.pick(id, event.shiftKey);
        } else if (!(event.target as Element).closest('a, button, input, [role=menu]')) {
          navigate(storyUrl(id));
        }
      }}
    >
      {selection && isMovable && (
        <input
          type="checkbox"
          class="pick"
          aria-label={`Select ${title}`}
          tabIndex={-1}
          checked={isSelected.value}
          onClick={(event) => {
            event.stopPropagation();
            selection.pick(id, event.shiftKey);
          }}
        />
      )}
      {selection && <StatusMark status={status} />}
      <a class="card-title" href={storyUrl(id)} draggable={false} tabIndex={-1}>
        {title}
      </a>
      <div class="card-foot" id={`story-${id}-about`}>
        {selection && <span class="hidden">{statusName(status)}.</span>}
        {isSelected.value && <span class="hidden">Selected.</span>}
        <span class="card-id">{id > 0 ? `#${id}` : 'New'}</span>
        {isUnsaved.value && <span class="unsaved">Unsaved</span>}
        {labels.map((label) => (
          <span key={label} class="label">
            {label}
          </span>
        ))}
        <span class="card-end">
          {(assignee || selection) && (
            <span class="assignee" title={assignee ?? undefined}>
              {assignee}
            </span>
          )}
          {points !== null ? (
            <span class="points" title={`${formatNumber(points)} points`}>
              {formatNumber(points)}
              <span class="hidden"> points</span>
            </span>
          ) : (
            selection && <span class="points none" />
          )}
          {isMovable && (
            <Menu name="Move" class="card-move" items={() => moves(story)}>
              •••
            </Menu>
          )}
        </span>
      </div>
    </li>
  );
}
