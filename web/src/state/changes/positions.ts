import type { Position } from '../../api/types';
import type { Card, ListId } from '../model';
import type { Move } from './change';

/** The story before or after which a position is. */
export function neighbourOf(position: Position): number | undefined {
  if (typeof position === 'string') return undefined;
  return 'before' in position ? position.before : position.after;
}

/** The moves that restore the places of stories in a list: one for each run of neighbours, in their order. */
export function movesBack(
  stories: readonly Card[],
  list: ListId,
  ids: ReadonlySet<number>,
): Move[] {
  const moves: Move[] = [];
  let previous: Card | undefined;
  for (const story of stories) {
    if (ids.has(story.id)) {
      const last = moves.at(-1);
      if (last && previous && last.ids.at(-1) === previous.id) last.ids.push(story.id);
      else {
        const position = previous ? { after: previous.id } : 'first';
        moves.push({ kind: 'story.move', ids: [story.id], list, position });
      }
    }
    previous = story;
  }
  return moves;
}

/** Values of `seq` between two neighbours of a list, for stories that the service has not moved yet. */
export function seqsAt(list: readonly Card[], position: Position, count: number): number[] {
  const neighbour = list.findIndex(({ id }) => id === neighbourOf(position));
  let index = position === 'first' ? 0 : list.length;
  if (neighbour >= 0)
    index = neighbour + (typeof position === 'object' && 'after' in position ? 1 : 0);
  const lower = list[index - 1]?.seq;
  const upper = list[index]?.seq;
  const from = lower ?? (upper ?? 0) - count - 1;
  const to = upper ?? from + count + 1;
  return Array.from({ length: count }, (_, i) => from + ((to - from) * (i + 1)) / (count + 1));
}

/** The `seq` of a story or task at the end of its list, until the service has assigned one. */
export const nextSeq = (list: readonly { seq: number }[]): number => (list.at(-1)?.seq ?? 0) + 1;
