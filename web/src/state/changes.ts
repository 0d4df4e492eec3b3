import { api, createOn, headersOf } from '../api/client';
import type { NewStory, Position, Status, Story, Task } from '../api/types';
import type { BoardState, Card, ListId } from './model';
import { bySeq, sprintName, statusName, storiesOf, withEntry } from './model';

/** The fields of a story that a form sets and that the undo of a deletion restores. */
const FORM_FIELDS = [
  'title',
  'description',
  'points',
  'priority',
  'assignee',
  'labels',
  'status',
] as const;

/** The fields of a story that a change may set. */
export type StoryFields = Partial<Pick<Story, (typeof FORM_FIELDS)[number] | 'sprint_id'>>;

/**
 * A change that the user makes to a board, as plain data, so that it can be stored in IndexedDB. A created row
 * has a negative id until the service has assigned one.
 */
export type Change =
  | {
      kind: 'story.create';
      id: number;
      list: ListId;
      body: NewStory;
      /** The id of the deleted story that it restores. */
      was?: number;
    }
  | { kind: 'story.update'; id: number; set: StoryFields }
  | {
      kind: 'story.move';
      ids: number[];
      list: ListId;
      position: Position;
      /** The list and version of each story that the user saw, if several are moved; set by the queue. */
      seen?: { list: ListId; version: number }[];
    }
  | { kind: 'story.delete'; id: number }
  | {
      kind: 'task.create';
      id: number;
      storyId: number;
      title: string;
      status?: Status;
      assignee?: string | null;
      external_id?: string | null;
      was?: number;
    }
  | {
      kind: 'task.update';
      id: number;
      storyId: number;
      set: Partial<Pick<Task, 'title' | 'status'>>;
    }
  | { kind: 'task.delete'; id: number; storyId: number };

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>;

export type Update = Of<'story.update' | 'task.update'>;

/** The headers of a request that makes a change. */
export interface Conditions {
  /** The entity tag of the row that the user saw; absent for a creation. */
  ifMatch?: string;
  key: string;
}

/** The response to a change: how it changes the state, and the revision of the board after it. */
export interface Outcome {
  commit: (state: BoardState) => BoardState;
  revision: number;
  /** The id of the created or changed row. */
  id?: number;
  etag?: string;
}

/** A kind of change, as the queue uses it. A new kind is an entry of `KINDS`. */
interface Kind<C extends Change> {
  /** The change as a command: “Move Pay by card to Done”. */
  label(change: C, before: BoardState): string;
  /** The state as the user sees it until the service has answered. */
  apply(state: BoardState, change: C): BoardState;
  send(change: C, board: string, conditions: Conditions): Promise<Outcome>;
  /** The changes that undo it, given the state before it. `id` is that of the created row. */
  inverse(change: C, before: BoardState, id: number): Change[];
}

const DONE: Record<string, string> = {
  Create: 'Created',
  Move: 'Moved',
  Change: 'Changed',
  Delete: 'Deleted',
};

/** A label in the past tense: “Moved Pay by card to Done”. */
export const asDone = (label: string): string =>
  label.replace(/^\w+/, (verb) => DONE[verb] ?? verb);

const titleOf = (state: BoardState, id: number): string =>
  `“${state.stories.get(id)?.title ?? id}”`;

const putStory = (state: BoardState, story: Card): BoardState => ({
  ...state,
  stories: withEntry(state.stories, story.id, { ...state.stories.get(story.id), ...story }),
});

const putTasks = (
  state: BoardState,
  storyId: number,
  change: (tasks: readonly Task[]) => readonly Task[],
): BoardState => ({
  ...state,
  tasks: withEntry(state.tasks, storyId, change(state.tasks.get(storyId) ?? [])),
});

const replaceTask = (state: BoardState, task: Task): BoardState =>
  putTasks(state, task.story_id, (tasks) =>
    [...tasks.filter(({ id }) => id !== task.id), task].sort(bySeq),
  );

const now = (): string => new Date().toISOString();

/** The body that creates a deleted story again. */
const bodyOf = (story: Card): NewStory => ({
  ...(Object.fromEntries(FORM_FIELDS.map((name) => [name, story[name]])) as NewStory),
  external_id: story.external_id,
});

