import { api } from '../../api/client';
import type { Velocity } from '../../api/types';
import type { BoardStore } from '../../state/board/board-store';
import type { Card } from '../../state/model';
import { sumOfPoints } from '../../state/model';
import { useAnswer } from '../../util/answer';
import { formatNumber, plural } from '../../util/format';

/** Requests the velocity of a board. */
export async function velocityOf(board: string): Promise<Velocity> {
  const params = { path: { board_name: board } };
  return (await api.GET('/api/boards/{board_name}/velocity', { params })).data as Velocity;
}

/** Loads the velocity of the board; null until it is known. */
export function useVelocity(store: BoardStore): Velocity | null {
  const completed = [...(store.confirmed.state.value?.sprints.values() ?? [])]
    .filter(({ state }) => state === 'completed')
    .map(({ id }) => id)
    .join();
  // Without a response, the plan shows its sums without the velocity.
  return useAnswer(() => velocityOf(store.name), [store, completed]).data;
}

/** How full a sprint is: its points, or its stories if the team does not estimate. */
interface Load {
  value: number;
  /** How much the team completes on average; undefined without history. */
  average?: number;
  text: string;
}

export function loadOf(stories: readonly Card[], velocity: Velocity | null): Load {
  const points = sumOfPoints(stories);
  const averagePoints = rounded(velocity?.average_points);
  const averageCount = rounded(velocity?.average_count);
  if (averagePoints) {
    const text = `${plural(points, 'point')}, average ${formatNumber(averagePoints)}`;
    return { value: points, average: averagePoints, text };
  }
  if (averageCount && points === 0) {
    const text = `${plural(stories.length, 'story', 'stories')}, average ${formatNumber(averageCount)}`;
    return { value: stories.length, average: averageCount, text };
  }
  return { value: points, text: plural(points, 'point') };
}

/** Whether a sprint has more than the team completes on average. */
export const isOverAverage = ({ value, average }: Load): boolean =>
  average !== undefined && value > average;

/** How full a sprint is, as a bar; nothing without history. */
export function LoadBar({ load }: { load: Load }) {
  const { value, average } = load;
  if (average === undefined) return null;
  return (
    <progress
      class={isOverAverage(load) ? 'over-average' : ''}
      value={Math.min(value, average)}
      max={average}
      aria-label="Compared with the average velocity"
    />
  );
}

const rounded = (value: number | null | undefined): number | undefined =>
  value ? Math.round(value < 10 ? value * 10 : value) / (value < 10 ? 10 : 1) : undefined;
