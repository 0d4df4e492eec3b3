import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from './client';
import { afterwards } from './faults';
import { loadClient } from './load';
import { boardPath, eventsOf, made2xx } from './make';
import { inOrder, replay } from './replay';

/** The titles that a story may have; undefined means that it may not exist. */
type Possible = (string | undefined)[];

/**
 * Writes to one board from many clients at once, and records what was acknowledged, what was rejected,
 * and what is unknown because there was no response. Each story is changed by one writer only.
 */
export class Ledger {
  acknowledged = 0;
  /** How many writes were not acknowledged, by status or error. */
  readonly rejected = new Map<string, number>();
  /** Time of the latest acknowledged write, and the longest pause between two. */
  lastMs = performance.now();
  longestPause = 0;
  /** The titles that each story may have. */
  private readonly stories = new Map<number, Possible>();
  private stopping = false;
  private writers: Promise<void>[] = [];
  private titles = 0;

  constructor(readonly board: string) {}

  /**
   * Starts writers, which write until `stop`, also after errors.
   * @param clientOf the client of a writer's next write
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

  /** Forgets the writes that were rejected. */
  forget(): void {
    this.rejected.clear();
    this.longestPause = 0;
    this.lastMs = performance.now();
  }

  /** Compares the board with what was acknowledged and with its own log, which must have no gap. */
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
    const mine: number[] = [];
    while (!this.stopping) {
      if (pause > 0) await sleep(pause);
      const dice = Math.random();
      const id = mine[Math.floor(Math.random() * mine.length)];
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
          mine.push(made.body.id);
        }
      } else if (dice < 0.8) {
        await this.change(client, 'PUT', id, this.title(), mine);
      } else if (dice < 0.9) {
        await this.change(client, 'DELETE', id, undefined, mine);
      } else {
        // Moves all of the sprint's stories in one change.
        await this.send(client, 'DELETE', `/api/sprints/${sprint}`);
        sprint = undefined;
      }
    }
  }

  /** Changes a story. Where the outcome is unknown, the story is not changed again. */
  private async change(
    client: () => Client,
    method: 'PUT' | 'DELETE',
    id: number,
    title: string | undefined,
    mine: number[],
  ): Promise<void> {
    const before = this.stories.get(id) ?? [];
    this.stories.set(id, [...before, title]);
    const body = method === 'PUT' ? { title } : undefined;
    const done = await this.send(client, method, `/api/stories/${id}`, body);
    if (done) this.stories.set(id, [title]);
    if (!done || method === 'DELETE') mine.splice(mine.indexOf(id), 1);
  }

  /** The response, if the write was acknowledged. */
  private async send(
    client: () => Client,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer | undefined> {
    let why: string;
    try {
      const answer = await client().call(method, path, body);
      if (answer.status < 300) {
        this.acknowledged += 1;
        const now = performance.now();
        this.longestPause = Math.max(this.longestPause, now - this.lastMs);
        this.lastMs = now;
        return answer;
      }
      why = `${answer.status}`;
      if (answer.status === 503 && !answer.headers.has('retry-after')) {
        why = '503 without Retry-After';
      }
    } catch (error) {
      why = (error as Error).message;
    }
    this.rejected.set(why, (this.rejected.get(why) ?? 0) + 1);
    await sleep(20);
    return undefined;
  }

  private title(): string {
    this.titles += 1;
    return `title ${this.titles}`;
  }
}
