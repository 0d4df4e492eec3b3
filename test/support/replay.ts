type Story = Record<string, any> & { id: number; seq: number };

/** Returns the stories of a board according to its log, by `seq`, then `id`. */
export function storiesOf(events: any[]): Story[] {
  return [...replay(events).stories.values()].sort(inOrder);
}

export function inOrder(a: { id: number; seq: number }, b: { id: number; seq: number }): number {
  return a.seq - b.seq || a.id - b.id;
}

/** The rows of a board according to its log, by kind and id. */
export interface Replayed {
  board: any;
  sprints: Map<number, any>;
  stories: Map<number, any>;
  tasks: Map<number, any>;
}

const KINDS = { sprint: 'sprints', story: 'stories', task: 'tasks' } as const;

/**
 * Replays a log from its first event. `after` is called after each event.
 * @throws Error if an event contradicts those before it: a gap, a change of a missing row, a wrong `before`
 */
export function replay(
  events: any[],
  after: (revision: number, state: Replayed) => void = () => undefined,
): Replayed {
  const state: Replayed = { board: null, sprints: new Map(), stories: new Map(), tasks: new Map() };
  events.forEach((event, i) => {
    if (event.revision !== i + 1)
      throw new Error(`event ${i + 1} has the revision ${event.revision}`);
    apply(state, event);
    after(i + 1, state);
  });
  if (state.board) state.board.revision = events.length;
  return state;
}

function apply(state: Replayed, event: any): void {
  const { type, entity, id, before, after } = event;
  const fail = (why: string): never => {
    throw new Error(`${why}: ${JSON.stringify(event)}`);
  };
  if (type === 'stories.shifted') {
    shift(state, event, fail);
    return;
  }
  if (entity === 'board') {
    if (before && state.board === null) fail('the board does not exist yet');
    if (before) state.board = changed(state.board, before, after, fail);
    else state.board = after;
    return;
  }
  const rows = state[KINDS[entity as keyof typeof KINDS]];
  if (type.endsWith('.created') || type === 'story.moved_in') {
    if (rows.has(id)) fail('it already exists');
    const { tasks = [], ...row } = after;
    rows.set(id, row);
    for (const task of tasks) state.tasks.set(task.id, task);
    return;
  }
  const row: unknown = rows.get(id) ?? fail('it does not exist');
  if (type.endsWith('.deleted')) {
    changed(row, before, before, fail);
    rows.delete(id);
  } else if (type === 'story.moved_out') {
    changed(row, before, after, fail);
    rows.delete(id);
    for (const task of [...state.tasks.values()]) {
      if (task.story_id === id) state.tasks.delete(task.id);
    }
  } else {
    rows.set(id, changed(row, before, after, fail));
  }
}

function changed(row: any, before: any, after: any, fail: (why: string) => never): any {
  for (const [name, value] of Object.entries(before)) {
    // A state, and the name of the board, may change without an event of their own.
    if (name === 'state' || name === 'board_name' || name === 'revision') continue;
    if (JSON.stringify(row[name]) !== JSON.stringify(value)) fail(`${name} was ${row[name]}`);
  }
  return { ...row, ...after };
}

/** Applies an event that renumbers many stories of one list. */
function shift(state: Replayed, event: any, fail: (why: string) => never): void {
  const { entity, id, at, before, after } = event;
  const list = entity === 'board' ? null : id;
  const shifted = [...state.stories.values()].filter(
    (story) =>
      story.sprint_id === list &&
      inOrder(before.first, story) <= 0 &&
      inOrder(story, before.last) <= 0 &&
      !after.except.includes(story.id),
  );
  if (shifted.length !== after.count) fail(`${shifted.length} stories are in the range`);
  for (const story of shifted) {
    story.seq += after.by;
    story.version += 1;
    story.updated_at = at;
  }
}
