import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import { isMissing } from '../../api/problem';
import type { Board, Sprint } from '../../api/types';
import { todayIn } from '../../util/calendar';
import { RepeatedRequests } from '../../util/repeated-requests';

/** The most boards whose sprints are requested: more requests would take long and count towards the rate limit. */
const MAX_BOARDS = 100;

/** Milliseconds by which the clock of another instance of the service may be behind. */
const MAX_BEHIND_MS = 60_000;

/** The date in a time zone that every instance of the service has reached. */
export const reachedDate = (zone: string): string => todayIn(zone, MAX_BEHIND_MS);

/** The active sprint of a board, and the state of the board on which it depends. */
interface Known {
  state: string;
  sprint: Sprint | null;
}

/** The sprints that are loaded so far. They are kept while the user visits other views. */
const known = signal<ReadonlyMap<number, Known>>(new Map());

/**
 * Requests active sprints, one board after the other: of the boards whose revision or date has changed since the last
 * request. Returns a function that finds the sprint of a board: null without one, undefined while it is not loaded.
 */
export function useActiveSprints(
  boards: readonly Board[] | null,
): (board: Board) => Sprint | null | undefined {
  useEffect(() => {
    const requests = new RepeatedRequests();
    const load = async (): Promise<void> => {
      for (const { id, name, revision, time_zone } of boards?.slice(0, MAX_BOARDS) ?? []) {
        const state = `${revision}/${reachedDate(time_zone)}`;
        if (known.value.get(id)?.state === state) continue;
        try {
          const sprint = await requests.untilAnswered(() => activeSprintOf(name));
          known.value = new Map(known.value).set(id, { state, sprint });
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
  return ({ id }) => known.value.get(id)?.sprint;
}

/** If sprints overlap, the current one is the one that started last. */
async function activeSprintOf(board: string): Promise<Sprint | null> {
  const { data } = await api.GET('/api/boards/{board_name}/sprints', {
    params: { path: { board_name: board }, query: { state: 'active' } },
  });
  return (data as Sprint[]).at(-1) ?? null;
}
