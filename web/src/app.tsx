import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from './api/problem';
import { changing, UNDO, useCommands } from './commands';
import { Button, Icon, Skeleton } from './components/controls';
import { Keys } from './components/keys';
import { NotLoaded } from './components/no-answer';
import { closeStory, pathOf, route } from './router';
import { alertError, announce, toast } from './state/announce';
import type { Conflict } from './state/changes/conflict';
import { unsavedBy } from './state/changes/outbox';
import { closeDialog, dialog, openDialog } from './state/dialogs';
import { recoverFocus } from './state/focus';
import { canWrite, isAsked, isExpired, session, sessionError, signOut } from './state/session';
import { store } from './state/stores';
import { useTitle } from './state/title';
import { failureText } from './util/failure';
import { formatNumber, plural } from './util/format';
import { hasUnsavedText } from './util/unsaved';
import { lazy } from './util/lazy';
import { isHidden } from './util/visible';
import { BoardView } from './views/board/board';

const BoardsView = lazy(() => import('./views/boards/boards'), 'BoardsView');
const ReportsView = lazy(() => import('./views/reports/reports'), 'ReportsView');
const SettingsView = lazy(() => import('./views/settings/settings'), 'SettingsView');
const ImportView = lazy(() => import('./views/transfer/import'), 'ImportView');
const TokensView = lazy(() => import('./views/tokens/tokens'), 'TokensView');
const SignInView = lazy(() => import('./views/sign-in/sign-in'), 'SignInView');
const SignInDialog = lazy(() => import('./views/sign-in/sign-in'), 'SignInDialog');
const NewBoard = lazy(() => import('./views/boards/new-board'), 'NewBoard', closeDialog);
const NewStory = lazy(() => import('./views/story/new-story'), 'NewStory', closeDialog);
const StoryDialog = lazy(() => import('./views/story/story'), 'StoryDialog', closeStory);
const Palette = lazy(() => import('./components/palette'), 'Palette', closeDialog);
const NewStories = lazy(() => import('./views/story/new-stories'), 'NewStories', closeDialog);
const StoryField = lazy(() => import('./views/story/story-field'), 'StoryField', closeDialog);
const PlanView = lazy(() => import('./views/plan/plan'), 'PlanView');
const SprintDialog = lazy(() => import('./views/sprint/dialogs'), 'SprintDialog', closeDialog);
const NotSaved = lazy(() => import('./components/not-saved'), 'NotSaved', closeDialog);
const ConflictDialog = lazy(() => import('./components/conflict'), 'ConflictDialog');

const undo = (): void => store.value?.undo();

/** The whole page: the bar, the view of the URL, and the dialogs over it. */
export function App() {
  const { view } = route.value;
  useCommands(
    [
      ...(store.value
        ? changing([
            { name: 'Undo', key: 'z', run: undo },
            { name: 'Undo', key: UNDO, shownKey: 'Ctrl Z', run: undo },
          ])
        : []),
      { name: 'Keyboard shortcuts', key: '?', run: () => openDialog({ kind: 'keys' }) },
      {
        name: 'Command palette',
        key: 'Ctrl+k',
        shownKey: 'Ctrl K',
        run: () => openDialog({ kind: 'palette' }),
      },
    ],
    [canWrite.value, store.value],
  );
  return (
    <>
      <Bar />
      <main class={`view view-${view}`} tabIndex={-1}>
        {session.value === undefined ? (
          <NoSession />
        ) : session.value === null ? (
          <SignInView />
        ) : (
          <View />
        )}
      </main>
      <Overlays />
    </>
  );
}

/** What is shown until the session is known. */
function NoSession() {
  const error = sessionError.value;
  if (error === null) return <Skeleton lines={5} />;
  return <NotLoaded error={error instanceof ApiError ? error : null} />;
}

/** The view of the URL. A new view is a case here, and a name in `router.ts`. */
function View() {
  const { view, board } = route.value;
  const current = store.value;
  const failure = current?.reader.failure.value;
  const first = useRef(route.value).current;
  useEffect(() => {
    // The link that had the focus may have been removed, or everything in the view, if the board was deleted.
    if (failure || route.value !== first) recoverFocus();
  }, [view, board, failure]);
  if (view === 'boards') return <BoardsView />;
  if (view === 'tokens') return <TokensView />;
  if (view === 'import' && !board) return <ImportView />;
  if (view === 'missing') return <Missing detail="There is no such page." />;
  if (!current || current.name !== board) return <Skeleton lines={5} />;
  if (failure) return <Missing detail={failure.detail} />;
  // The import needs no board to show its form.
  if (view !== 'import' && !current.view.value && current.connection.isUnreachable.value) {
    return <NotLoaded />;
  }
  switch (view) {
    case 'board':
      return <BoardView key={board} store={current} />;
    case 'reports':
      return <ReportsView store={current} />;
    case 'backlog':
      return <PlanView key={board} store={current} />;
    case 'settings':
      return <SettingsView store={current} />;
    case 'import':
      return <ImportView key={current} board={board} />;
    default:
      return <Missing detail="There is no such page." />;
  }
}

