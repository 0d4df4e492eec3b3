import { batch, signal } from '@preact/signals';
import type { Board, Event, Sprint, Task } from '../../api/types';
import type { Change, Outcome } from '../changes/change';
import type { Entity } from '../changes/rows';
import { entityOf } from '../changes/rows';
import type { BoardState, Card } from '../model';
import { byId, bySeq, withEntry, withoutStory, withStory, withTask, withTasks } from '../model';
import { applyEvent } from './events';

/** One board as the service has confirmed it, by responses and by the live stream. */
export class ConfirmedBoard {
  /** Null until the board is loaded. */
  readonly state = signal<BoardState | null>(null);
  /** The revision of the last event that was applied. */
  readonly revision = signal(0);
  /** The revision at which each row was read, if it was later than the revision of the state. */
  private readonly rows = new Map<string, number>();

  require(): BoardState {
    if (!this.state.value) throw new Error('the board is not loaded');
    return this.state.value;
  }

  /** The revision at which a row was read, if it was later than the revision of the state; else 0. */
  readonly readAt = (entity: Event['entity'], id: number): number =>
    this.rows.get(`${entity}/${id}`) ?? 0;

  markRead(entity: Entity, id: number, revision: number): void {
    const known = Math.max(this.revision.value, this.readAt(entity, id));
    if (revision > known) this.rows.set(`${entity}/${id}`, revision);
  }

  /** Begins again with a board and its sprints; loaded stories stay until their list is read again. */
  restart(board: Board, sprints: readonly Sprint[], revision: number): void {
    this.rows.clear();
    batch(() => {
      this.revision.value = revision;
      this.state.value = {
        board,
        sprints: byId(sprints),
        stories: this.state.value?.stories ?? new Map(),
        edge: this.state.value?.edge,
        tasks: this.state.value?.tasks ?? new Map(),
      };
    });
  }

  putBoard(board: Board): void {
    this.state.value = { ...this.require(), board };
  }

  putSprints(sprints: readonly Sprint[]): void {
    this.state.value = { ...this.require(), sprints: byId(sprints) };
  }

  putStory(story: Card, revision: number): void {
    this.markRead('story', story.id, revision);
    this.state.value = withStory(this.require(), story);
  }

  removeStory(story: Card): void {
    this.state.value = withoutMoved(this.require(), story);
  }

  putTask(task: Task, revision: number): void {
    this.state.value = withTask(this.require(), task);
    this.markRead('task', task.id, revision);
  }

  /** Replaces the tasks of a story. */
  putTasks(storyId: number, tasks: Task[], revision: number): void {
    this.state.value = withTasks(this.require(), storyId, () => tasks.sort(bySeq));
    for (const { id } of tasks) this.markRead('task', id, revision);
  }

  /** Applies the response to a change, except to rows that were read later. */
  commit({ commit, id, revision }: Outcome, change: Change): void {
    // The state may already have the change, and later ones of others.
    if (revision > 0 && revision < this.revision.value) return;
    const entity = entityOf(change);
    const ids = 'ids' in change ? change.ids : id === undefined ? [] : [id];
    const later = revision > 0 ? ids.filter((each) => this.readAt(entity, each) > revision) : [];
    if (later.length > 0 && later.length === ids.length) return;
    const before = this.require();
    // Only a move has rows besides the later ones, and they are stories.
    this.state.value = later.reduce(
      (state, each) => ({
        ...state,
        stories: withEntry(state.stories, each, before.stories.get(each)),
      }),
      commit(before),
    );
    for (const each of ids) this.markRead(entity, each, revision);
  }

  /** Applies an event, and returns the state before and after it; undefined if it is known already. */
  apply(event: Event): { before: BoardState; after: BoardState } | undefined {
    const before = this.state.value;
    if (!before || event.revision <= this.revision.value) return undefined;
    const after = applyEvent(before, event, this.readAt);
    batch(() => {
      this.revision.value = event.revision;
      this.state.value = after;
    });
    return { before, after };
  }
}

/** The state without a story that is on another board, unless it has come back since. */
export const withoutMoved = (state: BoardState, { id, version }: Card): BoardState =>
  (state.stories.get(id)?.version ?? 0) > version ? state : withoutStory(state, id);
