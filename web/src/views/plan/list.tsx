import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Sprint, Velocity } from '../../api/types';
import { CardList } from '../../components/card';
import { Button } from '../../components/controls';
import { noMatch } from '../../components/filters';
import { Goal } from '../../components/goal';
import { useFocusOnMore } from '../../components/show-more';
import { pathOf } from '../../router';
import { announce, report, toast } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import { openDialog } from '../../state/dialogs';
import { recoverFocus } from '../../state/focus';
import type { Card as Story, ListId, Place } from '../../state/model';
import { bySeq, SPRINT_STATES, sprintName } from '../../state/model';
import { canWrite } from '../../state/session';
import { UNREACHABLE } from '../../util/answer';
import { isComposing } from '../../util/composing';
import { dropPlace, useDropList } from '../../util/drag';
import { formatNumber, formatRange, plural } from '../../util/format';
import { isLonger, MAX_TITLE } from '../../util/length';
import { isolated, quoted } from '../../util/names';
import { SprintActions } from '../sprint/actions';
import { isOverAverage, LoadBar, loadOf } from '../sprint/velocity';
import { createStory } from '../story/create';
import { newTitles } from '../story/drafts';
import { dropIntoList, moveItems } from './moves';
import { selection } from './selection';

/** The number of rows drawn at first, and added by Show more. */
const PAGE = 200;

interface PlanListProps {
  store: BoardStore;
  /** The sprint; absent for the backlog. */
  sprint?: Sprint;
  /** All loaded stories of the list. */
  all: readonly Story[];
  /** The stories that pass the filters. */
  stories: readonly Story[];
  isFiltered: boolean;
  velocity: Velocity | null;
  shownOf: (list: ListId) => readonly Story[];
  /** Called with the promise of the list when it begins to load. */
  track: (loading: Promise<void>) => void;
}

/** A list of the plan: the stories of a sprint, or the backlog. */
export function PlanList(props: PlanListProps) {
  const { store, sprint, stories, isFiltered, shownOf, track } = props;
  const list = sprint?.id ?? null;
  const name = sprint ? sprintName(sprint) : 'Backlog';
  const place = String(list);
  const section = useRef<HTMLElement>(null);
  const limit = useSignal(PAGE);
  const focusOnMore = useFocusOnMore(stories);
  const isKnown = store.lists.loaded.value.has(list);
  const part = list === null ? store.lists.part.value : null;
  // Someone else may delete the sprint while a link or a button of it has the focus.
  useLayoutEffect(
    () => () => {
      if (section.current?.contains(document.activeElement)) recoverFocus();
    },
    [],
  );
  useLoading(section, store, list, track);
  const isFixed = sprint?.state === 'completed';
  const edge = list === null ? store.view.value?.edge : undefined;
  const shown = drawn(stories, limit.value, new Set(store.sender.created.values()), edge);
  const dropIndex = useComputed(() =>
    dropPlace.value?.list === place ? dropPlace.value.index : -1,
  );
  useDropList(
    section,
    place,
    (id, index) => {
      if (!isFixed) dropIntoList(store, id, list, shown, index);
    },
    [store, list, stories, limit.value, isFixed],
  );
  const more = stories.length - shown.length + (part && !isFiltered ? part.rest : 0);
  return (
    <section
      ref={section}
      class={`plan-list ${dropIndex.value >= 0 && !isFixed ? 'over' : ''}`}
      aria-label={name}
    >
      <ListHead {...props} name={name} />
      <CardList
        name={name}
        stories={shown}
        dropIndex={isFixed ? -1 : dropIndex.value}
        moves={(story) => moveItems(store, story.id, shownOf)}
        selection={selection}
        isFixed={isFixed}
      />
      {!isFixed && dropIndex.value >= shown.length && <div class="drop-line" />}
      {more > 0 && (
        <Button
          kind="quiet"
          class="button quiet show-more"
          onClick={() => {
            focusOnMore(limit.value);
            limit.value += PAGE;
            if (part && limit.value > stories.length) void store.lists.loadPage();
          }}
        >
          Show more <span class="count">{plural(more, 'story', 'stories')}</span>
        </Button>
      )}
      {(isKnown || part) && stories.length === 0 && (
        <p class="empty">{isFiltered ? noMatch() : <Empty isBacklog={!sprint} />}</p>
      )}
      {!isKnown && !part && store.connection.isUnreachable.value && (
        <p class="empty">{UNREACHABLE}</p>
      )}
      {canWrite.value && !isFixed && <AddStory {...props} list={list} name={name} />}
    </section>
  );
}

/** The stories to draw: the first part of a long list, and all stories that this page has created. */
function drawn(
  stories: readonly Story[],
  limit: number,
  written: ReadonlySet<number>,
  edge: Place | undefined,
): readonly Story[] {
  if (stories.length <= limit && !edge) return stories;
  return stories.filter((story, i) => {
    const { id } = story;
    return (i < limit && (!edge || bySeq(story, edge) <= 0)) || id < 0 || written.has(id);
  });
}

function Empty({ isBacklog }: { isBacklog: boolean }) {
  if (isBacklog) {
    return <>The backlog is empty.{canWrite.value && ' Add stories that the team may do later.'}</>;
  }
  return (
    <>
      No stories yet.{' '}
      {canWrite.value && (
        <span class="key-hint">Drag stories here from the backlog, or move them with Shift ←.</span>
      )}
    </>
  );
}

