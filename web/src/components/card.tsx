import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { navigate, storyUrl } from '../router';
import { cardElement, focused } from '../state/focus';
import type { Card as Story } from '../state/model';
import { store } from '../state/stores';
import { canWrite } from '../state/session';
import { useDraggable, dragged } from '../util/drag';
import { formatNumber } from '../util/format';
import { Icon } from './controls';
import type { MenuItem } from './menu';
import { Menu } from './menu';

interface CardProps {
  story: Story;
  /** Whether the list has no other card that Tab reaches. */
  isEntry: boolean;
  /** Whether a dragged card would be dropped before this one. */
  isDropBefore?: boolean;
  moves: (story: Story) => readonly MenuItem[];
}

/** A story in a list. */
export function Card({ story, isEntry, isDropBefore, moves }: CardProps) {
  const ref = useRef<HTMLLIElement>(null);
  const { id, title, points, assignee, labels, status } = story;
  const isTabStop = useComputed(() => focused.value === id);
  const isDragged = useComputed(() => dragged.value === id);
  const isUnsaved = useComputed(() => store.value?.unsaved.value.has(id) ?? false);
  useDraggable(ref, id, canWrite.value && id > 0);
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
      class={`card ${status} ${isDragged.value ? 'dragged' : ''} ${isDropBefore ? 'drop-before' : ''}`}
      data-story={id}
      aria-label={title}
      aria-describedby={`story-${id}-about`}
      tabIndex={isTabStop.value || isEntry ? 0 : -1}
      onFocus={() => (focused.value = id)}
      onClick={(event) => {
        if (!(event.target as Element).closest('a, button, [role=menu]')) navigate(storyUrl(id));
      }}
    >
      <a class="card-title" href={storyUrl(id)} draggable={false} tabIndex={-1}>
        {title}
      </a>
      <div class="card-foot" id={`story-${id}-about`}>
        <span class="card-id">{id > 0 ? `#${id}` : 'New'}</span>
        {isUnsaved.value && <span class="unsaved">Unsaved</span>}
        {labels.map((label) => (
          <span key={label} class="label">
            {label}
          </span>
        ))}
        <span class="spring" />
        {assignee && (
          <span class="assignee" title={assignee}>
            {assignee}
          </span>
        )}
        {points !== null && (
          <span class="points" title={`${formatNumber(points)} points`}>
            {formatNumber(points)}
            <span class="hidden"> points</span>
          </span>
        )}
        {canWrite.value && id > 0 && (
          <Menu name="Move" class="card-move" items={() => moves(story)}>
            <Icon name="move" />
          </Menu>
        )}
      </div>
    </li>
  );
}
