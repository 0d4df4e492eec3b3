import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from './client';
import { afterwards } from './faults';
import { loadClient } from './load';
import { boardPath, eventsOf, made2xx } from './make';
import { inOrder, replay } from './replay';

/** The titles that a story may have; undefined means that it may be missing. */
type Possible = (string | undefined)[];

/**
 * Writes to one board from many clients at once and records which writes were acknowledged, which were
 * rejected, and which have an unknown outcome because there was no response. Only one writer changes a story.
 */
export class Ledger {
  acknowledged = 0;
  /** How many writes were not acknowledged, by status or error. */
  readonly rejected = new Map<string, number>();
  /** Time of the last acknowledged write, and the longest time between two. */
  lastMs = performance.now();
  longestPause = 0;
  /** The titles that each story may have. */
  private readonly stories = new Map<number, Possible>();
  private stopping = false;
  private writers: Promise<void>[] = [];
  private titles = 0;

  constructor(readonly board: string) {}

  /**
   * Starts writers, which write until `stop`, even after errors.
   * @param clientOf returns the client for a writer's next write
   * @param pause milliseconds before each write
   */
  start(writers: number, clientOf: (writer: number) => Client, pause = 0): void {
    this.stopping = false;
    afterwards(() => this.stop());
    this.lastMs = performance.now();
    this.writers = Array.from({ length: writers }, (_, i) => this.write(() => clientOf(i), pause));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.writers);
  }

  /** Checks that the board has every acknowledged write and equals the replay of its log, which has no gap. */
  async audit(url: string): Promise<void> {
    const client = loadClient(url, 4);
    const path = boardPath(this.board);
    const get = (rest: string): Promise<any> => made2xx(client.get(path + rest));
    const events = await eventsOf(client, this.board);
    const replayed = replay(events);
    expect(await get('')).toMatchObject({ revision: events.length });
    const stories: any[] = await get('/stories');
    expect(stories).toEqual([...replayed.stories.values()].sort(inOrder));
    const sprints: any[] = await get('/sprints');
    expect(sprints.map((sprint) => sprint.id)).toEqual(
      [...replayed.sprints.keys()].sort((x, y) => x - y),
    );

    const present = new Map(stories.map((story) => [story.id, story]));
    const lost: string[] = [];
    for (const [id, possible] of this.stories) {
      const title: string | undefined = present.get(id)?.title;
      if (!possible.includes(title)) {
        lost.push(`story ${id}: ${title ?? 'missing'} instead of ${possible.join(' or ')}`);
      }
    }
    expect(lost).toEqual([]);
  }

  private async write(client: () => Client, pause: number): Promise<void> {
    const board = boardPath(this.board);
    let sprint: number | undefined;
    const ownStories: number[] = [];
    while (!this.stopping) {
      if (pause > 0) await sleep(pause);
      const dice = Math.random();
      const id = ownStories[Math.floor(Math.random() * ownStories.length)];
      if (sprint === undefined) {
        const made = await this.send(client, 'POST', `${board}/sprints`, {
          start_date: '2026-11-23',
        });
        sprint = made?.body.id;
      } else if (id === undefined || dice < 0.5) {
        const title = this.title();
        const made = await this.send(client, 'POST', `/api/sprints/${sprint}/stories`, { title });
        if (made) {
          this.stories.set(made.body.id, [title]);
          ownStories.push(made.body.id);
        }
      } else if (dice < 0.8) {
        await this.change(client, 'PUT', id, this.title(), ownStories);
      } else if (dice < 0.9) {
        await this.change(client, 'DELETE', id, undefined, ownStories);
      } else {
        // Moves all of the sprint's stories in one change.
        await this.send(client, 'DELETE', `/api/sprints/${sprint}`);
        sprint = undefined;
      }
    }
  }

  /** Changes a story. A story whose change was not acknowledged is not changed again. */
  private async change(
    client: () => Client,
    method: 'PUT' | 'DELETE',
    id: number,
    title: string | undefined,
    ownStories: number[],
  ): Promise<void> {
    const before = this.stories.get(id) ?? [];
    this.stories.set(id, [...before, title]);
    const body = method === 'PUT' ? { title } : undefined;
    const done = await this.send(client, method, `/api/stories/${id}`, body);
    if (done) this.stories.set(id, [title]);
    if (!done || method === 'DELETE') ownStories.splice(ownStories.indexOf(id), 1);
  }

  /** Sends a write and returns the response if it was acknowledged. */
  private async send(
    client: () => Client,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer | undefined> {
    let reason: string;
    try {
      const answer = await client().call(method, path, body);
      if (answer.status < 300) {
        this.acknowledged += 1;
        const now = performance.now();
        this.longestPause = Math.max(this.longestPause, now - this.lastMs);
        this.lastMs = now;
        return answer;
      }
      reason = `${answer.status}`;
      if (answer.status === 503 && !answer.headers.has('retry-after')) {
        reason = '503 without Retry-After';
      }
    } catch (error) {
      reason = (error as Error).message;
    }
    this.rejected.set(reason, (this.rejected.get(reason) ?? 0) + 1);
    await sleep(20);
    return undefined;
  }

  private title(): string {
    this.titles += 1;
    return `title ${this.titles}`;
  }
}
