import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api/client';
import type { Event, Sprint, Status } from '../../api/types';
import type { Command } from '../../commands';
import { changing, fieldCommands, isOnCard, statusCommands, useCommands } from '../../commands';
import { Button, Skeleton } from '../../components/controls';
import { filtered, Filters } from '../../components/filters';
import { Goal } from '../../components/goal';
import { Menu } from '../../components/menu';
import { navigate, pathOf, query, storyUrl } from '../../router';
import { report, toast } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import type { SprintRequest } from '../../state/dialogs';
import { dialog, openDialog } from '../../state/dialogs';
import { cardElement, focused, focusInView, openMoveMenu } from '../../state/focus';
import type { BoardState, Card } from '../../state/model';
import {
  currentSprint,
  daysLeft,
  findSprint,
  SPRINT_STATES,
  sprintInText,
  sprintName,
  sprintsOf,
  STATUSES,
  storiesOf,
  sumOfPoints,
} from '../../state/model';
import { isKeyForRemovedCard, REMOVED } from '../../state/removal';
import { canWrite } from '../../state/session';
import { useTitle } from '../../state/title';
import { UNREACHABLE } from '../../util/answer';
import { dragged } from '../../util/drag';
import { formatLongDay, formatNumber, formatRange, plural } from '../../util/format';
import { whoOf } from '../../util/names';
import { whenIdle } from '../../util/retry';
import { SprintActions } from '../sprint/actions';
import { Burndown } from './burndown';
import { Column } from './column';
import { setStatus, shiftCard } from './moves';

/** The board of one sprint: its goal and numbers, and its stories in three columns. */
export function BoardView({ store }: { store: BoardStore }) {
  const sprint = useComputed(() => {
    const state = store.view.value;
    return state ? findSprint(state, query.value.get('sprint')) : undefined;
  });
  const id = sprint.value?.id;
  // Runs at once; an effect of the component would run after the next frame.
  useSignalEffect(() => {
    if (sprint.value) void store.lists.load(sprint.value.id);
  });
  // A column whose stories are the same keeps its array, so that it is not drawn again.
  const drawn = useRef<Partial<Record<Status, Card[]>>>({});
  const columns = useComputed(() => {
    const state = store.view.value;
    const list = state && id !== undefined ? storiesOf(state, id) : [];
    const shown = filtered(list, query.value);
    return STATUSES.map(({ status, name }) => {
      const stories = shown.filter((story) => story.status === status);
      const before = drawn.current[status];
      const isSame =
        before?.length === stories.length && before.every((story, i) => story === stories[i]);
      return { status, name, stories: (drawn.current[status] = isSame ? before : stories) };
    });
  });
  const isSettled = useSignal(false);
  const isLoaded = id !== undefined && store.lists.loaded.value.has(id);
  useEffect(() => {
    if (isLoaded) whenIdle(() => (isSettled.value = true));
  }, [isLoaded]);
  const isFixed = sprint.value?.state === 'completed';
  const columnsOfPage = useRef<HTMLDivElement>(null);
  // An attribute, because the view need not be drawn again for it.
  useSignalEffect(() => {
    // Read even before there are columns, so that the effect runs again.
    const isDragging = dragged.value !== null;
    columnsOfPage.current?.toggleAttribute('data-dragging', isDragging);
  });
  useReplacement(store);
  useBoardKeys(store, () => columns.value.map(({ stories }) => stories), id, isFixed);

  const state = store.view.value;
  const name = sprint.value ? sprintName(sprint.value) : 'Board';
  useTitle(state ? `${name} – ${store.name}` : undefined);

  if (!state) return <Skeleton lines={6} />;
  if (!sprint.value) return <NoSprint state={state} />;
  const isUnknown = !isLoaded && store.connection.isUnreachable.value;
  const phase = !isLoaded ? 'loading' : isSettled.value ? '' : 'fresh';
  return (
    <>
      <SprintHead store={store} state={state} sprint={sprint.value} isUnknown={isUnknown} />
      <div class="sprint">
        <div class="sprint-main">
          <Filters stories={storiesOf(state, sprint.value.id)} />
          {isUnknown && <p class="empty">{UNREACHABLE}</p>}
          <ColumnTabs columns={columns.value} />
          <div ref={columnsOfPage} class={`columns ${phase}`}>
            {columns.value.map((column) => (
              <Column
                key={column.status}
                store={store}
                sprint={id}
                isLoaded={isLoaded}
                isFixed={isFixed}
                {...column}
              />
            ))}
          </div>
        </div>
        <Burndown store={store} sprint={sprint.value} />
      </div>
    </>
  );
}