/** The change that creates a deleted task again. */
const createAgain = (task: Task, storyId: number): Change => ({
  kind: 'task.create',
  id: temporaryId(),
  storyId,
  title: task.title,
  status: task.status,
  assignee: task.assignee,
  external_id: task.external_id,
  was: task.id,
});

/** The position that a story has in its list, so that it can be moved back there. */
export function positionOf(state: BoardState, id: number): Position {
  const story = state.stories.get(id);
  const list = story ? storiesOf(state, story.sprint_id) : [];
  const previous = list[list.findIndex((each) => each.id === id) - 1];
  return previous ? { after: previous.id } : 'first';
}

/** The moves that restore the places of stories in a list: one for each run of neighbours, in their order. */
function movesBack(stories: readonly Card[], list: ListId, ids: ReadonlySet<number>): Change[] {
  const moves: Extract<Change, { kind: 'story.move' }>[] = [];
  let previous: Card | undefined;
  for (const story of stories) {
    if (ids.has(story.id)) {
      const last = moves.at(-1);
      if (last && previous && last.ids.at(-1) === previous.id) last.ids.push(story.id);
      else {
        const position = previous ? { after: previous.id } : 'first';
        moves.push({ kind: 'story.move', ids: [story.id], list, position });
      }
    }
    previous = story;
  }
  return moves;
}

/** Values of `seq` between two neighbours of a list, for stories that the service has not moved yet. */
function seqsAt(list: readonly Card[], position: Position, count: number): number[] {
  const neighbour =
    typeof position === 'string'
      ? -1
      : list.findIndex(
          ({ id }) => id === ('before' in position ? position.before : position.after),
        );
  let index = position === 'first' ? 0 : list.length;
  if (neighbour >= 0)
    index = neighbour + (typeof position === 'object' && 'after' in position ? 1 : 0);
  const lower = list[index - 1]?.seq;
  const upper = list[index]?.seq;
  const from = lower ?? (upper ?? 0) - count - 1;
  const to = upper ?? from + count + 1;
  return Array.from({ length: count }, (_, i) => from + ((to - from) * (i + 1)) / (count + 1));
}

const nextSeq = (list: readonly { seq: number }[]): number => (list.at(-1)?.seq ?? 0) + 1;

const requestHeadersOf = ({ ifMatch }: Conditions) => (ifMatch ? { 'If-Match': ifMatch } : {});

const storyOutcome = (story: Story, response: Response): Outcome => ({
  commit: (state) => putStory(state, story),
  ...headersOf(response),
  id: story.id,
});

const listName = (state: BoardState, list: ListId): string => {
  const sprint = list === null ? undefined : state.sprints.get(list);
  return sprint ? sprintName(sprint) : 'the backlog';
};

