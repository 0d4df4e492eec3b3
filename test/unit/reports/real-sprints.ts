import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { published, withPublished } from '../../support/published';

const PERCENTS = [0, 30, 50, 80] as const;
const HOUR = 3_600_000;

export const withRealSprints = withPublished('sprints-spring-0.csv');

/** The number of issues and the sum of their points. */
export interface Amount {
  count: number;
  points: number;
}

/** The published columns of a sprint at one moment. */
export interface Moment {
  percent: (typeof PERCENTS)[number];
  start: Amount;
  added: Amount;
  removed: Amount;
  todo: Amount;
  in_progress: Amount;
  done: Amount;
}

export interface RealSprint {
  board: string;
  sprint: string;
  /** Planned calendar days. */
  days: number;
  moments: Moment[];
  /** The points that were completed at the end. */
  delivered: number;
}

/** Reads the published sprints; those of one board are in order. */
export function realSprints(): RealSprint[] {
  const files = PERCENTS.map((percent) => {
    const text = readFileSync(published(`sprints-spring-${percent}.csv`));
    return parse<Record<string, string>>(text, { columns: true, bom: true });
  });
  return (files[0] as Record<string, string>[]).map((first, index) => {
    const rows = files.map((file) => file[index] as Record<string, string>);
    const moments = rows.map((row, at) => moment(row, PERCENTS[at] as Moment['percent']));
    const { start, added, removed } = moments[0] as Moment;
    return {
      board: first.boardid as string,
      sprint: first.sprintid as string,
      days: Number(first.planday),
      moments,
      delivered: start.points + added.points - removed.points + Number(first.vel_diff),
    };
  });
}

function moment(row: Record<string, string>, percent: Moment['percent']): Moment {
  const amount = (count: string, points: string): Amount => ({
    count: Number(row[`no_issue${count}`]),
    points: Number(row[`vel_${points}`]),
  });
  return {
    percent,
    start: amount('_starttime', 'starttime'),
    added: amount('_added', 'added'),
    removed: amount('_removed', 'removed'),
    todo: amount('todo', 'todo'),
    in_progress: amount('inprogress', 'inprogress'),
    done: amount('done', 'done'),
  };
}

/** Returns the scope of the sprint at a moment. */
export function scope({ todo, in_progress, done }: Moment): Amount {
  return {
    count: todo.count + in_progress.count + done.count,
    points: todo.points + in_progress.points + done.points,
  };
}

/** Returns the points by which the columns of a moment do not add up; the numbers of issues always do. */
export function gap(moment: Moment): number {
  const { start, added, removed } = moment;
  return scope(moment).points - (start.points + added.points - removed.points);
}

export type Status = 'todo' | 'in_progress' | 'done';

// Actions refer to stories by name, because ids are assigned later.
type Action =
  | { do: 'create_sprint'; start_date: string; end_date: string }
  | { do: 'start_sprint' }
  | { do: 'create_story'; story: string; in: 'sprint' | 'backlog'; points: number }
  | { do: 'update_story'; story: string; points?: number; status?: Status }
  | { do: 'move_story'; story: string; to: 'sprint' | 'backlog' | 'other_board' }
  | { do: 'delete_story'; story: string }
  | { do: 'compare'; moment: Moment };

/** An action of a client of the service, and its time. */
export type Operation = Action & { at: string };

interface Story {
  name: string;
  points: number;
  status: Status;
}

/**
 * Generates a history for a published sprint on a board in UTC. At each `compare`, report and burndown must
 * equal the published columns of its moment. The sprint is started at 0 %, at noon of its first day. Stories
 * are re-estimated only if the published sums require it.
 */
