import { useSignal } from '@preact/signals';
import { api, headersOf } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { Sprint } from '../../api/types';
import { report } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import type { BoardState } from '../../state/model';
import { UNREACHABLE, useAnswer } from '../../util/answer';
import { failureText } from '../../util/failure';

/** The props of a dialog about a sprint. */
export interface SprintDialogProps {
  store: BoardStore;
  state: BoardState;
  id: number;
}

/** The texts for the error codes of sprints, in place of those of `failureText`. */
const WORDS: Record<string, string> = {
  no_next_sprint_to_carry_to: 'There is no next sprint. Choose another list, or create a sprint.',
  precondition_failed: 'Someone else has changed the sprint. Check it, then try again.',
  sprint_full: 'That sprint would have more than 2,000 stories. Choose another list.',
  sprint_not_begun: 'The sprint cannot be started before its start date.',
  sprint_not_completed: 'The sprint was already reopened.',
  sprint_not_found: 'This sprint was deleted.',
  sprint_not_started: 'The sprint has not started, so it cannot be completed.',
};

export const wordsOf = (error: unknown): string =>
  (error instanceof ApiError && WORDS[error.code]) || failureText(error);

/** Loads a sprint with its entity tag. */
export function useSprint(id: number) {
  const sprint = useSignal<Sprint | null>(null);
  const etag = useSignal('');
  const read = async (): Promise<Sprint> => {
    const { data, response } = await api.GET('/api/sprints/{sprint_id}', {
      params: { path: { sprint_id: id } },
    });
    etag.value = headersOf(response).etag;
    return (sprint.value = data as Sprint);
  };
  const { error: failure, isUnreachable } = useAnswer(read, [id]);
  const error = failure ? wordsOf(failure) : isUnreachable ? UNREACHABLE : '';
  return { sprint, etag, error, read };
}

/**
 * Reports a change of a sprint, which cannot be undone.
 * @param tell shows the text; by default as a message, too
 */
export function reportDone(
  { queue }: BoardStore,
  text: string,
  tell: (text: string) => void = report,
): void {
  queue.undo.block(text);
  tell(text);
}

/** Waits until the changes of the user are saved; rejects if the service cannot be reached. */
export async function saved({ queue }: BoardStore): Promise<void> {
  await queue.drained();
  if (queue.state.value === 'offline') throw new TypeError('offline');
}
