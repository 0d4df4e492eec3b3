import { addDays, endOfDay } from '../../reports/calendar';
import { calendarDate } from '../../time/clock';
import { withPauses } from '../../time/time-slice';
import type { Status } from '../../stories/story.entity';
import { InvalidFile } from '../files/invalid-file';
import type { SourceFile, SourceSprint, SourceStory } from '../files/source';
import type { Dates } from './dates';
import type { Mapping, SprintDates } from './import.dto';
import { byName, inLowerCase } from './known-names';
import type { PlannedSprint } from './plan';
import type { Texts } from './texts';

interface SprintContext {
  now: Date;
  timeZone: string;
  dates: Dates;
  texts: Texts;
  stories: readonly { source: SourceStory; status: Status | undefined }[];
}

interface PlannedSprints {
  sprints: PlannedSprint[];
  /** The keys of the sprints that a story was in; it is in the last one. */
  sprintsOf: (story: SourceStory) => string[];
}

/** The most sprints of a file: a team with a sprint a week needs 38 years for them. Each takes time to write. */
const MAX_SPRINTS = 2000;

/** @throws InvalidFile if a file has too many sprints */
export function requireFewSprints(count: number): void {
  if (count <= MAX_SPRINTS) return;
  throw new InvalidFile(`The file has more than ${MAX_SPRINTS} sprints; split it.`);
}

/** Days of a sprint whose length the file does not state. */
export const SPRINT_DAYS = 14;
/** Compares names of sprints: Sprint 2 precedes Sprint 10. */
export const naturally = new Intl.Collator('en', { numeric: true });

/**
 * Returns the start date of a sprint without dates by its position: sprint 0 begins next Monday, sprint -1 ends last
 * Sunday. Dates before 1000-01-01 or after 9999-12-31 are replaced by these limits.
 */
export function assumedStart(today: string, position: number): string {
  const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
  const monday = addDays(today, -weekday) as string;
  return position < 0
    ? (addDays(monday, position * SPRINT_DAYS) ?? '1000-01-01')
    : (addDays(monday, 7 + position * SPRINT_DAYS) ?? '9999-12-31');
}

/**
 * Decides about the dates of the sprints, and which of them are completed.
 * @throws InvalidFile if there are too many
 */
export async function planSprints(
  source: SourceFile,
  mapping: Mapping,
  context: SprintContext,
): Promise<PlannedSprints> {
  const found = new Map(source.sprints.map((sprint) => [sprint.key, sprint]));
  const withOpenStories = new Set<string>();
  for await (const { source: story, status } of withPauses(context.stories)) {
    for (const key of story.sprints) if (!found.has(key)) found.set(key, unknown(key));
    requireFewSprints(found.size);
    const last = story.sprints.at(-1);
    if (last !== undefined && status !== 'done') withOpenStories.add(last);
  }
  const planner = new SprintPlanner(mapping, context, withOpenStories);
  const planned = await planner.plan([...found.values()]);
  const sprintsOf = ({ sprints }: SourceStory): string[] => inOrder(new Set(sprints), planned);
  const openIn = new Set<string>();
  for await (const { source: story, status } of withPauses(context.stories)) {
    const last = status === 'done' ? undefined : sprintsOf(story).at(-1);
    if (last !== undefined) openIn.add(last);
  }
  for (const sprint of planned.values()) {
    if (sprint.completed_at && openIn.has(sprint.key)) {
      const detail = 'it is completed, but has open stories';
      context.texts.warnings.at('open_in_completed_sprint', placeOf(sprint), detail);
    }
  }
  return { sprints: [...planned.values()], sprintsOf };
}

const unknown = (key: string): SourceSprint => ({
  key,
  external_id: null,
  name: key,
  goal: null,
  start: null,
  end: null,
  closed: false,
  completed: null,
});

/** Returns the completed sprints, in the order of their completion, and the last open one. */
function inOrder(keys: ReadonlySet<string>, planned: Map<string, PlannedSprint>): string[] {
  const all = [...keys].flatMap((key) => planned.get(key) ?? []);
  const completed = all
    .filter((sprint) => sprint.completed_at !== null)
    .sort((a, b) => Number(a.completed_at) - Number(b.completed_at));
  const open = all.findLast((sprint) => sprint.completed_at === null);
  return [...completed, ...(open ? [open] : [])].map(({ key }) => key);
}

const placeOf = ({ name, key }: Pick<SourceSprint, 'name' | 'key'>): string =>
  `sprint "${name ?? key}"`;

const shortName = ({ name, key }: SourceSprint): string => (name ?? key).slice(0, 100);

/** The last day of a sprint; without an end date it counts as two weeks. */
const lastDay = ({
  start_date,
  end_date,
}: Pick<PlannedSprint, 'start_date' | 'end_date'>): string =>
  end_date ?? addDays(start_date, SPRINT_DAYS - 1) ?? start_date;

/**
 * Assigns dates to the new sprints without dates, and returns these sprints by their keys. They are consecutive, in
 * their planned order, and begin on the Monday after the last sprint of the board and of the file, but not earlier than
 * planned.
 */
export function placeAfter(
  existing: readonly Pick<PlannedSprint, 'start_date' | 'end_date'>[],
  planned: readonly PlannedSprint[],
  isNew: (sprint: PlannedSprint) => boolean,
): Map<string, PlannedSprint> {
  const following = planned
    .filter(({ follows }) => follows)
    .sort((a, b) => (a.start_date < b.start_date ? -1 : 1));
  const [{ start_date: first } = {}] = following;
  if (first === undefined) return new Map();
  const others = [...existing, ...planned.filter(({ assumed }) => !assumed)];
  const last = others.map(lastDay).reduce((a, b) => (a > b ? a : b), '');
  const begin = last < first ? first : assumedStart(last, 0);
  const placed = following.filter(isNew).map((sprint, i): [string, PlannedSprint] => {
    const start_date = addDays(begin, i * SPRINT_DAYS) ?? begin;
    const end_date = addDays(start_date, SPRINT_DAYS - 1);
    return [sprint.key, { ...sprint, start_date, end_date }];
  });
  return new Map(placed);
}

