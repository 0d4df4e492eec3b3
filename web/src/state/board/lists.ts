import { batch, signal } from '@preact/signals';
import { api, headersOf } from '../../api/client';
import { ignoreMissing, isMissing } from '../../api/problem';
import type { Event } from '../../api/types';
import { alertError } from '../announce';
import type { BoardState, Card, ListId, Place } from '../model';
import { bySeq, CARD_FIELDS, storiesOf } from '../model';
import type { ConfirmedBoard } from './confirmed-board';
import type { Connection } from './connection';
import type { RowReader } from './row-reader';

/** The loaded beginning of the backlog. */
interface Part {
  pages: number;
  cursor: string;
  /** How many stories of the backlog are not in the state, which has some after these pages from events. */
  rest: number;
}

export const ALL_FIELDS = CARD_FIELDS.join(',');
const PAGE_SIZE = 500;

/** The lists of a board that are loaded: sprints, and the backlog or its beginning. */
export class Lists {
  /** The lists whose stories are all loaded. */
  readonly loaded = signal<ReadonlySet<ListId>>(new Set());
  /** The loaded part of the backlog; null if none or all of it is loaded. */
  readonly part = signal<Part | null>(null);
  private readonly loading = new Map<ListId, Promise<void>>();
  /** The last read of pages of the backlog. */
  private paging: Promise<unknown> = Promise.resolve();
  private nextPage?: Promise<void>;
  private pagingAgain?: ReturnType<typeof setTimeout>;
  /** The stories read before the whole board was read again; even a lower version now replaces them. */
  private stale = new Set<number>();

  constructor(
    private readonly confirmed: ConfirmedBoard,
    private readonly connection: Connection,
    private readonly rows: RowReader,
  ) {}

  /** Loads the stories of a sprint or of the backlog, unless they are loaded. */
  load(list: ListId): Promise<void> {
    if (this.loaded.value.has(list)) return Promise.resolve();
    const known = this.loading.get(list);
    if (known) return known;
    const loading = this.connection
      .untilAnswered(() => this.read(list))
      .catch((error: Error) => {
        // A sprint that was deleted meanwhile has no list.
        if (!isMissing(error)) alertError(error.message);
      })
      .finally(() => this.loading.delete(list));
    this.loading.set(list, loading);
    return loading;
  }

  /** Loads the next page of the backlog. */
  loadPage(): Promise<void> {
    if (this.loaded.value.has(null)) return Promise.resolve();
    this.nextPage ??= this.queuePages(async () => {
      // The read before may have loaded the rest.
      if (!this.loaded.value.has(null)) await this.readPages(this.part.value, 1);
    })
      .catch((error: Error) => alertError(error.message))
      .finally(() => (this.nextPage = undefined));
    return this.nextPage;
  }

