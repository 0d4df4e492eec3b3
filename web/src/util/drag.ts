import {
  draggable,
  dropTargetForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Where the dragged story would be dropped: a list, and the index of the card that it comes before. */
export const dropPlace = signal<{ list: string; index: number } | null>(null);

/** The story that is dragged. */
export const dragged = signal<number | null>(null);

/** On touch screens, dragging scrolls; stories are moved by their menu. */
const canDrag = matchMedia('(any-pointer: fine)').matches;

const draggables = new WeakSet<HTMLElement>();

/** Makes a card draggable once the pointer is over it; preparing all cards takes long on a large board. */
export function allowDrag(element: HTMLElement, id: number, canMove: () => boolean): void {
  if (!canDrag || draggables.has(element)) return;
  draggables.add(element);
  draggable({
    element,
    canDrag: canMove,
    getInitialData: () => ({ story: id }),
    onDragStart: () => (dragged.value = id),
    onDrop: () => (dragged.value = null),
  });
}

/** The index of the first card whose middle is below the pointer. */
function indexAt(list: Element, y: number): number {
  const cards = [...list.querySelectorAll(':scope > [data-story]')];
  const index = cards.findIndex((card) => {
    const { top, height } = card.getBoundingClientRect();
    return y < top + height / 2;
  });
  return index < 0 ? cards.length : index;
}

/**
 * Makes an area accept cards. The cards are the children of the list in it, with `data-story`.
 * @param onDrop gets the id of the story and the index of the card that it comes before
 */
export function useDropList(
  ref: RefObject<HTMLElement | null>,
  name: string,
  onDrop: (story: number, index: number) => void,
  inputs: readonly unknown[],
): void {
  useEffect(() => {
    const element = ref.current;
    const list = element?.querySelector('ul') ?? element;
    if (!element || !list || !canDrag) return;
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => typeof source.data.story === 'number',
      onDrag: ({ location }) => {
        const index = indexAt(list, location.current.input.clientY);
        const place = dropPlace.value;
        if (place?.list !== name || place.index !== index) dropPlace.value = { list: name, index };
      },
      onDragLeave: () => {
        if (dropPlace.value?.list === name) dropPlace.value = null;
      },
      onDrop: ({ source, location }) => {
        dropPlace.value = null;
        onDrop(source.data.story as number, indexAt(list, location.current.input.clientY));
      },
    });
  }, inputs);
}
