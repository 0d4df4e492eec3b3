import type { Weekday } from '../boards/working-days';
import { DEFAULT_WORKING_DAYS } from '../boards/working-days';
import type { Fields } from '../events/event';
import type { EventView } from '../events/event.dto';
import { startOfDay } from './calendar';
import type { Steps } from './steps';

/** The fields of an event that a replay reads. */
export type ReplayedEvent = Pick<EventView, 'revision' | 'type' | 'at' | 'entity' | 'id' | 'after'>;

/** The state of a story from one event to the next that changes it. */
export interface StoryState {
  revision: number;
  /** Epoch milliseconds; never before the previous state, never after the end of the history. */
  at: number;
  title: string;
  points: number | null;
  done: boolean;
  /** Whether the story is in the sprint. */
  inside: boolean;
}

interface StoryHistory {
  id: number;
  /** Oldest first, at least one. */
  states: StoryState[];
  /** If it is unfinished: the sprint that the completion carried it over to, null for the backlog. */
  carried_to?: number | null;
}

/** The history of a sprint until its completion or, while it is open, until now. */
export interface SprintHistory {
  time_zone: string;
  working_days: readonly Weekday[];
  start_date: string;
  end_date: string | null;
  /** The last start by hand: its revision, and its time in epoch milliseconds. */
  started: { revision: number; at: number } | null;
  /** The first instant, in epoch milliseconds, of an imported sprint that another tool completed; otherwise null. */
  imported: number | null;
  /** Epoch milliseconds of the completion, or of now. */
  end: number;
  /** The stories that were in the sprint at any time, by id. */
  stories: StoryHistory[];
}

/** A story while its events are replayed. */
interface ReplayedStory {
  id: number;
  state: Omit<StoryState, 'revision' | 'at' | 'inside'>;
  /** When it was done; null if it is not done. */
  done_at: string | null;
  sprint_id: number | null;
  states: (StoryState & { done_at: string | null })[];
  /** The time of its last event, in epoch milliseconds; never before that of an earlier event. */
  at: number;
  /** The sprint that it is in after its first event following the completion; null for the backlog. */
  next?: number | null;
}

/**
 * Replays the history of a sprint from the log of its board. It needs, in the order of revisions, the
 * events of the board, of the sprint, and of every story that was ever in it; other events are ignored.
 * If a story enters the sprint between two calls of `add`, the second call gets all events of that story,
 * some of which are older than the events of the first call. Events after the last completion only determine
 * where unfinished stories were carried over to. If the clock was set back, a later event of a story counts
 * as simultaneous with the event before it. A completion that is earlier than its event was imported: the
 * stories that are in the sprint then count as in it from its first day on, and as done at their `done_at`.
 */
export class Replay {
  private time_zone = 'UTC';
  // Old events lack the working days: boards had none then.
  private working_days = DEFAULT_WORKING_DAYS;
  private start_date = '';
  private end_date: string | null = null;
  private started: SprintHistory['started'] = null;
  private completion:
    { revision: number; at: string; history: Omit<SprintHistory, 'stories'> } | undefined;
  private readonly stories = new Map<number, ReplayedStory>();

  constructor(readonly sprintId: number) {}

  /** Whether events of the story were added. */
  has(storyId: number): boolean {
    return this.stories.has(storyId);
  }

  *add(events: Iterable<ReplayedEvent>): Steps<void> {
    for (const event of events) {
      yield;
      if (event.entity === 'board') this.addOfBoard(event);
      else if (event.entity === 'sprint' && event.id === this.sprintId) this.addOfSprint(event);
      else if (event.entity === 'story') this.addOfStory(event);
    }
  }

  /** The history until the completion or, while the sprint is open, until now. */
  *history(now: Date): Steps<SprintHistory> {
    const { revision, history } = this.completion ?? {
      revision: Infinity,
      history: { imported: null, end: now.getTime(), ...this.present },
    };
    const { imported, end } = history;
    const stories: StoryHistory[] = [];
    for (const story of this.stories.values()) {
      yield;
      const found =
        imported === null
          ? until(story, revision, end)
          : ofImported(story, this.sprintId, revision, { start: imported, end });
      if (found.states.some(({ inside }) => inside)) stories.push(found);
    }
    return { ...history, stories: stories.sort((a, b) => a.id - b.id) };
  }

