import type { BoardEvent, Members } from '../events/event';

/** As much of an event as a replay looks at. */
export type PastEvent = Pick<BoardEvent, 'revision' | 'type' | 'at' | 'entity' | 'id' | 'after'>;

/** What a story was from one event on until the next that mattered to a report. */
export interface StoryState {
  revision: number;
  /** Milliseconds since 1970; never before the state's predecessor, never after the past's `end`. */
  at: number;
  title: string;
  points: number | null;
  done: boolean;
  /** Whether it was in the sprint. */
  inside: boolean;
}

export interface StoryPast {
  id: number;
  /** Oldest first; never empty. */
  states: StoryState[];
  /** Where the completion carried it; absent unless it did. */
  carried_to?: number | null;
}

/** What the log tells of a sprint, up to its completion or, while it is open, up to now. */
export interface SprintPast {
  time_zone: string;
  start_date: string;
  end_date: string | null;
  completed: boolean;
  /** The instant of which the past tells last, in milliseconds since 1970. */
  end: number;
  /** The stories that were ever in the sprint, by id. */
  stories: StoryPast[];
}

interface Story {
  id: number;
  state: Omit<StoryState, 'revision' | 'at' | 'inside'>;
  sprint_id: number | null;
  states: StoryState[];
  /** Where the first event after the completion put it. */
  next?: number | null;
}

/**
 * Replays a sprint's past from its board's log. Of the log it needs, in the order of revisions, what
 * happened to the board, to the sprint, and to every story that was ever in it; anything more
 * changes nothing. What came after the completion in force changes nothing either, but to say
 * where the unfinished stories went. Events are ordered by their revisions: where the clock stepped back,
 * what happened to a story later by revision counts as no earlier by time.
 */
export function replay(events: Iterable<PastEvent>, sprintId: number, now: Date): SprintPast {
  let time_zone = 'UTC';
  let start_date = '';
  let end_date: string | null = null;
  let completion: { revision: number; past: Omit<SprintPast, 'stories'> } | undefined;
  const stories = new Map<number, Story>();

  for (const event of events) {
    if (event.entity === 'board') {
      time_zone = (event.after?.time_zone as string | undefined) ?? time_zone;
    } else if (event.entity === 'sprint' && event.id === sprintId) {
      const after = event.after ?? {};
      if ('start_date' in after) start_date = after.start_date as string;
      if ('end_date' in after) end_date = after.end_date as string | null;
      if (event.type === 'sprint.completed') {
        const end = Date.parse(event.at);
        const past = { time_zone, start_date, end_date, completed: true, end };
        completion = { revision: event.revision, past };
      } else if (event.type === 'sprint.reopened') {
        completion = undefined;
        for (const story of stories.values()) delete story.next;
      }
    } else if (event.entity === 'story') {
      apply(stories, event, sprintId, completion !== undefined);
    }
  }

  const { revision, past } = completion ?? {
    revision: Infinity,
    past: { time_zone, start_date, end_date, completed: false, end: now.getTime() },
  };
  return {
    ...past,
    stories: [...stories.values()]
      .map((story) => until(story, revision, past.end))
      .filter(({ states }) => states.some(({ inside }) => inside))
      .sort((a, b) => a.id - b.id),
  };
}

function apply(
  stories: Map<number, Story>,
  event: PastEvent,
  sprintId: number,
  completed: boolean,
): void {
  let story = stories.get(event.id);
  if (!story) {
    const state = { title: '', points: null, done: false };
    stories.set(event.id, (story = { id: event.id, state, sprint_id: null, states: [] }));
  }
  const after: Members = event.after ?? { sprint_id: null };
  if ('title' in after) story.state.title = after.title as string;
  if ('points' in after) story.state.points = after.points as number | null;
  if ('status' in after) story.state.done = after.status === 'done';
  if ('sprint_id' in after) story.sprint_id = after.sprint_id as number | null;
  if (completed && story.next === undefined) story.next = story.sprint_id;
  const inside = story.sprint_id === sprintId;
  const last = story.states.at(-1);
  if (last && last.inside === inside && same(last, story.state)) return;
  const at = Math.max(Date.parse(event.at), last?.at ?? -Infinity);
  story.states.push({ ...story.state, revision: event.revision, at, inside });
}

function same(one: Story['state'], other: Story['state']): boolean {
  return one.title === other.title && one.points === other.points && one.done === other.done;
}

function until(story: Story, revision: number, end: number): StoryPast {
  const states = story.states
    .filter((state) => state.revision <= revision)
    .map((state) => ({ ...state, at: Math.min(state.at, end) }));
  const last = states.at(-1);
  const carried = last?.inside && !last.done && story.next !== undefined;
  return { id: story.id, states, ...(carried && { carried_to: story.next }) };
}

/** What a story was at an instant: after all that had happened by then. */
export function stateAt({ states }: StoryPast, instant: number): StoryState | undefined {
  return states.findLast(({ at }) => at <= instant);
}
