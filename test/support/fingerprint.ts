import type { Client } from './client';
import { boardPath, made2xx } from './make';

/** The resources of a board, as the API shows them. */
export interface Shown {
  board: any;
  sprints: any[];
  stories: any[];
  tasks: any[];
}

export async function shownBoard(client: Client, name: string): Promise<Shown> {
  const path = boardPath(name);
  const get = (rest: string): Promise<any> => made2xx(client.get(rest));
  const stories = (await get(`${path}/stories`)) as any[];
  const tasks: any[] = [];
  for (const { id } of stories) tasks.push(...((await get(`/api/stories/${id}/tasks`)) as any[]));
  return { board: await get(path), sprints: await get(`${path}/sprints`), stories, tasks };
}

/** Returns all resources of the service as one string; it is equal as long as nothing changes. */
export async function fingerprint(client: Client): Promise<string> {
  const all: Shown[] = [];
  for (const { name } of await made2xx<any[]>(client.get('/api/boards'))) {
    all.push(await shownBoard(client, name as string));
  }
  return JSON.stringify(all);
}
