import { calendarDate } from '../time/clock';
import { endOfDay, startOfDay } from './calendar';
import type { SprintPast, StoryPast, StoryState } from './past';
import { stateAt } from './past';
import { sum } from '../reports/points';

export interface ReportedStory {
  id: number;
  title: string;
  /** Null where the story was not estimated; it counts 0. */
  points: number | null;
}

export interface UnfinishedStory extends ReportedStory {
  /** The sprint to which the completion carried it, null for the backlog; absent while it is open. */
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
  /** Of `re_estimated` the net change; of the others the sum. */
  points: number;
  /** By id. */
  stories: Story[];
}

export type CommitmentRule = 'start' | 'first_day';

/** A sprint's report, `sprint` apart: committed + added + re_estimated − removed = completed + unfinished. */
export interface Report {
  /** The instant of which it tells: of completion, or now. RFC 3339. */
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
  /** What is in the sprint at this instant is committed; milliseconds since 1970. */
  at: number;
  rule: CommitmentRule;
}

/** When and by which rule a sprint was committed to; null before that. */
export function commitment(past: SprintPast): Commitment | null {
  const start = startOfDay(past.start_date, past.time_zone).getTime();
  if (past.end < start) return null;
  if (past.stories.some((story) => stateAt(story, start)?.inside)) {
    return { at: start, rule: 'start' };
  }
  let first: string | undefined;
  for (const { states } of past.stories) {
    for (const [index, { at, inside }] of states.entries()) {
      if (!inside || at < start) continue;
      const date = calendarDate(new Date(at), past.time_zone);
      if (first !== undefined && date >= first) break;
      const next = states[index + 1];
      if (next && calendarDate(new Date(next.at), past.time_zone) === date) continue;
      first = date;
      break;
    }
  }
  if (first === undefined) return null;
  return {
    at: Math.min(endOfDay(first, past.time_zone).getTime(), past.end),
    rule: 'first_day',
  };
}

/** The report that a sprint's past makes. */
export function report(past: SprintPast): Report {
  const committed = commitment(past);
  const groups = {
    committed: [] as ReportedStory[],
    added: [] as ReportedStory[],
    removed: [] as ReportedStory[],
    re_estimated: [] as ReestimatedStory[],
    completed: [] as ReportedStory[],
    unfinished: [] as UnfinishedStory[],
  };
  for (const story of past.stories) {
    const end = story.states[story.states.length - 1] as StoryState;
    const shown = ({ points }: StoryState): ReportedStory => ({
      id: story.id,
      title: end.title,
      points,
    });
    if (end.inside && end.done) groups.completed.push(shown(end));
    if (end.inside && !end.done) {
      const { carried_to } = story;
      groups.unfinished.push({ ...shown(end), ...(carried_to !== undefined && { carried_to }) });
    }
    const came = committed && stateAt(story, committed.at);
    const entry = came?.inside ? came : committed && cameLater(story, committed.at);
    if (!entry) continue;
    groups[entry === came ? 'committed' : 'added'].push(shown(entry));
    const exit = end.inside ? end : (story.states.findLast(({ inside }) => inside) as StoryState);
    if (!end.inside) groups.removed.push(shown(exit));
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
    as_of: new Date(past.end).toISOString(),
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

/** What a story was when it first came into the sprint after an instant. */
function cameLater(story: StoryPast, instant: number): StoryState | undefined {
  return story.states.find(({ at, inside }) => at > instant && inside);
}