interface Days {
  start: string;
  end: string | null;
  assumed: boolean;
  follows?: boolean;
}

const assumed = (start: string): Days => ({
  start,
  end: addDays(start, SPRINT_DAYS - 1),
  assumed: true,
});

class SprintPlanner {
  private readonly given: Map<string, SprintDates>;
  private readonly today: string;

  constructor(
    mapping: Mapping,
    private readonly context: SprintContext,
    private readonly withOpenStories: ReadonlySet<string>,
  ) {
    this.given = byName(mapping.sprints);
    this.today = calendarDate(context.now, context.timeZone);
  }

  async plan(sprints: readonly SourceSprint[]): Promise<Map<string, PlannedSprint>> {
    const days = new Map<string, Days | null>();
    const named: SourceSprint[] = [];
    for await (const sprint of withPauses(sprints)) {
      const place = placeOf(sprint);
      const name = this.context.texts.line(sprint.name, 'sprint_name', place);
      days.set(sprint.key, this.daysOf(sprint, name ?? ''));
      named.push({ ...sprint, name });
    }
    this.layOut(named, days);
    const planned = new Map<string, PlannedSprint>();
    for await (const sprint of withPauses(named)) {
      const sprintDays = days.get(sprint.key) as Days;
      planned.set(sprint.key, this.sprint(sprint, sprintDays));
    }
    return planned;
  }

  /**
   * Returns the dates of the file, else those of the mapping; null if neither has any.
   * @param name the name on the board, which an earlier response may have in its mapping
   */
  private daysOf(sprint: SourceSprint, name: string): Days | null {
    const start = this.day(sprint, sprint.start);
    let end = this.day(sprint, sprint.end);
    if (end !== null && sprint.endsBefore) end = addDays(end, -1);
    const given =
      this.given.get(inLowerCase(sprint.name ?? sprint.key)) ?? this.given.get(inLowerCase(name));
    if (start === null && given) {
      return { start: given.start_date, end: given.end_date ?? null, assumed: false };
    }
    if (start === null) {
      const last = end ?? (sprint.closed ? this.day(sprint, sprint.completed) : null);
      const first = last && addDays(last, 1 - SPRINT_DAYS);
      return first ? assumed(first) : null;
    }
    if (end !== null && end < start) {
      this.warn('sprint_dates_invalid', sprint, `its end ${end} is before its start ${start}`);
      end = null;
    }
    return { start, end, assumed: false };
  }

  private day(sprint: SourceSprint, text: string | null): string | null {
    if (!text) return null;
    const day = this.context.dates.day(text);
    if (day === null) this.warn('date_unreadable', sprint, `"${text}"`);
    return day;
  }

  /**
   * Assigns dates to sprints without any: they follow one another from next Monday on; completed ones end
   * before this week.
   */
  private layOut(sprints: readonly SourceSprint[], days: Map<string, Days | null>): void {
    const undated = sprints
      .filter(({ key }) => !days.get(key))
      .sort(
        (a, b) =>
          Number(b.closed) - Number(a.closed) || naturally.compare(shortName(a), shortName(b)),
      );
    const closed = undated.filter((sprint) => sprint.closed).length;
    undated.forEach(({ key }, i) => {
      const start = assumedStart(this.today, i - closed);
      days.set(key, { ...assumed(start), follows: i >= closed });
    });
  }

  private sprint(sprint: SourceSprint, { start, end, assumed, follows }: Days): PlannedSprint {
    const { texts } = this.context;
    const place = placeOf(sprint);
    const closed =
      sprint.closed ||
      (sprint.closesItself === true &&
        end !== null &&
        end < this.today &&
        !this.withOpenStories.has(sprint.key));
    const completed_at = closed ? this.completedAt(sprint, start, end) : null;
    return {
      key: sprint.key,
      external_id: texts.line(sprint.external_id, 'external_id', place),
      name: sprint.name,
      goal: texts.block(sprint.goal, 'sprint_goal', place),
      start_date: start,
      end_date: end,
      ...(assumed && { assumed }),
      ...(follows && { follows }),
      completed_at,
    };
  }

  /** Returns the time in the file, else the end of the last day, but not later than now; null if it starts later. */
  private completedAt(sprint: SourceSprint, start: string, end: string | null): Date | null {
    const { now, timeZone, dates } = this.context;
    if (start > this.today) {
      this.warn('sprint_dates_invalid', sprint, `it is completed, but begins on ${start}`);
      return null;
    }
    const text = sprint.completed;
    const completed = text ? dates.instant(text) : null;
    if (text && !completed) this.warn('date_unreadable', sprint, `"${text}"`);
    const isBefore = completed !== null && calendarDate(completed, timeZone) < start;
    if (isBefore) this.warn('sprint_dates_invalid', sprint, `"${text}" is before its start`);
    if (completed && !isBefore) return completed < now ? completed : now;
    const last = lastDay({ start_date: start, end_date: end });
    return last < this.today ? endOfDay(last, timeZone) : now;
  }

  private warn(code: string, sprint: SourceSprint, detail: string): void {
    this.context.texts.warnings.at(code, placeOf(sprint), detail);
  }
}
