import { UnitOfWork } from '../../src/database/unit-of-work';
import type { Caller } from '../../src/http/caller';
import type { TestApp } from './app';
import type { Client } from './client';
import { inLanes } from './load';

type Row = Record<string, string | number | null>;

const CALLER: Caller = { actor: 'ada', tokenId: 0, scope: 'write', clientKey: 'test' };

/** Inserts rows without the API: fast, and without events. */
export async function insertRows(
  { app }: Pick<TestApp, 'app'>,
  table: string,
  count: number,
  row: (i: number) => Row,
): Promise<void> {
  const rows = function* (): Iterable<Row> {
    for (let i = 0; i < count; i += 1) yield row(i);
  };
  await app.get(UnitOfWork).run(CALLER, (change) => change.insertMany(table, rows()));
}

export const CREATED = '2026-11-21 12:00:00.000';

/** Returns a row of `stories` in a backlog. */
export const storyRow = (boardId: number, i: number, rest: Row = {}): Row => ({
  board_id: boardId,
  title: `Story ${i}`,
  description: null,
  seq: i + 1,
  status: 'todo',
  labels: '[]',
  search: `STORY ${i}`,
  created_at: CREATED,
  updated_at: CREATED,
  version: 1,
  ...rest,
});

/** Inserts stories with the seq 1, 2, 3, … into the empty backlog of a board. */
export async function fillBacklog(
  service: TestApp,
  boardPath: string,
  count: number,
  rest: Row = {},
): Promise<void> {
  const { body } = await service.client.get(boardPath);
  await insertRows(service, 'stories', count, (i) => storyRow(body.id as number, i, rest));
}

/** Appends a `story.updated` event for each story of a board that `fillBacklog` has filled. */
export async function fillLog(
  service: TestApp,
  boardPath: string,
  count: number,
  after: object,
): Promise<void> {
  const { body } = await service.client.get(boardPath);
  const { id: boardId, revision } = body as { id: number; revision: number };
  await insertRows(service, 'events', count, (i) => ({
    board_id: boardId,
    revision: revision + i + 1,
    type: 'story.updated',
    at: CREATED,
    actor: 'ada',
    entity: 'story',
    entity_id: i + 1,
    entity_version: 2,
    sprint_id: null,
    before: '{}',
    after: JSON.stringify(after),
  }));
  await service.app
    .get(UnitOfWork)
    .run(CALLER, (change) => change.update('boards', boardId, { revision: revision + count }));
}

/** Creates stories through the API, 50 at a time. @param path path of their list */
export async function postStories(
  client: Client,
  path: string,
  count: number,
  rest: object = {},
): Promise<void> {
  await inLanes(count, 50, async (i) => {
    const { status, text } = await client.post(path, { title: `Story ${i}`, ...rest });
    if (status !== 201) throw new Error(`${status} ${text}`);
  });
}