/** The tabs on a phone, which shows one column at a time: the columns scroll beneath them. */
function ColumnTabs({ columns }: { columns: readonly { name: string; stories: Card[] }[] }) {
  const nav = useRef<HTMLElement>(null);
  const inView = useSignal(0);
  const scroller = (): Element | null | undefined => nav.current?.nextElementSibling;
  useEffect(() => {
    const element = scroller();
    element?.addEventListener('scroll', () => {
      inView.value = Math.round(element.scrollLeft / element.clientWidth);
    });
  }, []);
  return (
    <nav ref={nav} class="column-tabs" aria-label="Columns">
      {columns.map(({ name, stories }, i) => (
        <button
          key={name}
          type="button"
          class="button"
          aria-current={i === inView.value ? 'true' : undefined}
          onClick={() => {
            const column = scroller()?.children[i];
            column?.scrollIntoView({ inline: 'start', block: 'nearest' });
            // Otherwise Tab would go to a card of another column, and back to that column.
            column
              ?.querySelector<HTMLElement>('[data-story][tabindex="0"]')
              ?.focus({ preventScroll: true });
          }}
        >
          {name} <span class="count">{formatNumber(stories.length)}</span>
        </button>
      ))}
    </nav>
  );
}

/**
 * Shows a message when someone else completes the sprint that the board shows, or when another one becomes the
 * current sprint, because another view replaces it.
 */
function useReplacement(store: BoardStore): void {
  const open = useRef<{ id: number; word: string | null; revision: number } | undefined>(undefined);
  useSignalEffect(() => {
    const state = store.view.value;
    const word = query.value.get('sprint');
    const shown = state && findSprint(state, word);
    const before = open.current;
    open.current =
      shown && shown.state !== 'completed'
        ? { id: shown.id, word, revision: store.confirmed.revision.peek() }
        : undefined;
    const replaced = before && before.id !== shown?.id && state?.sprints.get(before.id);
    if (!replaced) return;
    if (replaced.state !== 'completed') {
      // Otherwise the user has chosen another sprint.
      const isByState = !word && !before.word;
      if (shown && isByState) report(`${sprintInText(shown)} is now the current sprint`);
      return;
    }
    // The dialog of the user who completes it shows its report.
    const { kind, action } = (dialog.peek() ?? {}) as Partial<SprintRequest>;
    if (kind === 'sprint' && action === 'complete') return;
    const params = {
      path: { board_name: store.name },
      query: { after: before.revision, type: ['sprint.completed' as const] },
    };
    void api
      .GET('/api/boards/{board_name}/events', { params })
      .then(({ data }) => (data as Event[]).findLast(({ id }) => id === before.id)?.actor)
      .catch(() => undefined)
      .then((actor = 'anonymous') => toast(`${whoOf(actor)} completed ${sprintInText(replaced)}`));
  });
}

const sprintUrl = (state: BoardState, { id }: Sprint): string =>
  pathOf(state.board.name) + (id === currentSprint(state)?.id ? '' : `?sprint=${id}`);

/** A menu that leads to the board of each sprint. */
function AllSprints({ state, current }: { state: BoardState; current?: number }) {
  return (
    <Menu
      name="All sprints"
      class="button quiet"
      items={() =>
        sprintsOf(state)
          .reverse()
          .map((each) => ({
            name: `${sprintName(each)} – ${SPRINT_STATES[each.state]}, ${formatRange(each.start_date, each.end_date)}`,
            isCurrent: each.id === current,
            run: () => navigate(sprintUrl(state, each)),
          }))
      }
    />
  );
}

