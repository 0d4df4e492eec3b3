import { StoryImportService } from '../../src/stories/story-import.service';
import { UnitOfWork } from '../../src/database/unit-of-work';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { made2xx, Workspace } from '../support/make';
import { requireTotals } from '../support/totals';

let service: TestApp;
let board: Workspace;
beforeAll(async () => (service = await startApp({ raw: true })));
afterAll(() => service.close());
beforeEach(async () => (board = await Workspace.create(service.client)));

interface Backlog {
  count: number;
  points: number;
}

/** A board with enough of a past for a forecast. */
async function withPast(): Promise<Workspace> {
  for (const day of ['05', '06', '07']) {
    const sprint = await board.sprint(`2026-01-${day}`, { end_date: `2026-01-${day}` });
    await board.story(sprint, { status: 'done', points: 2 });
    await made2xx(service.client.post(`/api/sprints/${sprint.id}/complete`));
  }
  return board;
}

const foretold = async (of = board): Promise<Backlog> =>
  (await made2xx(service.client.get(`${of.path}/forecast?stories=1`))).backlog;

/** Writes to boards past the service, as an earlier version of it would, which knows no totals. */
const write = (set: string): Promise<unknown> =>
  service.app
    .get(UnitOfWork)
    .maintain((writer) => writer.run(`UPDATE boards SET ${set} WHERE name = ?`, [board.name]));

it('are true after every kind of change', async () => {
  const { client } = service;
  await withPast();
  const other = await Workspace.create(client);
  const there = await other.sprint('2026-11-02');
  const [first, second] = [await board.sprint('2026-11-02'), await board.sprint('2026-11-16')];
  const changes: [what: string, change: () => Promise<unknown>, backlog: Backlog][] = [];
  const story: Record<string, { id: number }> = {};
  const put = (name: string, body: object) => () =>
    made2xx(client.put(`/api/stories/${story[name]?.id}`, body));
  const make = (name: string, body: object) => async () => {
    story[name] = await board.story(null, body);
  };
  const together = (names: string[], body: object) => () =>
    made2xx(
      client.post(`${board.path}/stories/move`, {
        story_ids: names.map((name) => story[name]?.id),
        ...body,
      }),
    );
  const add = (what: string, change: () => Promise<unknown>, count: number, points: number) =>
    changes.push([what, change, { count, points }]);
  add('a story', make('a', { points: 0.1 }), 1, 0.1);
  add('another', make('b', { points: 0.2 }), 2, 0.3);
  add('one without points', make('c', {}), 3, 0.3);
  add('one that is done', make('d', { status: 'done', points: 5 }), 3, 0.3);
  add('one of a sprint', () => board.story(first, { points: 8 }), 3, 0.3);
  add('other points', put('a', { points: 3.25 }), 3, 3.45);
  add('no points', put('b', { points: null }), 3, 3.25);
  add('points for the first time', put('c', { points: 1 }), 3, 4.25);
  add('another title', put('a', { title: 'Another' }), 3, 4.25);
  add('done', put('a', { status: 'done' }), 2, 1);
  add('not done', put('a', { status: 'in_progress' }), 3, 4.25);
  add('points of one that is done', put('d', { points: 6 }), 3, 4.25);
  add('into a sprint', put('a', { sprint_id: first.id }), 2, 1);
  add('points of one in a sprint', put('a', { points: 3 }), 2, 1);
  add('back, with other points', put('a', { sprint_id: null, points: 2 }), 3, 3);
  add('to the top', together(['c', 'b'], { position: 'first' }), 3, 3);
  add('together into a sprint', together(['a', 'c'], { sprint_id: first.id }), 1, 0);
  add('together to another board', together(['b', 'c'], { sprint_id: there.id }), 0, 0);
  add('together back', together(['a'], { sprint_id: null }), 1, 2);
  add('into a sprint again', put('a', { sprint_id: first.id }), 0, 0);
  const complete = (body: object) => () =>
    made2xx(client.post(`/api/sprints/${first.id}/complete`, body));
  add('a rehearsal', complete({ unfinished: 'backlog', dry_run: true }), 0, 0);
  add('the sprint completed', complete({ unfinished: 'backlog' }), 2, 10);
  add('its story done', put('a', { status: 'done' }), 1, 8);
  add('into the next', put('a', { sprint_id: second.id, status: 'todo', points: 4 }), 1, 8);
  add('that deleted', () => made2xx(client.delete(`/api/sprints/${second.id}`)), 2, 12);
  add('a story deleted', async () => made2xx(client.delete(`/api/stories/${story.a?.id}`)), 1, 8);
  const load = (update: boolean, points: number) => () =>
    service.app
      .get(StoryImportService)
      .load({ actor: 'operator' }, board.name, [{ title: 'Imported', external_id: 'X', points }], {
        update,
      });
  add('an import', load(false, 1), 2, 9);
  add('an import that changes', load(true, 2.5), 2, 10.5);
  add(
    'a refused change',
    async () => client.put(`/api/stories/${story.d?.id}`, { points: -1 }),
    2,
    10.5,
  );
  add('the board changed', () => made2xx(client.put(board.path, { time_zone: 'UTC' })), 2, 10.5);

  for (const [what, change, backlog] of changes) {
    await change();
    expect({ [what]: await foretold() }).toEqual({ [what]: backlog });
    await requireTotals(service);
  }
});

