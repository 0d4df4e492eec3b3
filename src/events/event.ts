/** The kinds of events of a board. The part before the dot names the entity, or several of them. */
export const EVENT_TYPES = [
  'board.created',
  'board.updated',
  'board.deleted',
  'sprint.created',
  'sprint.updated',
  'sprint.deleted',
  'sprint.started',
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

/** Properties of a resource, as in its representation. */
export type Fields = Record<string, unknown>;
