import { setTimeout as sleep } from 'node:timers/promises';
import { afterwards } from './faults';
import { inOrder, replay } from './replay';
import type { Sent } from './sender';
import { Sender } from './sender';

/** What may stand where; `undefined` means nothing. */
type Possible = (string | undefined)[];

type Send = (method: string, path: string, body?: unknown) => Promise<Sent>;

/**
 * Writes to one board from many clients at once, and keeps a book of what was acknowledged, what was
 * refused, and what nobody can know because the answer did not come. Each story belongs to one writer.
 */
export class Ledger {
  acknowledged = 0;
  /** Answers that were no answer, by what they were: a status, or why there was none. */
  readonly refused = new Map<string, number>();
  /** When a write was acknowledged last, and the longest pause between two. */
  lastMs = performance.now();
  longestPause = 0;
  /** The titles that each story may have. */
  private readonly stories = new Map<number, Possible>();
  private stopping = false;
  private writers: Promise<void>[] = [];
  private titles = 0;

  constructor(readonly board: string) {}

  /**
   * Sets so many writers to work, each with a pause in milliseconds before it writes again; they go on
   * whatever happens, until `stop`.
   */
  start(writers: number, send: (writer: number) => Send, pause = 0): void {
    this.stopping = false;
    afterwards(() => this.stop());
    this.lastMs = performance.now();
    this.writers = Array.from({ length: writers }, (_, i) => this.write(send(i), pause));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.writers);
  }

  /** Forgets what refusals there were. */
  forget(): void {
    this.refused.clear();
    this.longestPause = 0;
    this.lastMs = performance.now();
  }

  /**
   * Compares the book with the board, and the board with its own log: every revision is there once,
   * and what the log tells is what is there.
   */
  async audit(url: string): Promise<void> {
    const sender = new Sender(url, 4);
    try {
      const board = encodeURIComponent(this.board);
      const get = async (path: string): Promise<any> => {
        const { status, body } = await sender.send('GET', path);
        if (status !== 200) throw new Error(`GET ${path}: ${status}`);
        return body;
      };
      const events: any[] = [];
      for (let page: any[]; ; events.push(...page)) {
        page = await get(`/api/boards/${board}/events?after=${events.length}`);
        if (page.length === 0) break;
      }
      const told = replay(events);
      expect(await get(`/api/boards/${board}`)).toMatchObject({ revision: events.length });
      const stories: any[] = await get(`/api/boards/${board}/stories`);
      expect(stories).toEqual([...told.stories.values()].sort(inOrder));
      const sprints: any[] = await get(`/api/boards/${board}/sprints`);
      expect(sprints.map((sprint) => sprint.id)).toEqual(
        [...told.sprints.keys()].sort((x, y) => x - y),
      );

      const present = new Map(stories.map((story) => [story.id, story]));
      const lost: string[] = [];
      for (const [id, possible] of this.stories) {
        const title: string | undefined = present.get(id)?.title;
        if (!possible.includes(title)) {
          lost.push(`story ${id} is ${title ?? 'not there'}, not ${possible.join(' or ')}`);
        }
      }
      expect(lost).toEqual([]);
    } finally {
      sender.close();
    }
  }

  private async write(send: Send, pause: number): Promise<void> {
    const board = `/api/boards/${encodeURIComponent(this.board)}`;
    let sprint: number | undefined;
    const mine: number[] = [];
    while (!this.stopping) {
      if (pause > 0) await sleep(pause);
      const dice = Math.random();
      const id = mine[Math.floor(Math.random() * mine.length)];
      if (sprint === undefined) {
        const made = await this.ask(send, 'POST', `${board}/sprints`, { start_date: '2026-11-23' });
        sprint = made?.body.id;
      } else if (id === undefined || dice < 0.5) {
        const title = this.title();
        const made = await this.ask(send, 'POST', `/api/sprints/${sprint}/stories`, { title });
        if (made) {
          this.stories.set(made.body.id, [title]);
          mine.push(made.body.id);
        }
      } else if (dice < 0.8) {
        await this.change(send, 'PUT', id, this.title(), mine);
      } else if (dice < 0.9) {
        await this.change(send, 'DELETE', id, undefined, mine);
      } else {
        // Moves all of the sprint's stories in one change.
        await this.ask(send, 'DELETE', `/api/sprints/${sprint}`);
        sprint = undefined;
      }
    }
  }

  /** Changes a story; where the outcome is not known, it may be either and is left alone. */
  private async change(
    send: Send,
    method: 'PUT' | 'DELETE',
    id: number,
    title: string | undefined,
    mine: number[],
  ): Promise<void> {
    const before = this.stories.get(id) ?? [];
    this.stories.set(id, [...before, title]);
    const body = method === 'PUT' ? { title } : undefined;
    const done = await this.ask(send, method, `/api/stories/${id}`, body);
    if (done) this.stories.set(id, [title]);
    if (!done || method === 'DELETE') mine.splice(mine.indexOf(id), 1);
  }

  /** The answer where the write was acknowledged. */
  private async ask(
    send: Send,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Sent | undefined> {
    let why: string;
    try {
      const answer = await send(method, path, body);
      if (answer.status < 300) {
        this.acknowledged += 1;
        const now = performance.now();
        this.longestPause = Math.max(this.longestPause, now - this.lastMs);
        this.lastMs = now;
        return answer;
      }
      why = `${answer.status}`;
      if (answer.status === 503 && answer.headers['retry-after'] === undefined) {
        why = '503 without Retry-After';
      }
    } catch (error) {
      why = (error as { code?: string }).code ?? (error as Error).message;
    }
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1);
    await sleep(20);
    return undefined;
  }

  private title(): string {
    this.titles += 1;
    return `title ${this.titles}`;
  }
}
