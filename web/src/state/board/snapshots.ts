import { batch, effect } from '@preact/signals';
import { readSnapshot, writeSnapshot } from '../changes/outbox';
import { byId, CARD_FIELDS } from '../model';
import { isExpired } from '../session';
import type { ConfirmedBoard } from './confirmed-board';
import type { Lists } from './lists';

/** A snapshot of 10,000 stories keeps the page busy for 50 ms. */
const WRITE_MS = 100;
const WRITE_MS_PER_STORY = 0.2;

/** Null for the fields that an earlier version did not store. A field that was added later is nullable. */
const NO_FIELDS = Object.fromEntries(CARD_FIELDS.map((name) => [name, null]));

/** Stores the confirmed state of a board in the browser, for a start without a connection. */
export class Snapshots {
  constructor(
    private readonly actor: string,
    private readonly confirmed: ConfirmedBoard,
    private readonly lists: Lists,
  ) {}

  /** Shows the stored snapshot of a board that is not loaded; returns whether it did. */
  async show(name: string, isClosed: () => boolean): Promise<boolean> {
    if (this.confirmed.state.value) return false;
    const snapshot = await readSnapshot(this.actor, name);
    if (!snapshot || this.confirmed.state.value || isClosed()) return false;
    batch(() => {
      this.lists.loaded.value = new Set(snapshot.lists);
      this.confirmed.state.value = {
        board: snapshot.board,
        sprints: byId(snapshot.sprints),
        stories: byId(snapshot.stories.map((story) => ({ ...NO_FIELDS, ...story }))),
        tasks: new Map(),
      };
    });
    return true;
  }

  /**
   * Stores a snapshot after each change until the returned function is called.
   * @param isCurrent whether the state may replace the stored one
   */
  keep(isCurrent: () => boolean): () => void {
    const { confirmed, lists } = this;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = (): void => {
      timer = undefined;
      const state = confirmed.state.value;
      // Signing out deletes what is stored.
      if (!state || !isCurrent() || isExpired.value) return;
      void writeSnapshot(this.actor, {
        board: state.board,
        sprints: [...state.sprints.values()],
        stories: [...state.stories.values()],
        lists: [...lists.loaded.value],
      });
    };
    const stop = effect(() => {
      if (!confirmed.state.value || !lists.loaded.value) return;
      if (!isCurrent() || isExpired.value) return;
      const { size } = confirmed.state.value.stories;
      timer ??= setTimeout(write, WRITE_MS + size * WRITE_MS_PER_STORY);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }
}
