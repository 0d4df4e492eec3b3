import type { Position } from '../../api/types';
import type { BoardState, Card, ListId } from '../model';
import { bySeq, storiesOf } from '../model';
import type { Move } from './change';

/** The story before or after which a position is. */
export function neighbourOf(position: Position): number | undefined {
  if (typeof position === 'string') return undefined;
  return 'before' in position ? position.before : position.after;
}

/** The moves that restore the places of stories in a list: one for each run of neighbours, in their order. */
export function movesBack(state: BoardState, list: ListId, ids: ReadonlySet<number>): Move[] {
  const moves: Move[] = [];
  const stories = storiesOf(state, list);
  const { edge } = state;
  const isBehind = (story: Card): boolean =>
    list === null && edge !== undefined && bySeq(story, edge) > 0;
  stories.forEach((story, i) => {
    if (!ids.has(story.id)) return;
    const previous = stories[i - 1];
    // Stories that are not loaded are between them.
    const hasGap = previous && isBehind(story) && !isBehind(previous);
    const last = moves.at(-1);
    if (previous && !hasGap && last?.ids.at(-1) === previous.id) {
      last.ids.push(story.id);
      return;
    }
    let position: Position = previous ? { after: previous.id } : 'first';
    if (hasGap) {
      const next = stories.slice(i).find(({ id }) => !ids.has(id));
      position = next ? { before: next.id } : 'last';
    }
    moves.push({ kind: 'story.move', ids: [story.id], list, position });
  });
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
