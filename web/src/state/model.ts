import type { Board, Sprint, Status, Story, Task } from '../api/types';
import { workingDays } from '../util/calendar';
import { formatLongDay, plural } from '../util/format';
import { isolated } from '../util/names';

/** The fields of a story that a list needs: all but the description. */
export const CARD_FIELDS = [
  'id',
  'board_name',
  'sprint_id',
  'title',
  'seq',
  'priority',
  'status',
  'points',
  'assignee',
  'labels',
  'external_id',
  'created_at',
  'updated_at',
  'done_at',
  'version',
] as const;

/** A story as lists load it. It has its description once it was opened. */
export type Card = Pick<Story, (typeof CARD_FIELDS)[number]> & Partial<Pick<Story, 'description'>>;

/** A list of stories: a sprint's id, or null for the backlog. */
export type ListId = number | null;

/** A place in the order of a list. */
export interface Place {
  seq: number;
  id: number;
}

/** The immutable state of one board at a revision. */
export interface BoardState {
  board: Board;
  sprints: ReadonlyMap<number, Sprint>;
  stories: ReadonlyMap<number, Card>;
  /** Where the loaded part of the backlog ends; absent if all or none of it is loaded. Later stories may be missing. */
  edge?: Place;
  /** The tasks of the stories that were opened. */
  tasks: ReadonlyMap<number, readonly Task[]>;
}

export const STATUSES: readonly { status: Status; name: string }[] = [
  { status: 'todo', name: 'To do' },
  { status: 'in_progress', name: 'In progress' },
  { status: 'done', name: 'Done' },
];

export const statusName = (status: Status): string =>
  STATUSES.find((each) => each.status === status)?.name ?? status;

export const SPRINT_STATES = {
  planned: 'Planned',
  active: 'Active',
  ended: 'Ended',
  completed: 'Completed',
} as const satisfies Record<Sprint['state'], string>;

/** The name of a sprint, or one made from its start date. */
export const sprintName = ({ name, start_date }: Pick<Sprint, 'name' | 'start_date'>): string =>
  name ?? `Sprint of ${formatLongDay(start_date)}`;

/** The name of a sprint in a sentence. */
export const sprintInText = (sprint: Sprint): string => isolated(sprintName(sprint));

/** The working days that are left of a sprint, or why there are none. */
export function daysLeft(board: Board, sprint: Sprint, today: string): string {
  if (sprint.state === 'completed') return 'Completed';
  if (!sprint.end_date) return 'No end date';
  const from = today > sprint.start_date ? today : sprint.start_date;
  if (from > sprint.end_date) return 'The end date has passed';
  const days = plural(workingDays(board, from, sprint.end_date), 'working day');
  return sprint.state === 'planned' ? days : `${days} left`;
}

/** The name of a list; of a sprint that does not exist any more, its id. */
export function listName({ sprints }: BoardState, list: ListId, backlog = 'Backlog'): string {
  if (list === null) return backlog;
  const sprint = sprints.get(list);
  return sprint ? sprintName(sprint) : `#${list}`;
}

export const bySeq = (a: Place, b: Place): number => a.seq - b.seq || a.id - b.id;

const NONE: readonly Card[] = [];

/** The sorted lists of each state. A state is immutable, so each list is sorted once. */
const sorted = new WeakMap<BoardState['stories'], Map<ListId, Card[]>>();

/** The stories of a list in their order. */
export function storiesOf({ stories }: BoardState, list: ListId): readonly Card[] {
  let lists = sorted.get(stories);
  if (!lists) {
    lists = new Map();
    for (const story of stories.values()) {
      const list = lists.get(story.sprint_id);
      if (list) list.push(story);
      else lists.set(story.sprint_id, [story]);
    }
    for (const each of lists.values()) each.sort(bySeq);
    sorted.set(stories, lists);
  }
  return lists.get(list) ?? NONE;
}

export function sprintsOf(state: BoardState): Sprint[] {
  return [...state.sprints.values()].sort(
    (a, b) => a.start_date.localeCompare(b.start_date) || a.id - b.id,
  );
}

/** The lists that accept stories: the sprints that are not completed, in their order, and the backlog. */
export const openLists = (state: BoardState): ListId[] => [
  ...sprintsOf(state).flatMap(({ id, state }) => (state === 'completed' ? [] : id)),
  null,
];

/** The current sprint by the rule of the service: the last active one, else the last ended one. */
export function currentSprint(state: BoardState): Sprint | undefined {
  const sprints = sprintsOf(state);
  return (
    sprints.findLast(({ state }) => state === 'active') ??
    sprints.findLast(({ state }) => state === 'ended')
  );
}

/** The sprint of `?sprint=`: an id or one of the words `current`, `next` and `previous`; none means `current`. */
export function findSprint(state: BoardState, word: string | null): Sprint | undefined {
  const sprints = sprintsOf(state);
  const current = currentSprint(state);
  const at = current ? sprints.indexOf(current) : -1;
  if (word === 'next') {
    return current
      ? sprints.slice(at + 1).find(({ state }) => state !== 'completed')
      : sprints.find(({ state }) => state === 'planned');
  }
  if (word === 'previous') {
    return (current ? sprints.slice(0, at) : sprints).findLast(({ state }) => state !== 'planned');
  }
  if (word && word !== 'current') return state.sprints.get(Number(word));
  return current;
}

/** The sum of points, without the error of binary fractions. */
export const sumOfPoints = (stories: readonly { points: number | null }[]): number =>
  stories.reduce((sum, { points }) => sum + Math.round((points ?? 0) * 100), 0) / 100;

export const byId = <T extends { id: number }>(rows: readonly T[]): Map<number, T> =>
  new Map(rows.map((row) => [row.id, row]));

export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V | undefined): Map<K, V> {
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
}

export const withStory = (state: BoardState, story: Card): BoardState => ({
  ...state,
  stories: withEntry(state.stories, story.id, { ...state.stories.get(story.id), ...story }),
});

export const withoutStory = (state: BoardState, id: number): BoardState => ({
  ...state,
  stories: withEntry(state.stories, id, undefined),
});

export const withTasks = (
  state: BoardState,
  storyId: number,
  change: (tasks: readonly Task[]) => readonly Task[],
): BoardState => ({
  ...state,
  tasks: withEntry(state.tasks, storyId, change(state.tasks.get(storyId) ?? [])),
});

export const withTask = (state: BoardState, task: Task): BoardState =>
  withTasks(state, task.story_id, (tasks) =>
    [...tasks.filter(({ id }) => id !== task.id), task].sort(bySeq),
  );
