import type { Answer, CallOptions } from './client';
import { Client } from './client';

const SINGLE: [method: RegExp, path: RegExp, op: string, type: string, parent?: string][] = [
  [/POST/, /\/sprints$/, 'create', 'sprint'],
  [/POST/, /\/backlog$/, 'create', 'story'],
  [/POST/, /^\/api\/sprints\/(\d+)\/stories$/, 'create', 'story', 'sprint_id'],
  [/POST/, /^\/api\/stories\/(\d+)\/tasks$/, 'create', 'task', 'story_id'],
  [/POST/, /^\/api\/stories\/(\d+)\/move$/, 'move', 'story'],
  [/PUT|PATCH/, /^\/api\/sprints\/(\d+)$/, 'update', 'sprint'],
  [/PUT|PATCH/, /^\/api\/stories\/(\d+)$/, 'update', 'story'],
  [/PUT|PATCH/, /^\/api\/tasks\/(\d+)$/, 'update', 'task'],
  [/DELETE/, /^\/api\/sprints\/(\d+)$/, 'delete', 'sprint'],
  [/DELETE/, /^\/api\/stories\/(\d+)$/, 'delete', 'story'],
  [/DELETE/, /^\/api\/tasks\/(\d+)$/, 'delete', 'task'],
];

/** Returns the batch operation that is equivalent to a single request; undefined if there is none. */
function operationOf(method: string, path: string, body?: object): object | undefined {
  for (const [methods, pattern, op, type, parent] of SINGLE) {
    const match = methods.test(method) && pattern.exec(path);
    if (!match) continue;
    if (op === 'create') {
      return { op, type, set: { ...body, ...(parent && { [parent]: Number(match[1]) }) } };
    }
    return { op, type, id: Number(match[1]), ...(body && { set: body }) };
  }
  return undefined;
}

/**
 * Sends each change of a board as a batch of one operation and returns the response of the single request.
 * Each batch is first sent as a dry run, which must have the same outcome.
 */
export class BatchClient extends Client {
  constructor(
    url: string,
    private readonly board: string,
  ) {
    super(url);
  }

  override async call<T = any>(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer<T>> {
    const operation = operationOf(method, path, body as object);
    if (!operation) return super.call(method, path, body, options);
    const send = (rest: object): Promise<Answer> =>
      super.call('POST', `${this.board}/batch`, { operations: [operation], ...rest }, options);
    const dry = await send({ dry_run: true });
    const answer = await send({});
    const outcome = ({ status, body: { code, errors, revision } }: Answer): object => ({
      status,
      code,
      errors,
      revision,
    });
    expect(outcome(answer)).toEqual(outcome(dry));
    if (answer.status !== 200) return answer;
    const { op, type: _, ...resource } = answer.body.results[0];
    const { id: __, ...dryResult } = dry.body.results[0];
    expect(answer.body.results[0]).toMatchObject(withoutTimes(dryResult));
    return { ...answer, status: op === 'create' ? 201 : 200, body: resource };
  }
}

const withoutTimes = (resource: object): object =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => !name.endsWith('_at')));
