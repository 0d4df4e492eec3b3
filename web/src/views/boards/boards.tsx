import { api } from '../../api/client';
import type { Board } from '../../api/types';
import { useCommands } from '../../commands';
import { Button, Skeleton } from '../../components/controls';
import { pathOf } from '../../router';
import { openDialog } from '../../state/dialogs';
import { isAdmin, session } from '../../state/session';
import { useTitle } from '../../state/title';
import { UNREACHABLE, useAnswer } from '../../util/answer';

/** All boards that the user may see. */
export function BoardsView() {
  const {
    data: boards,
    error,
    isUnreachable,
  } = useAnswer(async () => (await api.GET('/api/boards')).data as Board[], [session.value]);
  const canCreate = session.value?.scope !== 'read' && session.value?.boards == null;
  useTitle('Boards – Sprintline');
  useCommands(
    canCreate
      ? [{ name: 'New board', key: 'c', run: () => openDialog({ kind: 'new-board' }) }]
      : [],
    [canCreate],
  );
  return (
    <div class="boards">
      <header class="view-head">
        <div class="view-title">
          <h1>Boards</h1>
          <span class="spring" />
          {isAdmin.value && (
            <a class="button" href="/tokens">
              Tokens
            </a>
          )}
          {canCreate && (
            <a class="button" href="/import">
              Import
            </a>
          )}
          {canCreate && (
            <Button kind="primary" onClick={() => openDialog({ kind: 'new-board' })}>
              New board
            </Button>
          )}
        </div>
      </header>
      {!boards && !error && !isUnreachable && <Skeleton lines={3} />}
      {error && <p role="alert">{error.message}</p>}
      {!boards && isUnreachable && !error && <p class="empty">{UNREACHABLE}</p>}
      {boards?.length === 0 && (
        <div class="blank">
          <p>
            A board contains the work of one team: its sprints, stories and backlog.
            {canCreate && ' Create the first one with New board, or import one.'}
          </p>
        </div>
      )}
      <ul class="board-list">
        {boards?.map((board) => (
          <li key={board.id}>
            <a href={pathOf(board.name)}>
              <span class="board-name">{board.name}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
