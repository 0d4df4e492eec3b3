import type { Board, Event, Sprint, Task } from '../../api/types';
import { isolated, quoted, whoOf } from '../../util/names';
import type { BoardState, Card, Place } from '../model';
import { bySeq, listName, sprintName, statusName, withEntry, withoutStory } from '../model';

/** The revision at which a row was read, if it is later than the revision of the state. */
type ReadAt = (entity: Event['entity'], id: number) => number;

/**
 * Applies an event of the log to a state. A row that was read at the revision of the event or later already
 * contains it, so it stays as it is.
 */
export function applyEvent(state: BoardState, event: Event, readAt: ReadAt): BoardState {
  if (event.type === 'stories.shifted') return shift(state, event, readAt);
  if (readAt(event.entity, event.id) >= event.revision) return state;
  const after = event.after as object | null;
  switch (event.entity) {
    case 'board':
      return after ? { ...state, board: { ...state.board, ...(after as Partial<Board>) } } : state;
    case 'sprint': {
      const sprint = state.sprints.get(event.id);
      if (!sprint && event.type !== 'sprint.created') return state;
      const next = after ? ({ ...sprint, ...after } as Sprint) : undefined;
      return { ...state, sprints: withEntry(state.sprints, event.id, next) };
    }
    case 'story': {
      if (event.type === 'story.deleted' || event.type === 'story.moved_out') {
        return withoutStory(state, event.id);
      }
      const story = state.stories.get(event.id);
      if (!story && event.type !== 'story.created' && event.type !== 'story.moved_in') return state;
      const { tasks: _tasks, ...fields } = after as Partial<Card> & { tasks?: Task[] };
      if (story && fields.version !== undefined && fields.version <= story.version) return state;
      const next = { ...story, ...fields } as Card;
      return { ...state, stories: withEntry(state.stories, event.id, next) };
    }
    case 'task':
      return { ...state, tasks: applyToTasks(state.tasks, event) };
    default:
      return state;
  }
}

function applyToTasks(tasks: BoardState['tasks'], event: Event): BoardState['tasks'] {
  const created = event.after as Task | null;
  if (event.type === 'task.created' && created) {
    const list = tasks.get(created.story_id);
    if (!list || list.some(({ id }) => id === created.id)) return tasks;
    return withEntry(tasks, created.story_id, [...list, created].sort(bySeq));
  }
  for (const [storyId, list] of tasks) {
    if (!list.some(({ id }) => id === event.id)) continue;
    const after = event.after as Partial<Task> | null;
    const isNew = (task: Task): boolean => (after?.version ?? 0) > task.version;
    const next = after
      ? list.map((task) => (task.id === event.id && isNew(task) ? { ...task, ...after } : task))
      : list.filter(({ id }) => id !== event.id);
    return withEntry(tasks, storyId, next.sort(bySeq));
  }
  return tasks;
}

/** Applies `stories.shifted`, whose `before` has the ends of the shifted part of the list before the shift. */
function shift(state: BoardState, event: Event, readAt: ReadAt): BoardState {
  const { first, last } = event.before as unknown as { first: Place; last: Place };
  const { by, except } = event.after as unknown as { by: number; except?: number[] };
  const list = event.entity === 'board' ? null : event.id;
  const stories = new Map(state.stories);
  for (const story of state.stories.values()) {
    if (story.sprint_id !== list || except?.includes(story.id)) continue;
    if (bySeq(story, first) < 0 || bySeq(story, last) > 0) continue;
    if (readAt('story', story.id) >= event.revision) continue;
    stories.set(story.id, {
      ...story,
      seq: story.seq + by,
      version: story.version + 1,
      updated_at: event.at,
    });
  }
  return { ...state, stories };
}

/** The verbs that differ from the names of their events. */
const VERBS: Record<string, string> = { updated: 'changed', moved_in: 'moved', moved_out: 'moved' };

const TARGETS: Partial<Record<Event['type'], string>> = {
  'story.moved_in': 'this board',
  'story.moved_out': 'another board',
};

/** Describes an event: “Mei moved “Pay by card” to Done”; undefined if the event is not announced. */
export function describeEvent(
  event: Event,
  before: BoardState,
  after: BoardState,
): string | undefined {
  const { entity, id, type, actor } = event;
  const story = after.stories.get(id) ?? before.stories.get(id);
  const sprint = after.sprints.get(id) ?? before.sprints.get(id);
  const isStory = entity === 'story';
  const name = isStory ? story?.title : entity === 'sprint' && sprint && sprintName(sprint);
  // A shift is a part of a move, which has an event of its own.
  if (!name || type === 'stories.shifted') return undefined;
  const { status, sprint_id } = (event.after ?? {}) as Partial<Card>;
  const [, verb = ''] = type.split('.');
  let what = VERBS[verb] ?? verb;
  let to = TARGETS[type] ?? '';
  if (isStory && !to && event.before && event.after) {
    if (status) to = statusName(status);
    else if (sprint_id !== undefined) to = isolated(listName(after, sprint_id, 'the backlog'));
    if (to) what = 'moved';
  }
  return `${whoOf(actor)} ${what} ${quoted(name)}${to && ` to ${to}`}`;
}
