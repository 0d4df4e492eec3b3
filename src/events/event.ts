/** What can happen to a board. The part before the dot names the entity, or the group of them. */
export const EVENT_TYPES = [
  'board.created',
  'board.updated',
  'board.deleted',
  'sprint.created',
  'sprint.updated',
  'sprint.deleted',
  'sprint.completed',
  'sprint.reopened',
  'story.created',
  'story.updated',
  'story.deleted',
  'story.moved',
  'story.moved_out',
  'story.moved_in',
  'stories.shifted',
  'task.created',
  'task.updated',
  'task.deleted',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export const EVENT_ENTITIES = ['board', 'sprint', 'story', 'task'] as const;
export type EventEntity = (typeof EVENT_ENTITIES)[number];

/** Members of a resource as a client would have seen them. */
export type Members = Record<string, unknown>;

/**
 * One entry of a board's log, as clients read it. `revision` counts from 1 without a gap; `before`
 * and `after` hold the members that changed, all of them where the entity came or went (then the
 * other side is null).
 */
export interface BoardEvent {
  board_name: string;
  revision: number;
  type: EventType;
  /** RFC 3339, UTC, milliseconds. */
  at: string;
  actor: string;
  entity: EventEntity;
  id: number;
  before: Members | null;
  after: Members | null;
}
