import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { focusCard } from '../state/focus';

/**
 * The focus after Show more, whose button may be removed: on the first story that it draws.
 * @returns a function that is called with the number of stories that are drawn already
 */
export function useFocusOnMore(stories: readonly { id: number }[]): (drawn: number) => void {
  const from = useSignal<number | null>(null);
  const first = from.value === null ? undefined : stories[from.value]?.id;
  useEffect(() => {
    if (first === undefined) return;
    from.value = null;
    focusCard(first);
  }, [first]);
  return (drawn) => (from.value = drawn);
}
