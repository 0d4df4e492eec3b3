import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { navigate, storyUrl } from '../router';
import { cardElement, focused } from '../state/focus';
import type { Card as Story } from '../state/model';
import { statusName } from '../state/model';
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

/** What a screen reader says of a card: its title first. */
function nameOf({ title, points, assignee, labels, status, id }: Story): string {
  return [
    title,
    points === null ? '' : `${formatNumber(points)} points`,
    assignee ?? '',
    labels.join(', '),
    statusName(status),
    id < 0 ? 'not saved yet' : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** A story in a list. */
export function Card({ story, isEntry, isDropBefore, moves }: CardProps) {
  const ref = useRef<HTMLLIElement>(null);
  const { id, title, points, assignee, labels, status } = story;
  const isTabStop = useComputed(() => focused.value === id);
  const isDragged = useComputed(() => dragged.value === id);
  useDraggable(ref, id, canWrite.value && id > 0);
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      // Moved to another list, it is drawn there anew: the focus goes with it.
      if (!element || !element.contains(document.activeElement)) return;
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) cardElement(id)?.focus();
      });
    };
  }, [id]);
  return (
    <li
      ref={ref}
      class={`card ${status} ${isDragged.value ? 'dragged' : ''} ${isDropBefore ? 'drop-before' : ''}`}
      data-story={id}
      aria-label={nameOf(story)}
      tabIndex={isTabStop.value || isEntry ? 0 : -1}
      onFocus={() => (focused.value = id)}
      onClick={(event) => {
        if (!(event.target as Element).closest('a, button, [role=menu]')) navigate(storyUrl(id));
      }}
    >
      <a class="card-title" href={storyUrl(id)} draggable={false} tabIndex={-1}>
        {title}
      </a>
      <div class="card-foot">
        <span class="card-id">{id > 0 ? `#${id}` : '…'}</span>
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