function NoSprint({ state }: { state: BoardState }) {
  const asked = query.value.get('sprint');
  const next = sprintsOf(state).find(({ state }) => state === 'planned');
  const offered = currentSprint(state) ?? next;
  const last = sprintsOf(state).findLast(({ state }) => state === 'completed');
  return (
    <div class="blank">
      <h1>{asked ? 'Sprint not found' : 'No active sprint'}</h1>
      {!asked && next && (
        <p>
          {sprintInText(next)} starts on {formatLongDay(next.start_date)}.
        </p>
      )}
      {!asked && state.sprints.size === 0 && (
        <p>
          A sprint is a week or two in which the team completes the stories it has chosen.
          {canWrite.value && ' Create stories and sprints in the plan.'} A sprint appears here on
          its start date.
        </p>
      )}
      <div class="actions">
        <a class="button primary" href={pathOf(state.board.name, 'backlog')}>
          Go to the plan
        </a>
        {offered && (
          <a class="button" href={sprintUrl(state, offered)}>
            Open {sprintInText(offered)}
          </a>
        )}
        {!asked && last && (
          <a class="button" href={`${pathOf(state.board.name, 'reports')}?sprint=${last.id}`}>
            Report of {sprintInText(last)}
          </a>
        )}
        {state.sprints.size > 0 && <AllSprints state={state} />}
      </div>
    </div>
  );
}

interface SprintHeadProps {
  store: BoardStore;
  state: BoardState;
  sprint: Sprint;
  /** Whether the stories of the sprint could not be loaded because the connection is lost. */
  isUnknown: boolean;
}

/** The maximum number of links to other sprints; the menu has all of them. */
const MAX_LINKS = 5;

/** The name, state, goal, dates and progress of the sprint. */
function SprintHead({ store, state, sprint, isUnknown }: SprintHeadProps) {
  const stories = storiesOf(state, sprint.id);
  const finished = stories.filter(({ status }) => status === 'done');
  const isInPoints = stories.length === 0 || stories.some(({ points }) => points);
  const all = isInPoints ? sumOfPoints(stories) : stories.length;
  const done = isInPoints ? sumOfPoints(finished) : finished.length;
  const linked = sprintsOf(state)
    .filter(({ id, state }) => (state === 'active' || state === 'ended') && id !== sprint.id)
    .slice(-MAX_LINKS);
  return (
    <header class="view-head">
      <div class="view-title">
        <h1>{sprintName(sprint)}</h1>
        <span class={`state ${sprint.state}`}>{SPRINT_STATES[sprint.state]}</span>
        <div class="sprint-links">
          {linked.map((each) => (
            <a key={each.id} class="button quiet" href={sprintUrl(state, each)}>
              {sprintName(each)}
            </a>
          ))}
          <AllSprints state={state} current={sprint.id} />
        </div>
        <span class="spring" />
        <SprintActions sprint={sprint} />
        {canWrite.value && sprint.state !== 'completed' && (
          <Button kind="primary" onClick={() => openDialog({ kind: 'new-story', list: sprint.id })}>
            New story
          </Button>
        )}
      </div>
      {sprint.goal && <Goal key={sprint.goal} text={sprint.goal} />}
      <p class="facts">
        <span>{formatRange(sprint.start_date, sprint.end_date)}</span>
        <span>{daysLeft(state.board, sprint, store.today.date.value)}</span>
        {sprint.state === 'completed' ? (
          // Its unfinished stories are in other lists.
          <>
            <span>
              {isInPoints ? plural(done, 'point') : plural(done, 'story', 'stories')} done
            </span>
            <a href={`${pathOf(store.name, 'reports')}?sprint=${sprint.id}`}>Sprint report</a>
          </>
        ) : (
          !isUnknown && (
            <>
              <span>
                {formatNumber(done)} of{' '}
                {isInPoints ? plural(all, 'point') : plural(all, 'story', 'stories')} done
              </span>
              <progress value={done} max={all || 1} aria-label="Progress" />
            </>
          )
        )}
      </p>
    </header>
  );
}

