import { api, headersOf } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { Event, Sprint, Story, Task } from '../../api/types';
import type { Entity, Target } from '../changes/rows';
import type { ConfirmedBoard } from './confirmed-board';
import type { Connection } from './connection';
import type { LiveEvents } from './live-events';

/** How often a response is read again that is older than the applied events. */
const REREADS = 5;

/** Reads stories, tasks and sprints of a board. */
export class RowReader {
  /** The entity tags of rows, and the versions to which they belong. */
  readonly etags = new Map<string, { version: number; etag: string }>();
  private readingSprints?: Promise<void>;
  private nextSprints?: Promise<void>;

  constructor(
    private readonly confirmed: ConfirmedBoard,
    private readonly connection: Connection,
    private readonly events: Pick<LiveEvents, 'hold' | 'release'>,
  ) {}

  /** Loads all fields of a story and its tasks, as soon as there is a connection. */
  loadStory(id: number): Promise<void> {
    return this.connection.untilAnswered(() => this.readStoryInFull(id));
  }

  async readStoryInFull(id: number): Promise<void> {
    await Promise.all([this.readStory(id), this.readTasks(id)]);
    if (this.confirmed.require().stories.has(id)) return;
    throw new ApiError(404, 'story_not_found', 'This story is not on this board.');
  }

  async readStory(id: number): Promise<Story> {
    const { name } = this.connection;
    return this.readPresent(
      () => api.GET('/api/stories/{story_id}', { params: { path: { story_id: id } } }),
      async ({ data, response }) => {
        const story = data as Story;
        const { etag, revision } = headersOf(response);
        this.etags.set(`story/${id}`, { version: story.version, etag });
        if (await this.connection.isElsewhere(story, name)) this.confirmed.removeStory(story);
        else this.confirmed.putStory(story, revision);
        return story;
      },
      () => [['story', id]],
    );
  }

  private readTasks(storyId: number): Promise<void> {
    return this.readPresent(
      () => api.GET('/api/stories/{story_id}/tasks', { params: { path: { story_id: storyId } } }),
      ({ data, response }) =>
        this.confirmed.putTasks(storyId, data as Task[], headersOf(response).revision),
      () => (this.confirmed.require().tasks.get(storyId) ?? []).map(({ id }) => ['task', id]),
    );
  }

  /** Reads a story or task, and returns it with its entity tag. */
  async readRow({ entity, id }: Omit<Target, 'storyId'>): Promise<[Story | Task, string]> {
    if (entity === 'story') {
      const story = await this.readStory(id);
      return [story, this.etags.get(`story/${id}`)?.etag ?? ''];
    }
    return this.readPresent(
      () => api.GET('/api/tasks/{task_id}', { params: { path: { task_id: id } } }),
      ({ data, response }) => {
        const { etag, revision } = headersOf(response);
        this.confirmed.putTask(data as Task, revision);
        return [data as Task, etag];
      },
      () => [['task', id]],
    );
  }

  /**
   * Reads the sprints again, because their states depend on the date and can change without an event. Calls during
   * a read share the next one, because that read may be older than what they ask for.
   */
  loadSprints(): Promise<void> {
    if (this.readingSprints) {
      const again = (): Promise<void> => {
        this.nextSprints = undefined;
        return this.loadSprints();
      };
      return (this.nextSprints ??= this.readingSprints.then(again, again));
    }
    this.readingSprints = this.readSprints().finally(() => (this.readingSprints = undefined));
    return this.readingSprints;
  }

  private readSprints(): Promise<void> {
    return this.connection.untilAnswered(() =>
      this.readPresent(
        () =>
          api.GET('/api/boards/{board_name}/sprints', {
            params: { path: { board_name: this.connection.name } },
          }),
        ({ data }) => this.confirmed.putSprints(data as Sprint[]),
      ),
    );
  }

  /** Loads the events of a story or task after the version that the user saw. */
  async changesSince({ entity, id }: Target, seen: number, revision: number): Promise<Event[]> {
    const events =
      entity === 'story' ? await this.historyOf(id) : await this.taskEventsAfter(revision);
    return events.filter(
      (event) =>
        event.id === id &&
        (event.after === null || Number((event.after as { version?: number }).version ?? 0) > seen),
    );
  }

  private async historyOf(id: number): Promise<Event[]> {
    const { data } = await api.GET('/api/stories/{story_id}/history', {
      params: { path: { story_id: id } },
    });
    return data as Event[];
  }

  private async taskEventsAfter(revision: number): Promise<Event[]> {
    const events: Event[] = [];
    for (let after = revision; ;) {
      const { data } = await api.GET('/api/boards/{board_name}/events', {
        params: {
          path: { board_name: this.connection.name },
          query: { after, entity: ['task'] },
        },
      });
      const page = data as Event[];
      const last = page.at(-1);
      if (!last) return events;
      events.push(...page);
      after = last.revision;
    }
  }

  /**
   * Reads again, up to `REREADS` times, if the response is older than the applied events or, for one of the rows,
   * than the last response with that row. No events are applied while it reads again, so that a slow connection to a
   * board with many changes does not make each response older.
   */
  async readPresent<T extends { response: Response }, R>(
    read: () => Promise<T>,
    use: (result: T) => R | Promise<R>,
    rows: () => readonly [Entity, number][] = () => [],
  ): Promise<R> {
    try {
      for (let attempt = 0; ; attempt++) {
        const result = await read();
        const known = rows().map(([entity, id]) => this.confirmed.readAt(entity, id));
        const { revision } = headersOf(result.response);
        const latest = Math.max(this.confirmed.revision.value, ...known);
        if (revision >= latest || attempt === REREADS) return await use(result);
        this.events.hold(read);
      }
    } finally {
      this.events.release(read);
    }
  }
}