it('are read, not counted', async () => {
  await withPast();
  await board.story(null, { points: 3 });
  await write('backlog_count = 12345, backlog_hundredths = 678');
  expect(await foretold()).toEqual({ count: 12_345, points: 6.78 });
  await made2xx(service.client.delete(`${board.path}?force=true`));
});

it('are counted where an earlier version has changed the board since, and known again after a change', async () => {
  await withPast();
  const story = await board.story(null, { points: 3 });
  await board.story(null, { points: 4 });
  await write('revision = revision + 1, backlog_count = 12345');
  expect(await foretold()).toEqual({ count: 2, points: 7 });
  await expect(requireTotals(service)).rejects.toThrow(/wrong totals/);
  await made2xx(service.client.put(`/api/stories/${story.id}`, { points: 5 }));
  expect(await foretold()).toEqual({ count: 2, points: 9 });
  await requireTotals(service);
});

it('are counted on a board of which nothing is known', async () => {
  await withPast();
  await board.story(null, { points: 3 });
  await write('backlog_revision = NULL, backlog_count = 0');
  expect(await foretold()).toEqual({ count: 1, points: 3 });
  await board.story(null, {});
  expect(await foretold()).toEqual({ count: 2, points: 3 });
  await requireTotals(service);
});

it('are right when many change the same board at once', async () => {
  await withPast();
  const sprint = await board.sprint('2026-11-02');
  const stories = await Promise.all(
    Array.from({ length: 24 }, (_, i) => board.story(null, { points: i / 4 })),
  );
  const calls = stories.flatMap(({ id }, i) => [
    service.client.put(`/api/stories/${id}`, { points: (i % 7) / 2 }),
    service.client.post(`/api/stories/${id}/move`, { sprint_id: i % 2 ? sprint.id : null }),
    service.client.put(`/api/stories/${id}`, { status: i % 3 ? 'todo' : 'done' }),
    service.client.put(`/api/stories/${id}`, { status: 'unheard of' }),
  ]);
  const answers = await Promise.all(calls);
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(3 * stories.length);
  await requireTotals(service);
  const left: { status: string; points: number }[] = await made2xx(
    service.client.get(`${board.path}/backlog`),
  );
  const waiting = left.filter(({ status }) => status !== 'done');
  expect(await foretold()).toEqual({
    count: waiting.length,
    points: waiting.reduce((sum, { points }) => sum + points, 0),
  });
});