export const KINDS: { [K in Change['kind']]: Kind<Of<K>> } = {
  'story.create': {
    label: ({ body }) => `Create “${body.title}”`,
    apply: (state, { id, list, body }) =>
      putStory(state, {
        id,
        board_name: state.board.name,
        sprint_id: list,
        seq: nextSeq(storiesOf(state, list)),
        version: 0,
        external_id: body.external_id ?? null,
        created_at: now(),
        updated_at: now(),
        done_at: body.status === 'done' ? now() : null,
        title: body.title,
        description: body.description ?? null,
        points: body.points ?? null,
        priority: body.priority ?? null,
        assignee: body.assignee ?? null,
        labels: body.labels ?? [],
        status: body.status ?? 'todo',
      }),
    async send({ list, body }, board, { key }) {
      if (list === null) {
        const { data, response } = await createOn<Story>(board, { type: 'story', set: body }, key);
        // The entity tag is that of the lists.
        return { ...storyOutcome(data, response), etag: undefined };
      }
      const { data, response } = await api.POST('/api/sprints/{sprint_id}/stories', {
        params: { path: { sprint_id: list }, header: { 'Idempotency-Key': key } },
        body,
      });
      return storyOutcome(data as Story, response);
    },
    inverse: (_change, _before, id) => [{ kind: 'story.delete', id }],
  },

  'story.update': {
    label({ id, set }, before) {
      const fields = Object.keys(set);
      if (set.status !== undefined && fields.length === 1) {
        return `Move ${titleOf(before, id)} to ${statusName(set.status)}`;
      }
      return `Change ${titleOf(before, id)}`;
    },
    apply(state, { id, set }) {
      const story = state.stories.get(id);
      if (!story) return state;
      const isDone = (set.status ?? story.status) === 'done';
      return putStory(state, {
        ...story,
        ...set,
        done_at: isDone ? (story.done_at ?? now()) : null,
      });
    },
    async send({ id, set }, _board, conditions) {
      const { data, response } = await api.PUT('/api/stories/{story_id}', {
        params: { path: { story_id: id }, header: requestHeadersOf(conditions) },
        body: set,
      });
      return storyOutcome(data as Story, response);
    },
    inverse({ id, set }, before) {
      const story = before.stories.get(id);
      if (!story) return [];
      const old = Object.fromEntries(
        Object.keys(set).map((name) => [name, story[name as keyof StoryFields] ?? null]),
      );
      return [{ kind: 'story.update', id, set: old }];
    },
  },

  'story.move': {
    label({ ids, list }, before) {
      const [first = 0] = ids;
      const what = ids.length === 1 ? titleOf(before, first) : `${ids.length} stories`;
      const isSame = ids.every((id) => before.stories.get(id)?.sprint_id === list);
      return isSame ? `Move ${what}` : `Move ${what} to ${listName(before, list)}`;
    },
    apply(state, { ids, list, position }) {
      const others = storiesOf(state, list).filter(({ id }) => !ids.includes(id));
      const seqs = seqsAt(others, position, ids.length);
      const stories = new Map(state.stories);
      ids.forEach((id, i) => {
        const story = stories.get(id);
        if (story) stories.set(id, { ...story, sprint_id: list, seq: seqs[i] ?? story.seq });
      });
      return { ...state, stories };
    },
    async send({ ids, list, position }, board, conditions) {
      const [first = 0] = ids;
      const header = { 'Idempotency-Key': conditions.key, ...requestHeadersOf(conditions) };
      if (ids.length === 1) {
        const { data, response } = await api.POST('/api/stories/{story_id}/move', {
          params: { path: { story_id: first }, header },
          body: { sprint_id: list, position: position as 'first' },
        });
        return storyOutcome(data as Story, response);
      }
      const { data, response } = await api.POST('/api/boards/{board_name}/stories/move', {
        params: { path: { board_name: board }, header },
        body: { story_ids: ids, sprint_id: list, position: position as 'first' },
      });
      return {
        commit: (state) => (data as Story[]).reduce(putStory, state),
        revision: headersOf(response).revision,
      };
    },
    inverse({ ids }, before) {
      const lists = new Set(ids.map((id) => before.stories.get(id)?.sprint_id));
      return [...lists].flatMap((list) =>
        list === undefined ? [] : movesBack(storiesOf(before, list), list, new Set(ids)),
      );
    },
  },

  'story.delete': {
    label: ({ id }, before) => `Delete ${titleOf(before, id)}`,
    apply: (state, { id }) => ({ ...state, stories: withEntry(state.stories, id, undefined) }),
    async send({ id }, _board, conditions) {
      const { response } = await api.DELETE('/api/stories/{story_id}', {
        params: { path: { story_id: id }, header: requestHeadersOf(conditions) },
      });
      return {
        commit: (state) => ({ ...state, stories: withEntry(state.stories, id, undefined) }),
        revision: headersOf(response).revision,
      };
    },
    inverse({ id }, before) {
      const story = before.stories.get(id);
      if (!story) return [];
      const temporary = temporaryId();
      const position = positionOf(before, id);
      const tasks = before.tasks.get(id) ?? [];
      return [
        {
          kind: 'story.create',
          id: temporary,
          list: story.sprint_id,
          body: bodyOf(story),
          was: id,
        },
        ...tasks.map((task) => createAgain(task, temporary)),
        // Last, because it fails if the neighbour has left the list, and then the changes after it are not made.
        { kind: 'story.move', ids: [temporary], list: story.sprint_id, position },
      ];
    },
  },

  'task.create': {
    label: ({ title }) => `Create task “${title}”`,
    apply: (state, { id, storyId, title, status = 'todo', assignee = null, external_id = null }) =>
      putTasks(state, storyId, (tasks) => [
        ...tasks,
        {
          id,
          story_id: storyId,
          title,
          status,
          seq: nextSeq(tasks),
          assignee,
          external_id,
          created_at: now(),
          updated_at: now(),
          done_at: null,
          version: 0,
        },
      ]),
    async send({ storyId, title, status, assignee, external_id }, _board, { key }) {
      const { data, response } = await api.POST('/api/stories/{story_id}/tasks', {
        params: { path: { story_id: storyId }, header: { 'Idempotency-Key': key } },
        body: { title, status, assignee, external_id },
      });
      const task = data as Task;
      return { commit: (state) => replaceTask(state, task), ...headersOf(response), id: task.id };
    },
    inverse: ({ storyId }, _before, id) => [{ kind: 'task.delete', id, storyId }],
  },

  'task.update': {
    label: ({ set }) => (set.status ? `Set a task to ${statusName(set.status)}` : 'Change a task'),
    apply: (state, { id, storyId, set }) =>
      putTasks(state, storyId, (tasks) =>
        tasks.map((task) => (task.id === id ? { ...task, ...set } : task)),
      ),
    async send({ id, set }, _board, conditions) {
      const { data, response } = await api.PUT('/api/tasks/{task_id}', {
        params: { path: { task_id: id }, header: requestHeadersOf(conditions) },
        body: set,
      });
      const task = data as Task;
      return { commit: (state) => replaceTask(state, task), ...headersOf(response), id };
    },
    inverse({ id, storyId, set }, before) {
      const task = before.tasks.get(storyId)?.find((each) => each.id === id);
      if (!task) return [];
      const old = Object.fromEntries(
        Object.keys(set).map((name) => [name, task[name as 'title' | 'status']]),
      );
      return [{ kind: 'task.update', id, storyId, set: old }];
    },
  },

  'task.delete': {
    label: () => 'Delete a task',
    apply: (state, { id, storyId }) =>
      putTasks(state, storyId, (tasks) => tasks.filter((task) => task.id !== id)),
    async send({ id, storyId }, _board, conditions) {
      const { response } = await api.DELETE('/api/tasks/{task_id}', {
        params: { path: { task_id: id }, header: requestHeadersOf(conditions) },
      });
      return {
        commit: (state) => putTasks(state, storyId, (tasks) => tasks.filter((t) => t.id !== id)),
        revision: headersOf(response).revision,
      };
    },
    inverse({ id, storyId }, before) {
      const task = before.tasks.get(storyId)?.find((each) => each.id === id);
      return task ? [createAgain(task, storyId)] : [];
    },
  },
};

