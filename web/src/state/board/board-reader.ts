import { batch, computed, signal } from '@preact/signals';
import { api, headersOf } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { Board, Sprint } from '../../api/types';
import { whenTrue } from '../../util/retry';
import type { Card } from '../model';
import { findSprint } from '../model';
import type { ConfirmedBoard } from './confirmed-board';
import type { Connection } from './connection';
import { NAME_REUSED } from './connection';
import type { Lists } from './lists';
import { ALL_FIELDS } from './lists';

/** The reason why a board cannot be shown. */
export type Failure = { status: number; detail: string };

/** Reads a whole board: when it is opened, and after the live stream was reset. */
export class BoardReader {
  readonly failure = signal<Failure | null>(null);
  /** The number of times that the whole board was read again; a story that is open must then be read again, too. */
  readonly reads = signal(0);
  /** Whether the lists were read since the board was; until then, they may be older than its revision. */
  private readonly isCurrent = signal(false);

  /** @param first the id of the sprint whose stories are read with the board for the first time, or its word */
  constructor(
    private readonly confirmed: ConfirmedBoard,
    private readonly connection: Connection,
    private readonly lists: Lists,
    private first: string | undefined,
  ) {}

  /** Reads the board and the lists that are shown. */
  async read(): Promise<void> {
    const path = { board_name: this.connection.name };
    const known = this.confirmed.state.value?.board;
    const [board, sprints, list] = await Promise.all([
      api.GET('/api/boards/{board_name}', { params: { path } }),
      api.GET('/api/boards/{board_name}/sprints', { params: { path } }),
      this.readFirst().catch(() => undefined),
    ]);
    const data = board.data as Board;
    if (known && known.id !== data.id) {
      throw new ApiError(404, 'board_not_found', NAME_REUSED);
    }
    const shown = [...this.lists.loaded.value];
    const ofSprints = headersOf(sprints.response).revision || data.revision;
    const revision = Math.min(data.revision, ofSprints);
    this.isCurrent.value = false;
    batch(() => {
      this.lists.expire();
      this.confirmed.restart(data, sprints.data as Sprint[], revision);
      const sprint = list && findSprint(this.confirmed.require(), list.sprint);
      const isOfSprint = sprint && list.stories.every(({ sprint_id }) => sprint_id === sprint.id);
      if (isOfSprint && list.revision >= revision) {
        this.lists.put(sprint.id, list.stories, list.revision);
      }
    });
    await this.lists.readAgain(shown);
    this.reads.value += 1;
    this.isCurrent.value = true;
  }

  /** Reads the stories that the page shows first; undefined if it shows no sprint, or if they were read already. */
  private async readFirst(): Promise<
    { sprint: string; stories: Card[]; revision: number } | undefined
  > {
    const sprint = this.first;
    this.first = undefined;
    if (sprint === undefined) return undefined;
    const query = { fields: ALL_FIELDS };
    const path = { board_name: this.connection.name, sprint_id: Number(sprint) };
    const { data, response } =
      sprint === 'current' || sprint === 'next' || sprint === 'previous'
        ? await api.GET(`/api/boards/{board_name}/sprints/${sprint}/stories`, {
            params: { path, query },
          })
        : await api.GET('/api/sprints/{sprint_id}/stories', { params: { path, query } });
    return { sprint, stories: data as Card[], revision: headersOf(response).revision };
  }

  /** Resolves when the lists are as new as the board. Throws if the board cannot be shown or was closed. */
  async whenCurrent(): Promise<void> {
    const { isCurrent, failure } = this;
    const { isClosed } = this.connection;
    await whenTrue(computed(() => isCurrent.value || isClosed.value || failure.value !== null));
    if (failure.value) {
      throw new ApiError(failure.value.status, 'board_not_shown', failure.value.detail);
    }
    // The page that opens the board next sends the change.
    if (!isCurrent.value) throw new TypeError('the board was closed');
  }
}