export function operations({ days, moments }: RealSprint, start_date: string): Operation[] {
  const start = Date.parse(`${start_date}T00:00:00Z`);
  const done: Operation[] = [];
  let at = new Date(start - 24 * HOUR).toISOString();
  const act = (action: Action): void => {
    done.push({ at, ...action });
  };
  let names = 0;
  let inside: Story[] = [];
  const create = ({ count, points }: Amount): void => {
    for (let story = 0; story < count; story++) {
      const share = Math.floor(points / count) + (story < points % count ? 1 : 0);
      const name = `story ${++names}`;
      const direct = names % 2 === 0;
      act({ do: 'create_story', story: name, in: direct ? 'sprint' : 'backlog', points: share });
      if (!direct) act({ do: 'move_story', story: name, to: 'sprint' });
      inside.push({ name, points: share, status: 'todo' });
    }
  };
  const estimate = (stories: Story[], points: number): void => {
    let missing = points - stories.reduce((sum, story) => sum + story.points, 0);
    for (const story of stories) {
      const to = Math.max(0, story.points + missing);
      if (to === story.points) continue;
      missing -= to - story.points;
      story.points = to;
      act({ do: 'update_story', story: story.name, points: to });
    }
  };

  const end_date = new Date(start + (days - 1) * 24 * HOUR).toISOString().slice(0, 10);
  act({ do: 'create_sprint', start_date, end_date });
  create((moments[0] as Moment).start);
  const before = { added: { count: 0, points: 0 }, removed: { count: 0, points: 0 } };
  for (const moment of moments) {
    at = new Date(start + 12 * HOUR + (moment.percent / 100) * days * 24 * HOUR).toISOString();
    if (moment.percent === 0) act({ do: 'start_sprint' });
    create(less(moment.added, before.added));
    const leave = less(moment.removed, before.removed);
    const leaving = inside.slice(0, leave.count);
    inside = inside.slice(leave.count);
    estimate(leaving, leave.points);
    for (const [index, { name }] of leaving.entries()) {
      if (index % 3 === 0) act({ do: 'move_story', story: name, to: 'backlog' });
      if (index % 3 === 1) act({ do: 'delete_story', story: name });
      if (index % 3 === 2) act({ do: 'move_story', story: name, to: 'other_board' });
    }
    for (const [index, story] of inside.entries()) {
      const open = index - moment.done.count;
      const status = open < 0 ? 'done' : open < moment.in_progress.count ? 'in_progress' : 'todo';
      if (status === story.status) continue;
      story.status = status;
      act({ do: 'update_story', story: story.name, status });
    }
    estimate(inside.slice(0, moment.done.count), moment.done.points);
    estimate(inside.slice(moment.done.count), moment.todo.points + moment.in_progress.points);
    act({ do: 'compare', moment });
    Object.assign(before, moment);
  }
  return done;
}

function less(one: Amount, other: Amount): Amount {
  return { count: one.count - other.count, points: one.points - other.points };
}

/** Returns the expected rows of a burndown for the moments so far, by date. */
export function expectedDays(
  moments: Moment[],
  { days }: RealSprint,
  start_date: string,
): Map<string, object> {
  return new Map(
    moments.map((moment) => {
      const time = Date.parse(start_date) + (0.5 + (moment.percent / 100) * days) * 24 * HOUR;
      const { count, points } = scope(moment);
      const row = {
        scope_points: points,
        scope_count: count,
        completed_points: moment.done.points,
        completed_count: moment.done.count,
      };
      return [new Date(time).toISOString().slice(0, 10), row];
    }),
  );
}

/** The expected report at a moment. */
export interface Expected {
  committed: Amount;
  added: Amount;
  removed: Amount;
  re_estimated: number;
  completed: Amount;
  unfinished: Amount;
}

/** Converts the published columns to the groups of a report. */
function expected(moment: Moment): Expected {
  const { start, added, removed, todo, in_progress, done } = moment;
  return {
    committed: start,
    added,
    removed,
    re_estimated: gap(moment),
    completed: done,
    unfinished: {
      count: todo.count + in_progress.count,
      points: todo.points + in_progress.points,
    },
  };
}

/** Expects a report and the rows of a burndown to equal the published columns of the moments so far. */
export function expectPublished(
  report: Record<Exclude<keyof Expected, 're_estimated'>, Amount> & {
    re_estimated: { points: number };
  },
  days: readonly { date: string }[],
  seen: Moment[],
  real: RealSprint,
  start_date: string,
): void {
  const amount = ({ count, points }: Amount): Amount => ({ count, points });
  expect({
    committed: amount(report.committed),
    added: amount(report.added),
    removed: amount(report.removed),
    re_estimated: report.re_estimated.points,
    completed: amount(report.completed),
    unfinished: amount(report.unfinished),
  }).toEqual(expected(seen.at(-1) as Moment));

  const rows = new Map(days.map((day) => [day.date, day]));
  const published = expectedDays(seen, real, start_date);
  expect([...published.keys()].map((date) => rows.get(date))).toMatchObject([
    ...published.values(),
  ]);
}
