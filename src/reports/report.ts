import { calendarDate } from '../time/clock';
import { endOfDay, startOfDay } from './calendar';
import { sum } from './points';
import type { SprintHistory, StoryHistory, StoryState } from './replay';
import { stateAt } from './replay';
import type {
  ReestimatedStoryView,
  ReportedStoryView,
  ReportView,
  UnfinishedStoryView,
} from './report.dto';

export type Report = Omit<ReportView, 'sprint'>;

interface Commitment {
  /** Epoch milliseconds: what is in the sprint at this instant is committed. */
  at: number;
  rule: Report['commitment_rule'];
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
    committed: [] as ReportedStoryView[],
    added: [] as ReportedStoryView[],
    removed: [] as ReportedStoryView[],
    re_estimated: [] as ReestimatedStoryView[],
    completed: [] as ReportedStoryView[],
    unfinished: [] as UnfinishedStoryView[],
  };
  for (const story of history.stories) {
    const end = story.states[story.states.length - 1] as StoryState;
    const reported = ({ points }: StoryState): ReportedStoryView => ({
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
  const group = <Story extends ReportedStoryView>(stories: Story[]) => ({
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