function Missing({ detail }: { detail: string }) {
  useTitle('Not found – Sprintline');
  return (
    <div class="blank">
      <h1>Not found</h1>
      <p>{detail}</p>
      <p>
        <a class="button" href="/">
          Boards
        </a>
      </p>
    </div>
  );
}

/** The bar at the top: links to the views, unsaved changes and the account. */
function Bar() {
  const { view, board } = route.value;
  const current = store.value;
  const isOpen = board !== '' && session.value != null && !current?.reader.failure.value;
  const link = (to: 'board' | 'backlog' | 'reports', name: string) => (
    <a
      class={to === 'board' ? 'board-link' : undefined}
      href={pathOf(board, to)}
      title={to === 'board' ? name : undefined}
      aria-current={view === to ? 'page' : undefined}
    >
      {name}
    </a>
  );
  return (
    <header class="bar">
      <nav aria-label="Main">
        <a class="home" href="/" aria-current={view === 'boards' ? 'page' : undefined}>
          Boards
        </a>
        {isOpen && (
          <>
            <span class="crumb" aria-hidden="true">
              /
            </span>
            {link('board', board)}
            {link('backlog', 'Plan')}
            {link('reports', 'Reports')}
            <a
              href={pathOf(board, 'settings')}
              aria-label="Settings"
              aria-current={view === 'settings' ? 'page' : undefined}
            >
              <span class="wide">Settings</span>
              <Icon name="settings" />
            </a>
          </>
        )}
      </nav>
      <span class="spring" />
      {current && !current.reader.failure.value && <SaveState key={current.name} />}
      {session.value && (
        <Button
          kind="quiet"
          aria-label="Commands"
          title="Commands (Ctrl K)"
          onClick={() => openDialog({ kind: 'palette' })}
        >
          <Icon name="commands" />
        </Button>
      )}
      <Button
        kind="quiet"
        aria-label="Keyboard shortcuts"
        onClick={() => openDialog({ kind: 'keys' })}
      >
        ?
      </Button>
      <Account />
    </header>
  );
}

/** The name of the user, and the button that signs out or, after the session has ended, in again. */
function Account() {
  const current = session.value;
  if (!current?.token_required) return null;
  if (isExpired.value) {
    return isAsked.value ? null : (
      <Button kind="primary" onClick={() => (isAsked.value = true)}>
        Sign in
      </Button>
    );
  }
  return (
    <>
      <span class="actor">{current.actor}</span>
      <Button kind="quiet" aria-label="Sign out" title="Sign out" onClick={() => void leave()}>
        <span class="wide">Sign out</span>
        <Icon name="leave" />
      </Button>
    </>
  );
}

/** Signs out, unless changes are unsaved, which signing out would delete. */
async function leave(): Promise<void> {
  const pending = store.value?.queue.pending.value.length ?? 0;
  if (pending > 0) {
    alertError(`You are still signed in: ${plural(pending, 'change')} must be saved first.`);
    return;
  }
  const end = (): Promise<void> =>
    signOut().catch((error: unknown) => alertError(failureText(error)));
  // Of boards that are not open, and of conflicts.
  const unsaved = session.value ? (await unsavedBy(session.value.actor)).length : 0;
  if (unsaved === 0 && !hasUnsavedText()) {
    await end();
    return;
  }
  const what =
    unsaved > 0 ? plural(unsaved, 'change is', 'changes are') : 'the text that you typed is';
  const action = { name: 'Discard and sign out', run: () => void end() };
  toast(`You are still signed in: ${what} not saved.`, { isError: true, action });
}

/** The conflicts that the user has postponed. */
const postponed = signal<ReadonlySet<Conflict>>(new Set());

/** Milliseconds after which the loss of the connection is announced, because most interruptions are shorter. */
const OFFLINE_MS = 1000;

