import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import { isMissing } from '../../api/problem';
import type { Board, Sprint } from '../../api/types';
import { RepeatedRequests } from '../../util/repeated-requests';

/** The most boards whose sprints are requested: more requests would take long and count towards the rate limit. */
const MAX_BOARDS = 100;

/**
 * Requests the active sprint of each board, one board after the other. Returns the sprints that are loaded so far, by
 * the id of the board; null if a board has no active sprint.
 */
export function useActiveSprints(
  boards: readonly Board[] | null,
): ReadonlyMap<number, Sprint | null> {
  const sprints = useSignal<ReadonlyMap<number, Sprint | null>>(new Map());
  useEffect(() => {
    const requests = new RepeatedRequests();
    const load = async (): Promise<void> => {
      for (const { id, name } of boards?.slice(0, MAX_BOARDS) ?? []) {
        try {
          const sprint = await requests.untilAnswered(() => activeSprintOf(name));
          sprints.value = new Map(sprints.value).set(id, sprint);
        } catch (error) {
          // The board was renamed or deleted since the list was read.
          if (!isMissing(error)) throw error;
        }
      }
    };
    // The list of boards shows errors; without an answer, its rows have only the names.
    load().catch(() => undefined);
    return () => requests.stop();
  }, [boards]);
  return sprints.value;
}

/** If sprints overlap, the current one is the one that started last. */
async function activeSprintOf(board: string): Promise<Sprint | null> {
  const { data } = await api.GET('/api/boards/{board_name}/sprints', {
    params: { path: { board_name: board }, query: { state: 'active' } },
  });
  return (data as Sprint[]).at(-1) ?? null;
}
