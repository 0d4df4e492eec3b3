import { sum } from './points';
import { calendarDate } from '../time/clock';
import { endOfDay } from './calendar';
import type { SprintHistory, StoryState } from './replay';
import type {
  ReestimatedStoryView,
  ReportedStoryView,
  ReportView,
  UnfinishedStoryView,
} from './report.dto';
import type { Steps } from './steps';

export type Report = Omit<ReportView, 'sprint'>;

interface Commitment {
  /** Epoch milliseconds. */
  at: number;
  rule: 'started' | 'first_day' | 'imported';
  /** Whether a state of a story existed at the commitment. */
  includes: (state: StoryState) => boolean;
}

/**
 * Returns when the stories of a sprint were committed, and by which rule: when a client last started it or, if
 * none did, at the end of the first day, from its start date on, at which it has a story. Null before that. All
 * stories of an imported sprint were committed at its start.
 */
export function* commitment(history: SprintHistory): Steps<Commitment | null> {
  const { imported, started, start_date, time_zone, end } = history;
  if (imported !== null) return { at: imported, rule: 'imported', includes: () => true };
  if (started) {
    // By revision, because a story may be added in the millisecond of the start.
    const includes = ({ revision }: StoryState): boolean => revision <= started.revision;
    return { at: Math.min(started.at, end), rule: 'started', includes };
  }
  // An import or a bulk move gives many states the same time, and formatting it is slow.
  const dates = new Map<number, string>();
  const dateOf = (at: number): string => {
    const date = dates.get(at) ?? calendarDate(new Date(at), time_zone);
    dates.set(at, date);
    return date;
  };
  if (dateOf(end) < start_date) return null;
  let first: string | undefined;
  for (const { states } of history.stories) {
    // No day is earlier.
    if (first === start_date) break;
    for (const [index, { at, inside }] of states.entries()) {
      yield;
      if (!inside) continue;
      const day = dateOf(at);
      const date = day < start_date ? start_date : day;
      if (first !== undefined && date >= first) break;
      const next = states[index + 1];
      if (next && dateOf(next.at) <= date) continue;
      first = date;
      break;
    }
  }
  if (first === undefined) return null;
  const at = Math.min(endOfDay(first, time_zone).getTime(), end);
  return { at, rule: 'first_day', includes: (state) => state.at <= at };
}

/** Computes the report of a sprint from its history. */
export function* report(history: SprintHistory): Steps<Report> {
  const committed = yield* commitment(history);
  const groups = {
    committed: [] as ReportedStoryView[],
    added: [] as ReportedStoryView[],
    removed: [] as ReportedStoryView[],
    re_estimated: [] as ReestimatedStoryView[],
    completed: [] as ReportedStoryView[],
    unfinished: [] as UnfinishedStoryView[],
  };
  for (const story of history.stories) {
    yield;
    const end = story.states[story.states.length - 1] as StoryState;
    const reported = ({ points }: StoryState): ReportedStoryView => ({
      id: story.id,
      title: end.title,
      points,
    });
    if (end.inside && end.done) groups.completed.push(reported(end));
    if (end.inside && !end.done) {
      groups.unfinished.push(Object.assign(reported(end), { carried_to: story.carried_to }));
    }
    if (!committed) continue;
    const atCommitment = story.states.findLast(committed.includes);
    const entry = atCommitment?.inside
      ? atCommitment
      : story.states.find((state) => state.inside && !committed.includes(state));
    if (!entry) continue;
    groups[entry === atCommitment ? 'committed' : 'added'].push(reported(entry));
    const exit = story.states.findLast(({ inside }) => inside) as StoryState;
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
