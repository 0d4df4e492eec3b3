import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import { isMissing, isTemporary } from '../../api/problem';
import type { Board, Sprint } from '../../api/types';
import { delayAfter, Pause } from '../../util/retry';

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
    let isOld = false;
    const pause = new Pause();
    const load = async ({ id, name }: Board): Promise<void> => {
      for (let attempt = 0; !isOld; attempt++) {
        try {
          const sprint = await activeSprintOf(name);
          if (!isOld) sprints.value = new Map(sprints.value).set(id, sprint);
          return;
        } catch (error) {
          // The board was renamed or deleted since the list was read.
          if (isMissing(error)) return;
          if (!isTemporary(error)) throw error;
          await pause.wait(delayAfter(error, attempt));
        }
      }
    };
    const loadAll = async (): Promise<void> => {
      for (const board of boards?.slice(0, MAX_BOARDS) ?? []) await load(board);
    };
    // The list of boards shows errors; without an answer, its rows have only the names.
    loadAll().catch(() => undefined);
    return () => {
      isOld = true;
      pause.end();
    };
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