/** The entry of `KINDS` for a change. TypeScript cannot relate the type of a change to that of its kind. */
export const kindOf = (change: Change): Kind<Change> => KINDS[change.kind];

let lastTemporary = 0;
/** A negative id that another tab is unlikely to make, too. */
export const temporaryId = (): number =>
  (lastTemporary = Math.min(
    -Date.now() * 1000 - Math.floor(Math.random() * 1000),
    lastTemporary - 1,
  ));

export type Entity = 'story' | 'task';

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
export function targetOf(
  change: Change,
): { entity: Entity; id: number; storyId: number } | undefined {
  switch (change.kind) {
    case 'story.update':
    case 'story.delete':
      return { entity: 'story', id: change.id, storyId: change.id };
    case 'story.move': {
      const [id] = change.ids;
      if (id === undefined || change.ids.length > 1) return undefined;
      return { entity: 'story', id, storyId: id };
    }
    case 'task.update':
    case 'task.delete':
      return { entity: 'task', id: change.id, storyId: change.storyId };
    default:
      return undefined;
  }
}

/** The row of an update. */
export function rowOf(state: BoardState, change: Update): Card | Task | undefined {
  return change.kind === 'story.update'
    ? state.stories.get(change.id)
    : state.tasks.get(change.storyId)?.find(({ id }) => id === change.id);
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

/** Adds to a move of several stories the list and version of each that the user saw. */
export function withOrigin(change: Change, { stories }: BoardState): Change {
  if (change.kind !== 'story.move' || change.ids.length < 2) return change;
  const seen = change.ids.map((id) => {
    const story = stories.get(id);
    return { list: story?.sprint_id ?? null, version: story?.version ?? 0 };
  });
  return { ...change, seen };
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
    return { ...each, version: version ?? each.version };
  });
  return { ...change, seen };
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
  const { position } = change;
  return (
    typeof position === 'object' && ('before' in position ? position.before : position.after) === id
  );
}