  private get present() {
    const { time_zone, working_days, start_date, end_date, started } = this;
    return { time_zone, working_days, start_date, end_date, started };
  }

  private addOfBoard({ after }: ReplayedEvent): void {
    this.time_zone = (after?.time_zone as string | undefined) ?? this.time_zone;
    this.working_days = (after?.working_days as Weekday[] | undefined) ?? this.working_days;
  }

  private addOfSprint({ type, revision, at: instant, after }: ReplayedEvent): void {
    if (after && 'start_date' in after) this.start_date = after.start_date as string;
    if (after && 'end_date' in after) this.end_date = after.end_date as string | null;
    const at = Date.parse(instant);
    // The start of an imported sprint is earlier than its event, which is a completion if that was imported, too. A
    // second start in the same millisecond has no `started_at`, because it does not change it.
    const startedAt = after?.started_at as string | null | undefined;
    if (type === 'sprint.started' || startedAt) {
      this.started = { revision, at: Date.parse(startedAt ?? instant) };
    }
    if (type === 'sprint.completed') {
      const completedAt = Date.parse(after?.completed_at as string);
      const end = Math.min(at, completedAt);
      const firstInstant = (): number => startOfDay(this.start_date, this.time_zone).getTime();
      const imported = completedAt < at ? Math.min(end, firstInstant()) : null;
      const history = { imported, end, ...this.present };
      this.completion = { revision, at: instant, history };
    } else if (type === 'sprint.reopened') {
      this.completion = undefined;
      for (const story of this.stories.values()) delete story.next;
    }
  }

  private addOfStory(event: ReplayedEvent): void {
    let story = this.stories.get(event.id);
    if (!story) {
      const state = { title: '', points: null, done: false };
      story = { id: event.id, state, done_at: null, sprint_id: null, states: [], at: -Infinity };
      this.stories.set(event.id, story);
    }
    const after: Fields = event.after ?? { sprint_id: null };
    if ('title' in after) story.state.title = after.title as string;
    if ('points' in after) story.state.points = after.points as number | null;
    if ('status' in after) story.state.done = after.status === 'done';
    if ('done_at' in after) story.done_at = after.done_at as string | null;
    if ('sprint_id' in after) story.sprint_id = after.sprint_id as number | null;
    // Only the import that completes a sprint carries its stories over; later events plan them again.
    const { completion } = this;
    const carries =
      completion && (completion.history.imported === null || completion.at === event.at);
    if (carries && story.next === undefined) story.next = story.sprint_id;
    const inside = story.sprint_id === this.sprintId;
    const at = Math.max(Date.parse(event.at), story.at);
    story.at = at;
    const last = story.states.at(-1);
    if (last && last.inside === inside && isSame(last, story)) return;
    const { title, points, done } = story.state;
    const { revision } = event;
    // Not `{ ...story.state, at }`: V8 adds properties to a copy so slowly that the replay took eight times as long.
    story.states.push({ title, points, done, done_at: story.done_at, revision, at, inside });
  }
}

function isSame(one: ReplayedStory['states'][number], { state, done_at }: ReplayedStory): boolean {
  return (
    one.title === state.title &&
    one.points === state.points &&
    one.done === state.done &&
    one.done_at === done_at
  );
}

/** Returns the history of a story up to a revision; later times become `end`. */
function until(story: ReplayedStory, revision: number, end: number): StoryHistory {
  const states = story.states
    .filter((state) => state.revision <= revision)
    .map((state) => (state.at > end ? { ...state, at: end } : state));
  return { id: story.id, states, carried_to: story.next };
}

/**
 * Returns the history of a story of an imported sprint: it is in the sprint from the start on, and done at its
 * `done_at`. A story that moved on to another sprint was not done in this one, even if it is done now.
 */
function ofImported(
  story: ReplayedStory,
  sprintId: number,
  revision: number,
  { start, end }: { start: number; end: number },
): StoryHistory {
  const { id, next = sprintId } = story;
  const last = story.states.findLast((state) => state.revision <= revision);
  if (!last?.inside) return { id, states: [] };
  const { done_at: doneAt, ...state } = last;
  const states = [{ ...state, done: false, at: start }];
  if (next !== sprintId) return { id, states, carried_to: next };
  if (state.done) {
    const time = doneAt === null ? end : Date.parse(doneAt);
    states.push({ ...state, at: Math.max(start, Math.min(time, end)) });
  }
  return { id, states };
}