  /** Reads lists and the loaded part of the backlog again. */
  async readAgain(lists: readonly ListId[]): Promise<void> {
    await Promise.all(
      lists.map((list) =>
        this.read(list).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
          this.loaded.value = new Set([...this.loaded.value].filter((each) => each !== list));
        }),
      ),
    );
    await this.readPartAgain();
  }

  /** Lets the next read of each list replace the loaded stories, whatever their versions are. */
  expire(): void {
    this.stale = new Set(this.confirmed.state.value?.stories.keys());
  }

  /** Reads the stories that an event has moved into the loaded lists, but does not contain. */
  readMissing(event: Event, before: BoardState, after: BoardState): void {
    if (this.part.value && isUnknownPlace(event, before)) {
      clearTimeout(this.pagingAgain);
      this.pagingAgain = setTimeout(() => void this.readPartAgain().catch(ignoreMissing), 300);
    }
    const list = (event.after as { sprint_id?: ListId } | null)?.sprint_id;
    const isShown = event.entity === 'story' && list !== undefined && this.loaded.value.has(list);
    if (isShown && !after.stories.has(event.id)) {
      // The story comes from a list that is not loaded, and the event has only the changed fields.
      void this.connection.untilAnswered(() => this.rows.readStory(event.id)).catch(ignoreMissing);
    }
  }

  /** Replaces the stories of a list, or the part of it after one place and up to another. */
  put(
    list: ListId,
    stories: Card[],
    revision: number,
    { after, to }: { after?: Place; to?: Place } = {},
  ): void {
    const state = this.confirmed.require();
    const next = new Map(state.stories);
    /** Whether a story was changed or came into the list after the response. */
    const isLater = ({ id }: Card): boolean => this.confirmed.readAt('story', id) > revision;
    for (const story of state.stories.values()) {
      if (story.sprint_id !== list || isLater(story)) continue;
      if (after && bySeq(story, after) <= 0) continue;
      if (to && bySeq(story, to) > 0) continue;
      next.delete(story.id);
    }
    for (const story of stories) {
      if (isLater(story)) continue;
      const known = state.stories.get(story.id);
      const isNewer = known && known.version >= story.version && !this.stale.delete(story.id);
      next.set(story.id, isNewer ? known : { ...known, ...story });
      this.confirmed.markRead('story', story.id, revision);
    }
    batch(() => {
      const edge = list === null ? to : state.edge;
      this.confirmed.state.value = { ...state, stories: next, edge };
      if (!to) this.loaded.value = new Set([...this.loaded.value, list]);
      if (!to && list === null) this.part.value = null;
    });
  }

  private read(list: ListId): Promise<void> {
    const query = { fields: ALL_FIELDS };
    return this.rows.readPresent(
      () =>
        list === null
          ? api.GET('/api/boards/{board_name}/backlog', {
              params: { path: { board_name: this.connection.name }, query },
            })
          : api.GET('/api/sprints/{sprint_id}/stories', {
              params: { path: { sprint_id: list }, query },
            }),
      ({ data, response }) => this.put(list, data as Card[], headersOf(response).revision),
    );
  }

  private readPartAgain(): Promise<void> {
    return this.queuePages(async () => {
      if (this.part.value) await this.readPages(null, this.part.value.pages);
    });
  }

  /** Reads pages of the backlog after the reads before, because the loaded part changes with each of them. */
  private queuePages(read: () => Promise<void>): Promise<void> {
    const reading = this.paging.then(() => this.connection.untilAnswered(read));
    this.paging = reading.catch(() => undefined);
    return reading;
  }

  /** Reads pages of the backlog, after the loaded part or from the beginning. */
  private readPages(after: Part | null, pages: number): Promise<void> {
    return this.rows.readPresent(
      () => this.requestPages(after?.cursor, pages),
      ({ parts, total, cursor }) => {
        const before = after?.pages ?? 0;
        batch(() => {
          let edge = after ? this.confirmed.require().edge : undefined;
          for (const [i, { stories, revision }] of parts.entries()) {
            const isEnd = i === parts.length - 1 && cursor === undefined;
            const to = isEnd ? undefined : stories.at(-1);
            this.put(null, stories, revision, { after: edge, to });
            edge = to;
          }
          const rest = Math.max(0, total - storiesOf(this.confirmed.require(), null).length);
          this.part.value = cursor && edge ? { pages: before + pages, cursor, rest } : null;
        });
      },
    );
  }

  /** Requests pages of the backlog; `response` is the oldest of the responses. */
  private async requestPages(cursor: string | undefined, pages: number) {
    const parts: { stories: Card[]; revision: number }[] = [];
    let oldest: Response | undefined;
    let total = 0;
    for (let page = 0; page === 0 || (page < pages && cursor); page++) {
      const { data, response } = await api.GET('/api/boards/{board_name}/backlog', {
        params: {
          path: { board_name: this.connection.name },
          query: { fields: ALL_FIELDS, limit: PAGE_SIZE, count: true, ...(cursor && { cursor }) },
        },
      });
      const { revision } = headersOf(response);
      if (!oldest || revision < headersOf(oldest).revision) oldest = response;
      parts.push({ stories: data as Card[], revision });
      total = Number(response.headers.get('X-Total-Count'));
      const link = /<([^>]*)>; *rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
      cursor = link && (new URL(link, location.href).searchParams.get('cursor') ?? undefined);
    }
    return { parts, response: oldest!, total, cursor };
  }
}

/** Whether an event may move a story that is not loaded into the loaded part of the backlog, or removes it. */
const isUnknownPlace = (
  { type, entity, id, before, after }: Event,
  { stories }: BoardState,
): boolean => {
  if (type === 'stories.shifted') return entity === 'board';
  if (entity !== 'story' || stories.has(id)) return false;
  // The event has the former list only if that differs from the list on the other board.
  if (type === 'story.moved_out') return true;
  if (type === 'story.deleted') return (before as Partial<Card>).sprint_id === null;
  const isMove = type === 'story.moved' || type === 'story.updated';
  return isMove && after !== null && ('seq' in after || 'sprint_id' in after);
};
