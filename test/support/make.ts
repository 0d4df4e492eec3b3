import type { Answer, Client } from './client';

let made = 0;

/** A board's name that no other test of this process uses. */
export function freshName(prefix = 'Board'): string {
  made += 1;
  return `${prefix} ${made}`;
}

/** The path of a board. */
export const boardPath = (name: string): string => `/api/boards/${encodeURIComponent(name)}`;

/** Throws where a call that only prepares a test was refused. */
export async function made2xx<T = any>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await call;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

/** A board of a test's own, with what is made in it. */
export class Workspace {
  private constructor(
    readonly client: Client,
    readonly name: string,
  ) {}

  /** Makes a board of this zone; its name is new. */
  static async create(client: Client, timeZone = 'UTC', prefix = 'Board'): Promise<Workspace> {
    const name = freshName(prefix);
    await made2xx(client.post('/api/boards', { name, time_zone: timeZone }));
    return new Workspace(client, name);
  }

  get path(): string {
    return boardPath(this.name);
  }

  sprint(start_date: string, rest: object = {}): Promise<any> {
    return made2xx(this.client.post(`${this.path}/sprints`, { start_date, ...rest }));
  }

  /** A story of a sprint or, with none, of the backlog. */
  story(sprint: { id: number } | null, body: object = {}): Promise<any> {
    const path = sprint ? `/api/sprints/${sprint.id}/stories` : `${this.path}/backlog`;
    return made2xx(this.client.post(path, { title: 'A story', ...body }));
  }

  task(story: { id: number }, body: object = {}): Promise<any> {
    return made2xx(
      this.client.post(`/api/stories/${story.id}/tasks`, { title: 'A task', ...body }),
    );
  }

  /** What the log says from some revision on. */
  async events(after = 0): Promise<any[]> {
    const all: any[] = [];
    for (;;) {
      const from = (all.at(-1)?.revision as number | undefined) ?? after;
      const page = await made2xx<any[]>(this.client.get(`${this.path}/events?after=${from}`));
      all.push(...page);
      if (page.length < 1000) return all;
    }
  }

  async revision(): Promise<number> {
    return (await made2xx(this.client.get(this.path))).revision as number;
  }
}