/** The numbers of conflicts and unsaved changes, and whether the page is connecting. */
function SaveState() {
  const current = store.value;
  const isWaiting = current?.queue.isOffline.value || isExpired.value;
  const unsaved = isWaiting ? (current?.queue.pending.value.length ?? 0) : 0;
  const conflicts = current?.queue.conflicts.value.length ?? 0;
  const isUnreachable = current !== null && current.connection.isUnreachable.value;
  const isLive = current !== null && current.events.isLive.value;
  const isConnecting =
    isUnreachable || (current !== null && current.confirmed.state.value !== null && !isLive);
  /** The board whose stream has been open. Before that, a closed stream is not a lost connection. */
  const opened = useRef<typeof current>(null);
  if (isLive) opened.current = current;
  // A session that has ended is no lost connection.
  const isOffline =
    !isExpired.value && (isUnreachable || (isConnecting && opened.current === current));
  const isUnsaved = unsaved > 0;
  const announced = useRef({ isUnsaved: false, isOffline: false });
  useEffect(() => {
    if (isUnsaved === announced.current.isUnsaved) return;
    // The stream may be connected later than the changes are saved, which is then announced as its restoration.
    announced.current = { isUnsaved, isOffline: isUnsaved || isOffline };
    // The dialog that asks the user to sign in again says so already.
    if (isUnsaved && isExpired.value) return;
    const why = current?.queue.isBusy.value ? 'The service is busy' : 'No connection';
    if (isUnsaved) announce(`${why}: ${plural(unsaved, 'unsaved change')}`);
    else if (conflicts === 0) announce('No unsaved changes');
  }, [isUnsaved]);
  useEffect(() => {
    // A hidden page closes its stream, and opens it again when it is shown.
    if (isHidden.value) return undefined;
    const timer = setTimeout(() => {
      if (isOffline === announced.current.isOffline) return;
      announced.current.isOffline = isOffline;
      if (!isUnsaved) announce(isOffline ? 'The connection is lost' : 'Connected again');
    }, OFFLINE_MS);
    return () => clearTimeout(timer);
  }, [isOffline, isUnsaved, isHidden.value]);
  if (!current) return null;
  return (
    <>
      {conflicts > 0 && (
        <button type="button" class="button danger" onClick={() => (postponed.value = new Set())}>
          {plural(conflicts, 'conflict')}
        </button>
      )}
      {unsaved > 0 ? (
        <span class="save-state offline">
          {formatNumber(unsaved)} unsaved
          <span class="wide"> {unsaved === 1 ? 'change' : 'changes'}</span>
        </span>
      ) : (
        isConnecting && <span class="save-state">Connecting…</span>
      )}
    </>
  );
}

/** The dialogs over the view. */
function Overlays() {
  const current = store.value;
  const state = current?.view.value;
  const { story } = route.value;
  const request = dialog.value;
  const conflict = current?.queue.conflicts.value.find((each) => !postponed.value.has(each));
  // The view says why the board is not shown, and a dialog would cover it.
  const isMissing = !state && current?.reader.failure.value;
  return (
    <>
      {current && story !== undefined && !isMissing && (
        <StoryDialog key={current.sender.firstIdOf(story)} store={current} id={story} />
      )}
      {request?.kind === 'keys' && <Keys onClose={closeDialog} />}
      {request?.kind === 'palette' && <Palette onClose={closeDialog} />}
      {request?.kind === 'new-board' && <NewBoard onClose={closeDialog} />}
      {request?.kind === 'new-story' && current && state && (
        <NewStory store={current} state={state} list={request.list} onClose={closeDialog} />
      )}
      {request?.kind === 'new-stories' && current && state && (
        <NewStories store={current} state={state} {...request} onClose={closeDialog} />
      )}
      {request?.kind === 'story-field' && current && state && (
        <StoryField store={current} state={state} request={request} onClose={closeDialog} />
      )}
      {request?.kind === 'not-saved' && <NotSaved {...request} onClose={closeDialog} />}
      {request?.kind === 'sprint' && current && state && (
        <SprintDialog
          key={`${request.action} ${'id' in request ? request.id : ''}`}
          store={current}
          state={state}
          request={request}
        />
      )}
      {conflict && current && (
        <ConflictDialog
          key={conflict.entries[0]?.key}
          store={current}
          conflict={conflict}
          onLater={() => (postponed.value = new Set([...postponed.value, conflict]))}
        />
      )}
      {/* Over the others, so it must be the last: it contains the messages. */}
      {isExpired.value && isAsked.value && <SignInDialog onClose={() => (isAsked.value = false)} />}
    </>
  );
}
