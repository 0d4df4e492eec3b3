import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import type { Board, Sprint } from '../../api/types';
import { useCommands } from '../../commands';
import { Button } from '../../components/controls';
import { NoAnswer } from '../../components/no-answer';
import { pathOf } from '../../router';
import { report } from '../../state/announce';
import { deleteMissing, forgetBoard, storedBoards, unsavedBy } from '../../state/changes/outbox';
import { openDialog } from '../../state/dialogs';
import { daysLeft, sprintName } from '../../state/model';
import { isAdmin, session } from '../../state/session';
import { useTitle } from '../../state/title';
import { useAnswer } from '../../util/answer';
import { todayIn } from '../../util/calendar';
import { formatRange, plural } from '../../util/format';
import { isolated } from '../../util/names';
import { reachedDate, useActiveSprints } from './active-sprints';
import { listed } from './listed';

/** Milliseconds between two counts of the unsaved changes, while there are any. */
const RECOUNT_MS = 1000;

/** Milliseconds between two looks at the dates of the boards. */
const CHECK_MS = 15_000;

/** Lists the boards that the user may see. Without a connection, it lists the boards that are stored in the browser. */
export function BoardsView() {
  const reads = useSignal(0);
  const answer = useAnswer(
    async () => (listed.value = (await api.GET('/api/boards')).data as Board[]),
    [session.value, reads.value],
  );
  const { data, error, isUnreachable } = answer;
  useEffect(() => (data ? whenOld(data, () => (reads.value += 1)) : undefined), [data]);
  const canCreate = session.value?.scope !== 'read' && session.value?.boards == null;
  const stored = useSignal<readonly Board[]>([]);
  const actor = session.value?.actor ?? '';
  useEffect(() => {
    if (isUnreachable) void storedBoards(actor).then((boards) => (stored.value = boards));
  }, [isUnreachable, actor]);
  const known = data ?? (isUnreachable || error ? null : listed.value);
  const boards = known ?? (isUnreachable && stored.value.length > 0 ? stored.value : null);
  const sprintOf = useActiveSprints(data);
  const unsaved = useUnsaved(actor);
  /** The stored boards with unsaved changes that the service does not list. */
  const missing = useSignal<readonly Board[]>([]);
  useEffect(() => {
    if (!data) return;
    const names = new Map(data.map(({ id, name }) => [id, name]));
    void deleteMissing(actor, ({ id, name }) => names.get(id) !== name).then((kept) => {
      // A board that was only renamed is listed under its new name.
      missing.value = kept.filter(({ id }) => !names.has(id));
    });
  }, [data, actor]);
  const discard = async (board: Board): Promise<void> => {
    await forgetBoard(actor, board);
    missing.value = missing.value.filter((each) => each !== board);
    report(`Discarded the unsaved changes of ${isolated(board.name)}`);
  };
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
      {/* The list stays if it could not be read again. */}
      {data && error && <p role="alert">{error.message}</p>}
      <NoAnswer {...answer} data={known} lines={3} />
      {boards?.length === 0 && missing.value.length === 0 && (
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
              {unsaved.has(board.id) && (
                <span class="unsaved">{plural(unsaved.get(board.id) ?? 0, 'unsaved change')}</span>
              )}
              {known && <ActiveSprint board={board} sprint={sprintOf(board)} />}
            </a>
          </li>
        ))}
        {missing.value.map((board) => (
          <li key={board.id} class="missing">
            <span class="board-name">{board.name}</span>
            <span class="unsaved">{plural(unsaved.get(board.id) ?? 0, 'unsaved change')}</span>
            <p class="note">This board was deleted, or you no longer have access to it.</p>
            <Button kind="danger" onClick={() => void discard(board)}>
              Discard changes
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/**
 * Calls back when the list may be old: a new day has begun in the time zone of a board, or the user has come back to
 * the page. Returns a function that stops it.
 */
function whenOld(boards: readonly Board[], onOld: () => void): () => void {
  const zones = new Set(boards.map(({ time_zone }) => time_zone));
  const read = (): string => [...zones].map(reachedDate).join();
  let dates = read();
  const timer = setInterval(() => {
    if (read() === dates) return;
    dates = read();
    onOld();
  }, CHECK_MS);
  const onShown = (): void => {
    if (!document.hidden) onOld();
  };
  document.addEventListener('visibilitychange', onShown);
  // The page may be visible beside another window.
  window.addEventListener('focus', onShown);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onShown);
    window.removeEventListener('focus', onShown);
  };
}

/** The active sprint of a board; null without one, and undefined until it is known. Its line has the same height. */
function ActiveSprint({ board, sprint }: { board: Board; sprint: Sprint | null | undefined }) {
  if (!sprint) return <span class="note">{sprint === null ? 'No active sprint' : '\u00a0'}</span>;
  const { start_date, end_date } = sprint;
  return (
    <span class="note">
      <span>{sprintName(sprint)}</span>
      <span>{formatRange(start_date, end_date)}</span>
      {end_date && <span>{daysLeft(board, sprint, todayIn(board.time_zone))}</span>}
    </span>
  );
}

/** Returns the number of unsaved changes of each board, by its id. */
function useUnsaved(actor: string): ReadonlyMap<number, number> {
  const counts = useSignal<ReadonlyMap<number, number>>(new Map());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isOld = false;
    const count = async (): Promise<void> => {
      const next = new Map<number, number>();
      for (const { board } of await unsavedBy(actor)) next.set(board, (next.get(board) ?? 0) + 1);
      if (isOld) return;
      if (next.size > 0 || counts.value.size > 0) counts.value = next;
      // The store of a board that was just closed may still send them.
      if (next.size > 0) timer = setTimeout(() => void count(), RECOUNT_MS);
    };
    void count();
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [actor]);
  return counts.value;
}
