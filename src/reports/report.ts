import { calendarDate } from '../time/clock';
import { endOfDay, startOfDay } from './calendar';
import { sum } from './points';
import type { SprintHistory, StoryHistory, StoryState } from './replay';
import { stateAt } from './replay';

export interface ReportedStory {
  id: number;
  title: string;
  /** Null if the story was not estimated; it counts 0. */
  points: number | null;
}

export interface UnfinishedStory extends ReportedStory {
  /** The sprint it was carried over to by the completion, null for the backlog; absent before. */
  carried_to?: number | null;
}

export interface ReestimatedStory {
  id: number;
  title: string;
  from: number | null;
  to: number | null;
}

export interface ReportGroup<Story> {
  count: number;
  /** The sum; of `re_estimated` the net change. */
  points: number;
  /** By id. */
  stories: Story[];
}

export type CommitmentRule = 'start' | 'first_day';

/** The report of a sprint: committed + added + re_estimated − removed = completed + unfinished. */
export interface Report {
  /** RFC 3339: the completion, or now. */
  as_of: string;
  committed_at: string | null;
  commitment_rule: CommitmentRule | null;
  committed: ReportGroup<ReportedStory>;
  added: ReportGroup<ReportedStory>;
  removed: ReportGroup<ReportedStory>;
  re_estimated: ReportGroup<ReestimatedStory>;
  completed: ReportGroup<ReportedStory>;
  unfinished: ReportGroup<UnfinishedStory>;
}

export interface Commitment {
  /** Epoch milliseconds: what is in the sprint at this instant is committed. */
  at: number;
  rule: CommitmentRule;
}

/**
 * When the stories of a sprint were committed, and by which rule: at the start of its first day, or at
 * the end of the first day that left a story in it. Null before that.
 */
export function commitment(history: SprintHistory): Commitment | null {
  const start = startOfDay(history.start_date, history.time_zone).getTime();
  if (history.end < start) return null;
  if (history.stories.some((story) => stateAt(story, start)?.inside)) {
    return { at: start, rule: 'start' };
  }
  let first: string | undefined;
  for (const { states } of history.stories) {
    for (const [index, { at, inside }] of states.entries()) {
      if (!inside || at < start) continue;
      const date = calendarDate(new Date(at), history.time_zone);
      if (first !== undefined && date >= first) break;
      const next = states[index + 1];
      if (next && calendarDate(new Date(next.at), history.time_zone) === date) continue;
      first = date;
      break;
    }
  }
  if (first === undefined) return null;
  return {
    at: Math.min(endOfDay(first, history.time_zone).getTime(), history.end),
    rule: 'first_day',
  };
}

/** The report that follows from the history of a sprint. */
export function report(history: SprintHistory): Report {
  const committed = commitment(history);
  const groups = {
    committed: [] as ReportedStory[],
    added: [] as ReportedStory[],
    removed: [] as ReportedStory[],
    re_estimated: [] as ReestimatedStory[],
    completed: [] as ReportedStory[],
    unfinished: [] as UnfinishedStory[],
  };
  for (const story of history.stories) {
    const end = story.states[story.states.length - 1] as StoryState;
    const reported = ({ points }: StoryState): ReportedStory => ({
      id: story.id,
      title: end.title,
      points,
    });
    if (end.inside && end.done) groups.completed.push(reported(end));
    if (end.inside && !end.done) {
      const { carried_to } = story;
      groups.unfinished.push({ ...reported(end), ...(carried_to !== undefined && { carried_to }) });
    }
    const atCommitment = committed && stateAt(story, committed.at);
    const entry = atCommitment?.inside
      ? atCommitment
      : committed && firstEntryAfter(story, committed.at);
    if (!entry) continue;
    groups[entry === atCommitment ? 'committed' : 'added'].push(reported(entry));
    const exit = end.inside ? end : (story.states.findLast(({ inside }) => inside) as StoryState);
    if (!end.inside) groups.removed.push(reported(exit));
    if ((entry.points ?? 0) !== (exit.points ?? 0)) {
      const { id } = story;
      groups.re_estimated.push({ id, title: end.title, from: entry.points, to: exit.points });
    }
  }
  const group = <Story extends ReportedStory>(stories: Story[]): ReportGroup<Story> => ({
    count: stories.length,
    points: sum(stories.map(({ points }) => points)),
    stories,
  });
  return {
    as_of: new Date(history.end).toISOString(),
    committed_at: committed && new Date(committed.at).toISOString(),
    commitment_rule: committed && committed.rule,
    committed: group(groups.committed),
    added: group(groups.added),
    removed: group(groups.removed),
    re_estimated: {
      count: groups.re_estimated.length,
      points: sum(groups.re_estimated.flatMap(({ from, to }) => [to, -(from ?? 0)])),
      stories: groups.re_estimated,
    },
    completed: group(groups.completed),
    unfinished: group(groups.unfinished),
  };
}

/** The state with which a story came into the sprint for the first time after an instant. */
function firstEntryAfter(story: StoryHistory, instant: number): StoryState | undefined {
  return story.states.find(({ at, inside }) => at > instant && inside);
}
