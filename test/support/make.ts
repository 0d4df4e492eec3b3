import type { Answer, Client } from './client';

let made = 0;

/** Returns a name for a board that no other test of this process uses. */
export function freshName(prefix = 'Board'): string {
  made += 1;
  return `${prefix} ${made}`;
}

/** Returns the path of a board. */
export const boardPath = (name: string): string => `/api/boards/${encodeURIComponent(name)}`;

/** Reads the events of a board after a revision. */
export async function eventsOf(client: Client, board: string, after = 0): Promise<any[]> {
  const events: any[] = [];
  for (;;) {
    const from = (events.at(-1)?.revision as number | undefined) ?? after;
    const page = await made2xx<any[]>(client.get(`${boardPath(board)}/events?after=${from}`));
    if (page.length === 0) return events;
    events.push(...page);
  }
}

/** Returns the body of a response that must be successful; for calls that prepare a test. */
export async function made2xx<T = any>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await call;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

/** A board in which a test creates sprints, stories and tasks. */
export class Workspace {
  private constructor(
    readonly client: Client,
    readonly name: string,
  ) {}

  /** Creates a board with a new name. */
  static async create(client: Client, timeZone = 'UTC', prefix = 'Board'): Promise<Workspace> {
    const name = freshName(prefix);
    await made2xx(client.post('/api/boards', { name, time_zone: timeZone }));
    return new Workspace(client, name);
  }

  /** Returns an existing board. */
  static named(client: Client, name: string): Workspace {
    return new Workspace(client, name);
  }

  get path(): string {
    return boardPath(this.name);
  }

  sprint(start_date: string, rest: object = {}): Promise<any> {
    return made2xx(this.client.post(`${this.path}/sprints`, { start_date, ...rest }));
  }

  /** Creates a story in a sprint or, with null, in the backlog. */
  story(sprint: { id: number } | null, body: object = {}): Promise<any> {
    const path = sprint ? `/api/sprints/${sprint.id}/stories` : `${this.path}/backlog`;
    return made2xx(this.client.post(path, { title: 'A story', ...body }));
  }

  task(story: { id: number }, body: object = {}): Promise<any> {
    return made2xx(
      this.client.post(`/api/stories/${story.id}/tasks`, { title: 'A task', ...body }),
    );
  }

  /** Reads the events after a revision. */
  events(after = 0): Promise<any[]> {
    return eventsOf(this.client, this.name, after);
  }

  async revision(): Promise<number> {
    return (await made2xx(this.client.get(this.path))).revision as number;
  }
}
