import type { Task } from '../../api/types';
import type { BoardState, Card } from '../model';
import type { Change, Update } from './change';
import { FORM_FIELDS } from './change';
import { neighbourOf } from './positions';

export type Entity = 'story' | 'task';

/** A story, or a task and its story. */
export interface Target {
  entity: Entity;
  id: number;
  storyId: number;
}

export const storyTarget = (id: number): Target => ({ entity: 'story', id, storyId: id });

export const entityOf = ({ kind }: Change): Entity =>
  kind.startsWith('story.') ? 'story' : 'task';

/** The temporary id of the row that a change creates, and the id of the deleted row that it restores. */
export function createdBy(
  change: Change,
): { entity: Entity; id: number; was?: number } | undefined {
  if (change.kind !== 'story.create' && change.kind !== 'task.create') return undefined;
  return { entity: entityOf(change), id: change.id, was: change.was };
}

/** The row whose entity tag a change is conditional on; undefined for creations and moves of several stories. */
export function targetOf(change: Change): Target | undefined {
  switch (change.kind) {
    case 'story.update':
    case 'story.delete':
      return storyTarget(change.id);
    case 'story.move': {
      const [id] = change.ids;
      if (id === undefined || change.ids.length > 1) return undefined;
      return storyTarget(id);
    }
    case 'task.update':
    case 'task.delete':
      return { entity: 'task', id: change.id, storyId: change.storyId };
    default:
      return undefined;
  }
}

/** The stories that a change is about. */
export function storiesOfChange(change: Change): number[] {
  if ('ids' in change) return change.ids;
  return ['storyId' in change ? change.storyId : change.id];
}

/** The row whose entity tag a change is conditional on. */
export function rowOf({ stories, tasks }: BoardState, change: Change): Card | Task | undefined {
  const target = targetOf(change);
  if (target?.entity === 'story') return stories.get(target.id);
  return target && tasks.get(target.storyId)?.find(({ id }) => id === target.id);
}

export const hasFields = (row: Card | Task, fields: object): boolean =>
  Object.entries(fields).every(
    ([name, value]) => JSON.stringify(row[name as keyof typeof row]) === JSON.stringify(value),
  );

/**
 * The fields that a confirmed change has set, as updates to the values that they now have.
 * @param id the id of the created row
 */
export function effectsOf(change: Change, after: BoardState, id = 0): Update[] {
  const effect = (update: Update, names: readonly string[]): Update[] => {
    const row = rowOf(after, update);
    if (!row) return [];
    const set = Object.fromEntries(names.map((name) => [name, row[name as keyof typeof row]]));
    return [{ ...update, set }];
  };
  switch (change.kind) {
    case 'story.create':
      return effect({ kind: 'story.update', id, set: {} }, [...FORM_FIELDS, 'sprint_id']);
    case 'story.move':
      return change.ids.flatMap((each) =>
        effect({ kind: 'story.update', id: each, set: {} }, ['sprint_id']),
      );
    case 'task.create':
      return effect({ kind: 'task.update', id, storyId: change.storyId, set: {} }, [
        'title',
        'status',
      ]);
    case 'story.update':
    case 'task.update':
      return effect(change, Object.keys(change.set));
    default:
      return [];
  }
}

/**
 * Adds to a move of several stories the list and version of each that the user sees. A story that is not loaded, as
 * in a move that is made again after a reload, keeps what the user saw before.
 */
export function withOrigin(change: Change, { stories }: BoardState): Change {
  if (change.kind !== 'story.move' || change.ids.length < 2) return change;
  const seen = change.ids.map((id, i) => {
    const story = stories.get(id);
    return story ? { list: story.sprint_id, version: story.version } : change.seen?.[i];
  });
  return { ...change, seen };
}

/** Makes a move of several stories valid for one of them wherever it is now. */
export function withoutOrigin(change: Change, id: number): Change {
  if (change.kind !== 'story.move' || !change.seen) return change;
  return {
    ...change,
    seen: change.seen.map((each, i) => (change.ids[i] === id ? undefined : each)),
  };
}

/** Makes a move go to the end of its list if its neighbour is no longer in that list. */
export function withNeighbour(change: Change, { stories }: BoardState): Change {
  if (change.kind !== 'story.move') return change;
  const neighbour = neighbourOf(change.position);
  if (neighbour === undefined || stories.get(neighbour)?.sprint_id === change.list) return change;
  return { ...change, position: 'last' };
}

/** Updates the seen versions in a move of several stories after an earlier change of the user was confirmed. */
export function withVersions(
  change: Change,
  confirmed: readonly (number | undefined)[],
  { stories }: BoardState,
): Change {
  if (change.kind !== 'story.move' || !change.seen) return change;
  if (!change.ids.some((id) => confirmed.includes(id))) return change;
  const seen = change.seen.map((each, i) => {
    const id = change.ids[i];
    const version = confirmed.includes(id) ? stories.get(id ?? 0)?.version : undefined;
    return each && { ...each, version: version ?? each.version };
  });
  return { ...change, seen };
}

/** The moves of a change without a story that was deleted; none if it moves no other story. */
export function withoutId(change: Change, id: number): Change[] {
  if (change.kind !== 'story.move') return [change];
  const isKept = (_: unknown, i: number): boolean => change.ids[i] !== id;
  const ids = change.ids.filter(isKept);
  return ids.length === 0 ? [] : [{ ...change, ids, seen: change.seen?.filter(isKept) }];
}

/** Replaces the id of a story or a task in a change by the one that the service has assigned. */
export function withId<C extends Change>(change: C, entity: Entity, from: number, to: number): C {
  if (!refersTo(change, entity, from)) return change;
  const copy = { ...change };
  const real = (each: number): number => (each === from ? to : each);
  if ('id' in copy && entityOf(copy) === entity) copy.id = real(copy.id);
  if (entity === 'task') return copy;
  if ('storyId' in copy) copy.storyId = real(copy.storyId);
  if ('ids' in copy) copy.ids = copy.ids.map(real);
  if ('position' in copy && typeof copy.position === 'object') {
    copy.position =
      'before' in copy.position
        ? { before: real(copy.position.before) }
        : { after: real(copy.position.after) };
  }
  return copy;
}

/** Whether a change is about a story or a task, or moves stories next to it. */
export function refersTo(change: Change, entity: Entity, id: number): boolean {
  if ('id' in change && entityOf(change) === entity && change.id === id) return true;
  if (entity === 'task') return false;
  if ('storyId' in change && change.storyId === id) return true;
  if (!('ids' in change)) return false;
  if (change.ids.includes(id)) return true;
  return neighbourOf(change.position) === id;
}