/** The keys that act on the focused card. */
function useBoardKeys(
  store: BoardStore,
  columns: () => Card[][],
  sprint: number | undefined,
  isFixed: boolean,
): void {
  const place = (): { story: Card; column: number; row: number } | undefined => {
    for (const [column, stories] of columns().entries()) {
      const row = stories.findIndex(({ id }) => id === focused.value);
      const story = stories[row];
      if (story && cardElement(story.id)) return { story, column, row };
    }
    return undefined;
  };
  const focusAt = (column: number, row: number): void => {
    const stories = (columns()[column] ?? []).filter(({ id }) => cardElement(id));
    const story = stories[Math.max(0, Math.min(row, stories.length - 1))];
    if (story) {
      focused.value = story.id;
      focusInView(cardElement(story.id));
    }
  };
  const step = (columnBy: number, rowBy: number): void => {
    const at = place();
    if (!at) {
      const first = columns().findIndex((stories) => stories.length > 0);
      focusAt(first, 0);
      return;
    }
    if (columnBy === 0) {
      focusAt(at.column, at.row + rowBy);
      return;
    }
    // Skips empty columns.
    for (let column = at.column + columnBy; columns()[column]; column += columnBy) {
      if (columns()[column]?.length) {
        focusAt(column, at.row);
        return;
      }
    }
  };
  const withCard = (run: (story: Card, column: number) => void) => (): void => {
    const at = isOnCard() ? place() : undefined;
    if (isKeyForRemovedCard()) report(REMOVED);
    else if (!at) report('Choose a card first, with the arrow keys');
    else if (isFixed) report('The sprint is completed');
    else run(at.story, at.column);
  };
  const toColumn = (by: number) =>
    withCard((story, column) => {
      const next = STATUSES[column + by];
      if (next) setStatus(store, story, next.status);
    });
  const toStatus = (status: Status) => withCard((story) => setStatus(store, story, status));
  const shift = (by: -1 | 1) =>
    withCard((story, column) => shiftCard(store, story, columns()[column] ?? [], by));

  const readCommands: Command[] = [
    { name: 'Next card', key: 'ArrowDown', shownKey: '↓', run: () => step(0, 1) },
    { name: 'Previous card', key: 'ArrowUp', shownKey: '↑', run: () => step(0, -1) },
    { name: 'Card in the next column', key: 'ArrowRight', shownKey: '→', run: () => step(1, 0) },
    {
      name: 'Card in the previous column',
      key: 'ArrowLeft',
      shownKey: '←',
      run: () => step(-1, 0),
    },
    {
      name: 'Open story',
      key: 'Enter',
      run: () => {
        const at = place();
        if (at) navigate(storyUrl(at.story.id));
      },
    },
  ];
  const writeCommands: Command[] = [
    { name: 'Move card down', key: 'Shift+ArrowDown', shownKey: 'Shift ↓', run: shift(1) },
    { name: 'Move card up', key: 'Shift+ArrowUp', shownKey: 'Shift ↑', run: shift(-1) },
    { name: 'Move card right', key: 'Shift+ArrowRight', shownKey: 'Shift →', run: toColumn(1) },
    { name: 'Move card left', key: 'Shift+ArrowLeft', shownKey: 'Shift ←', run: toColumn(-1) },
    ...statusCommands(toStatus),
    ...fieldCommands((field) =>
      withCard(({ id }) => openDialog({ kind: 'story-field', field, ids: [id] })),
    ),
    { name: 'Menu of moves', key: 'm', run: withCard(({ id }) => openMoveMenu(id)) },
    {
      name: 'New story',
      key: 'c',
      run: () => openDialog({ kind: 'new-story', list: isFixed ? null : (sprint ?? null) }),
    },
  ];
  useCommands(
    [...readCommands, ...changing(writeCommands)],
    [store, sprint, isFixed, canWrite.value],
  );
}
