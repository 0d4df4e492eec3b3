import type { NewStory, Position, Status, Story, Task } from '../../api/types';
import type { BoardState, ListId } from '../model';

/** The fields of a story that a form sets. */
export const FORM_FIELDS = [
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
      /**
       * The list and version of each story that the user saw, if several are moved; set by the queue. Undefined for
       * a story that is moved wherever it is.
       */
      seen?: ({ list: ListId; version: number } | undefined)[];
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

export type Of<K extends Change['kind']> = Extract<Change, { kind: K }>;

export type Move = Of<'story.move'>;
export type Update = Of<'story.update' | 'task.update'>;

/** The values that the user has typed or chosen for a change; without the fields of a new row that are empty. */
export function valuesOf(change: Change): object {
  if ('set' in change) return change.set;
  if ('body' in change) {
    return Object.fromEntries(
      Object.entries(change.body).filter(([, value]) => String(value ?? '')),
    );
  }
  return 'title' in change ? { title: change.title } : {};
}

/** The headers of a request that makes a change. */
interface Conditions {
  /** The entity tag of the row that the user saw; absent for a creation. */
  ifMatch?: string;
  key: string;
}

export const ifMatchOf = ({ ifMatch }: Conditions) => (ifMatch ? { 'If-Match': ifMatch } : {});

/** The response to a change: how it changes the state, and the revision of the board after it. */
export interface Outcome {
  commit: (state: BoardState) => BoardState;
  revision: number;
  /** The id of the created or changed row. */
  id?: number;
  /** The version and the entity tag of the changed row. */
  version?: number;
  etag?: string;
}

/** A confirmed change, and the state before its first attempt. */
export interface Confirmation {
  outcome: Outcome;
  before: BoardState;
}

/** A kind of change, as the queue uses it. A new kind is an entry of `STORY_KINDS` or `TASK_KINDS`. */
export interface Kind<C extends Change> {
  /** The change as a command: “Move Pay by card to Done”. */
  label(change: C, before: BoardState): string;
  /** The state as the user sees it until the service has answered. */
  apply(state: BoardState, change: C): BoardState;
  send(change: C, board: string, conditions: Conditions): Promise<Outcome>;
  /** The changes that undo it, given the state before it. `id` is the id of the created row. */
  inverse(change: C, before: BoardState, id: number): Change[];
}

/** The kinds of changes of stories or of tasks. */
export type Kinds<Row extends string> = {
  [K in Extract<Change['kind'], `${Row}.${string}`>]: Kind<Of<K>>;
};

/** The time of a change until the service has assigned one. */
export const now = (): string => new Date().toISOString();

let lastTemporary = 0;
/** A negative id that another tab is unlikely to make, too. */
export const temporaryId = (): number =>
  (lastTemporary = Math.min(
    -Date.now() * 1000 - Math.floor(Math.random() * 1000),
    lastTemporary - 1,
  ));