/** Loads a list when it comes near the visible part of the page. */
function useLoading(
  section: { current: HTMLElement | null },
  store: BoardStore,
  list: ListId,
  track: PlanListProps['track'],
): void {
  const isReady = store.confirmed.state.value !== null;
  useEffect(() => {
    const element = section.current;
    if (!element || !isReady) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        if (list !== null) track(store.lists.load(list));
        else if (!store.lists.part.value) track(store.lists.loadPage());
      },
      { rootMargin: '600px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [store, list, isReady]);
}

/** The name, dates, goal and sums of a list. */
function ListHead(props: PlanListProps & { name: string }) {
  const { store, sprint, all, stories, isFiltered, velocity, name } = props;
  const list = sprint?.id ?? null;
  const isKnown = store.lists.loaded.value.has(list);
  const part = list === null ? store.lists.part.value : null;
  const load = loadOf(all, sprint && sprint.state !== 'completed' ? velocity : null);
  return (
    <header class="plan-head">
      <h2>
        {sprint ? <a href={`${pathOf(store.name)}?sprint=${sprint.id}`}>{name}</a> : 'Backlog'}
      </h2>
      {sprint && (
        <>
          <span class={`state ${sprint.state}`}>{SPRINT_STATES[sprint.state]}</span>
          <span class="note plan-dates">{formatRange(sprint.start_date, sprint.end_date)}</span>
        </>
      )}
      <span class="spring" />
      <span class="plan-sums note">
        {(isKnown || part) && (
          <span>
            {isFiltered && `${formatNumber(stories.length)} of `}
            {plural(all.length + (part?.rest ?? 0), 'story', 'stories')}
          </span>
        )}
        {isKnown && sprint && (
          <>
            <span class={isOverAverage(load) ? 'over-average' : ''}>{load.text}</span>
            <LoadBar load={load} />
          </>
        )}
        {isKnown && !sprint && load.value > 0 && <span>{load.text}</span>}
      </span>
      {sprint && <SprintActions sprint={sprint} />}
      {sprint?.goal && <Goal key={sprint.goal} text={sprint.goal} />}
    </header>
  );
}

/** The fields for new stories on the page, by their keys in `newTitles`. */
const fields = new Map<string, { type: (text: string) => void; focus: () => void }>();

/** Moves the typed title of a sprint that was completed or deleted to the field of the backlog, or offers to add it. */
function moveToBacklog(text: string, hadFocus: boolean, why: string, props: AddStoryProps): void {
  const { store } = props;
  const key = keyOf(store, null);
  const backlog = fields.get(key);
  const isFree = !newTitles.has(key);
  if (backlog && isFree) {
    backlog.type(text);
    if (hadFocus) backlog.focus();
  } else if (hadFocus) recoverFocus();
  if (!text) announce(why);
  else if (backlog && isFree) {
    report(`${why}. Your text ${quoted(text)} is now in the field “New story in Backlog”.`);
  } else {
    const run = (): void => void createStory(store, null, { title: text });
    toast(`${why}. ${quoted(text)} is not saved.`, {
      isError: true,
      action: { name: 'Add to backlog', run },
    });
  }
}

type AddStoryProps = Pick<PlanListProps, 'store' | 'isFiltered'> & { list: ListId; name: string };

const keyOf = (store: BoardStore, list: ListId): string => `${store.view.peek()?.board.id} ${list}`;

/** The field at the end of a list that creates one story after another. */
function AddStory(props: AddStoryProps) {
  const { store, list, name, isFiltered } = props;
  const key = keyOf(store, list);
  const title = useSignal(newTitles.get(key) ?? '');
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const type = (text: string): void => {
    title.value = text;
    if (text) newTitles.set(key, text);
    else newTitles.delete(key);
  };
  useLayoutEffect(() => {
    fields.set(key, { type, focus: () => input.current?.focus() });
    return () => {
      fields.delete(key);
      const sprint = store.view.peek()?.sprints.get(list ?? 0);
      if (list === null || (sprint && sprint.state !== 'completed')) return;
      const text = title.peek();
      const hadFocus = document.activeElement === input.current;
      if (!text && !hadFocus) return;
      type('');
      const why = `${isolated(latest.current.name)} was ${sprint ? 'completed' : 'deleted'}`;
      // After the view is drawn.
      queueMicrotask(() => moveToBacklog(text, hadFocus, why, latest.current));
    };
  }, [key]);
  return (
    <form
      class="add-story"
      onSubmit={(event) => {
        event.preventDefault();
        const text = title.value.trim();
        if (!text) return;
        // The dialog says that it is too long.
        if (isLonger(text, MAX_TITLE)) openDialog({ kind: 'new-stories', list, titles: text });
        else {
          createStory(store, list, { title: text }, { isQuiet: !isFiltered });
          // The new story has moved the field down, perhaps out of view.
          requestAnimationFrame(() => input.current?.scrollIntoView({ block: 'nearest' }));
        }
        type('');
      }}
    >
      <input
        ref={input}
        aria-label={`New story in ${name}`}
        placeholder="New story"
        autocomplete="off"
        value={title}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isComposing(event)) return;
          type('');
          event.currentTarget.blur();
          recoverFocus();
        }}
        onPaste={(event) => {
          const titles = event.clipboardData?.getData('text/plain') ?? '';
          if (titles.trim().split(/\r?\n/).filter(Boolean).length < 2) return;
          event.preventDefault();
          openDialog({ kind: 'new-stories', list, titles });
        }}
      />
    </form>
  );
}
