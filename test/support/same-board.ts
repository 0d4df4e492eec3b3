import type { Client } from './client';
import { boardPath, eventsOf, made2xx } from './make';

/** A board with its events and reports, as the API shows them. */
export type Everything = Record<string, any>;

type Kind = 'board' | 'sprint' | 'story' | 'task';

/** The kind of resource that a field contains. */
const KINDS: Record<string, Kind> = {
  board: 'board',
  sprint: 'sprint',
  sprints: 'sprint',
  stories: 'story',
  first: 'story',
  last: 'story',
  tasks: 'task',
};

/** Reads everything that the API shows of a board: resources, log, histories and reports. */
export async function everythingOf(client: Client, name: string): Promise<Everything> {
  const path = boardPath(name);
  const get = async (rest: string): Promise<any> => {
    const { status, body } = await client.get(rest);
    if (status >= 500) throw new Error(`${rest}: ${status} ${body.code}`);
    return status === 200 ? body : { status, code: body.code };
  };
  const sprints = await made2xx<any[]>(client.get(`${path}/sprints`));
  const stories = await made2xx<any[]>(client.get(`${path}/stories`));
  const events = await eventsOf(client, name);
  const ids = events.filter(({ entity }) => entity === 'story').map(({ id }) => id as number);
  const histories: any[] = [];
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const history = (await get(`/api/stories/${id}/history`)) as any[];
    // A history also has events of other boards.
    histories.push(history.filter(({ board_name }) => board_name === name));
  }
  const of = async (rows: any[], rest: (id: number) => string): Promise<any[]> => {
    const answers: any[] = [];
    for (const { id } of rows) answers.push(await get(rest(id as number)));
    return answers;
  };
  return {
    board: await get(path),
    sprints,
    stories,
    events,
    histories,
    tasks: await of(stories, (id) => `/api/stories/${id}/tasks`),
    reports: await of(sprints, (id) => `/api/sprints/${id}/report`),
    burndowns: await of(sprints, (id) => `/api/sprints/${id}/burndown`),
    velocity: await get(`${path}/velocity`),
    forecasts: [
      await get(`${path}/forecast?seed=7`),
      await get(`${path}/forecast?seed=3&stories=9`),
    ],
    current: { sprint: await get(`${path}/sprints/current`) },
    next: { sprint: await get(`${path}/sprints/next`) },
    previous: { sprint: await get(`${path}/sprints/previous`) },
  };
}

/** Returns `from` with the ids and the name of the restored board `to`; their logs show which ids correspond. */
export function asRestored(from: Everything, to: Everything): Everything {
  const ids = { board: new Map(), sprint: new Map(), story: new Map(), task: new Map() };
  from.events.forEach((event: any, i: number) => {
    const other = to.events[i];
    ids[event.entity as Kind].set(event.id, other?.id);
    // A sprint of another board has no event in this log.
    if (event.type === 'story.moved_out') {
      ids.sprint.set(event.after.sprint_id, other?.after?.sprint_id);
    }
    event.after?.tasks?.forEach((task: any, k: number) => {
      ids.task.set(task.id, other?.after?.tasks?.[k]?.id);
    });
  });
  const names = [from.board.name, to.board.name];
  const replace = (value: any, kind: Kind): any => {
    if (Array.isArray(value)) return value.map((item) => replace(item, kind));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries<any>(value).map(([name, inner]) => {
        if (name === 'id') return [name, ids[kind].get(inner)];
        if (name === 'story_id') return [name, ids.story.get(inner)];
        if (name === 'sprint_id' || name === 'carried_to') {
          return [name, inner === null ? null : ids.sprint.get(inner)];
        }
        if (name === 'except') return [name, inner.map((id: number) => ids.story.get(id))];
        const isName = name === 'board_name' || (name === 'name' && kind === 'board');
        if (isName && inner === names[0]) return [name, names[1]];
        if (name === 'before' || name === 'after') return [name, replace(inner, value.entity)];
        return [name, replace(inner, KINDS[name] ?? kind)];
      }),
    );
  };
  const events = (list: any[]): any[] =>
    list.map((event) => replace(event, event.entity as Kind) as unknown);
  const { events: log, histories, ...rest } = from;
  return {
    ...(replace(rest, 'board') as Everything),
    events: events(log),
    histories: histories.map(events),
  };
}
