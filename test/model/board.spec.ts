import fc from 'fast-check';
import type { TestApp } from '../support/app';
import { useApp } from '../support/app';
import { BatchClient } from '../support/batches';
import type { Answer, Client } from '../support/client';
import { afterwards, scale } from '../support/faults';
import { shownBoard } from '../support/fingerprint';
import { boardPath, freshName } from '../support/make';
import { inOrder, replay } from '../support/replay';

/** Number of histories, of up to 40 commands each. */
const RUNS = Number(process.env.MODEL_RUNS ?? scale(50, 250));

interface Task {
  id: number;
  title: string;
  seq: number;
  status: string;
}
interface Story {
  id: number;
  sprint: Sprint | null;
  title: string;
  seq: number;
  status: string;
  points: number | null;
  external_id: string | null;
  version: number;
  tasks: Task[];
}
interface Sprint {
  id: number;
  start: string;
  end: string | null;
}

/** The simplest model of the documented behaviour of a board. */
class Model {
  today = '2026-11-21';
  sprints: Sprint[] = [];
  stories: Story[] = [];
  /** Whether a request has created the board. */
  exists = false;

  list(sprint: Sprint | null): Story[] {
    return this.stories.filter((story) => story.sprint === sprint).sort(inOrder);
  }

  nextSeq(items: { seq: number }[]): number {
    return items.length === 0 ? 1 : Math.max(...items.map(({ seq }) => seq)) + 1;
  }

  ordered(): Sprint[] {
    return [...this.sprints].sort((a, b) => a.start.localeCompare(b.start) || a.id - b.id);
  }

  state(sprint: Sprint): string {
    if (this.today < sprint.start) return 'planned';
    if (sprint.end !== null) return this.today > sprint.end ? 'ended' : 'active';
    const all = this.ordered();
    const later = all.slice(all.indexOf(sprint) + 1);
    return later.some(({ start }) => start <= this.today) ? 'ended' : 'active';
  }

  named(which: 'current' | 'next' | 'previous'): Sprint | undefined {
    const all = this.ordered();
    const last = (state: string): Sprint | undefined =>
      all.filter((sprint) => this.state(sprint) === state).at(-1);
    const current = last('active') ?? last('ended');
    if (which === 'current') return current;
    // Without a current sprint all sprints are planned, because the commands complete none.
    const i = current ? all.indexOf(current) : -1;
    return which === 'next' ? all[i + 1] : all[i - 1];
  }

  isTaken(externalId: string | null, but?: Story): boolean {
    return (
      externalId !== null &&
      this.stories.some((story) => story !== but && story.external_id === externalId)
    );
  }
}

interface Real {
  service: TestApp;
  /** The path of the board. */
  path: string;
}

type Act = (model: Model, real: Real) => Promise<void>;

/** A command that is valid in every state; it does nothing if the model has no resource for it. */
class Command implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly text: string,
    private readonly act: Act,
  ) {}

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): Promise<void> {
    return this.act(model, real);
  }

  toString(): string {
    return this.text;
  }
}

const command = <T>(
  name: string,
  arbitrary: fc.Arbitrary<T>,
  act: (drawn: T) => Act,
): fc.Arbitrary<Command> =>
  arbitrary.map((drawn) => new Command(`${name} ${JSON.stringify(drawn)}`, act(drawn)));

/** Picks one of the items by a random number. */
const pick = <T>(items: readonly T[], number: number): T | undefined =>
  items[number % (items.length || 1)];

/** Picks an existing sprint, or null for the backlog. */
const listBy = (model: Model, number: number | null): Sprint | null =>
  (number === null ? undefined : pick(model.sprints, number)) ?? null;

const listPath = (path: string, sprint: Sprint | null): string =>
  sprint ? `/api/sprints/${sprint.id}/stories` : `${path}/backlog`;

function expectRejected(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body.code]).toEqual([status, code]);
}

const shape = ({ sprint, tasks: _, ...story }: Story): object => ({
  ...story,
  sprint_id: sprint?.id ?? null,
});

/** Compares only the order of a list, because the service chooses the `seq` of moved stories. */
async function expectOrder(
  { service, path }: Real,
  sprint: Sprint | null,
  order: Story[],
): Promise<void> {
  const now = (await service.client.get<any[]>(listPath(path, sprint))).body;
  expect(now.map(({ id }) => id as number)).toEqual(order.map(({ id }) => id));
  for (const [i, story] of order.entries()) {
    Object.assign(story, { sprint, seq: now[i].seq, version: now[i].version });
  }
}

const day = fc
  .integer({ min: 1, max: 28 })
  .map((number) => `2026-11-${String(number).padStart(2, '0')}`);
const title = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() !== '' && !text.includes('\0'));
const seq = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(-2147483648, 2147483647) },
);
const status = fc.constantFrom('todo', 'in_progress', 'done');
const points = fc.option(
  fc.integer({ min: 0, max: 100_000 }).map((hundredths) => hundredths / 100),
);
const externalId = fc.option(fc.constantFrom('A', 'a', 'B', 'é', 'e\u0301'));
const nth = fc.nat(1000);

const COMMANDS = [
  command(
    'create sprint',
    fc.tuple(day, fc.option(day)),
    ([start, end]) =>
      async (model, { service, path }) => {
        const answer = await service.client.post(`${path}/sprints`, {
          start_date: start,
          end_date: end,
        });
        if (end !== null && end < start) return expectRejected(answer, 400, 'invalid_request');
        model.exists = true;
        const sprint = { id: answer.body.id as number, start, end };
        model.sprints.push(sprint);
        const state = model.state(sprint);
        expect(answer.body).toMatchObject({ start_date: start, end_date: end, state, version: 1 });
      },
  ),

  command(
    'change sprint',
    fc.tuple(nth, day, fc.option(day)),
    ([n, start, end]) =>
      async (model, { service }) => {
        const sprint = pick(model.sprints, n);
        if (!sprint) return;
        const body = { start_date: start, end_date: end };
        const answer = await service.client.put(`/api/sprints/${sprint.id}`, body);
        if (end !== null && end < start) return expectRejected(answer, 400, 'invalid_request');
        Object.assign(sprint, { start, end });
        expect(answer.body).toMatchObject({ ...body, state: model.state(sprint) });
      },
  ),

  command('delete sprint', nth, (n) => async (model, real) => {
    const sprint = pick(model.sprints, n);
    if (!sprint) return;
    const { id } = sprint;
    const moved = model.list(sprint);
    const order = [...model.list(null), ...moved];
    const answer = await real.service.client.delete(`/api/sprints/${id}`);
    expect(answer.body).toEqual({ deleted: true, id, stories_moved_to_backlog: moved.length });
    model.sprints = model.sprints.filter((other) => other !== sprint);
    await expectOrder(real, null, order);
  }),

  command(
    'create story',
    fc.tuple(fc.option(nth), title, fc.option(seq), externalId, status),
    ([n, text, wanted, external, is]) =>
      async (model, { service, path }) => {
        const sprint = listBy(model, n);
        const body = { title: text, seq: wanted, external_id: external, status: is };
        const answer = await service.client.post(listPath(path, sprint), body);
        const given = wanted ?? model.nextSeq(model.list(sprint));
        if (model.isTaken(external)) return expectRejected(answer, 409, 'external_id_taken');
        if (given > 2147483647) return expectRejected(answer, 409, 'seq_exhausted');
        model.exists = true;
        const id = answer.body.id as number;
        const story = { ...body, id, sprint, seq: given, points: null, version: 1, tasks: [] };
        model.stories.push(story);
        expect(answer.body).toMatchObject(shape(story));
      },
  ),

  command(
    'change story',
    fc.tuple(
      nth,
      fc.record(
        { title, seq, status, points, external_id: externalId, sprint: fc.option(nth) },
        { requiredKeys: [] },
      ),
    ),
    ([n, { sprint: to, ...members }]) =>
      async (model, { service }) => {
        const story = pick(model.stories, n);
        if (!story) return;
        const sprint = to === undefined ? story.sprint : listBy(model, to);
        const body = { ...members, ...(to !== undefined && { sprint_id: sprint?.id ?? null }) };
        const answer = await service.client.put(`/api/stories/${story.id}`, body);
        if (model.isTaken(members.external_id ?? null, story)) {
          return expectRejected(answer, 409, 'external_id_taken');
        }
        const before = JSON.stringify(shape(story));
        Object.assign(story, members, { sprint });
        if (JSON.stringify(shape(story)) !== before) story.version += 1;
        expect(answer.body).toMatchObject(shape(story));
      },
  ),

  command(
    'change story, stale',
    fc.tuple(nth, title),
    ([n, text]) =>
      async (model, { service }) => {
        const story = pick(model.stories, n);
        if (!story) return;
        const body = { title: text, version: story.version + 1 };
        const answer = await service.client.put(`/api/stories/${story.id}`, body);
        expectRejected(answer, 412, 'precondition_failed');
      },
  ),

  command(
    'move story',
    fc.tuple(nth, fc.option(nth), fc.constantFrom('first', 'last')),
    ([n, to, position]) =>
      async (model, real) => {
        const story = pick(model.stories, n);
        if (!story) return;
        const sprint = listBy(model, to);
        const others = model.list(sprint).filter((other) => other !== story);
        const body = { sprint_id: sprint?.id ?? null, position };
        const answer = await real.service.client.post(`/api/stories/${story.id}/move`, body);
        expect([answer.status, answer.body.sprint_id]).toEqual([200, body.sprint_id]);
        await expectOrder(
          real,
          sprint,
          position === 'first' ? [story, ...others] : [...others, story],
        );
      },
  ),

  command('delete story', nth, (n) => async (model, { service }) => {
    const story = pick(model.stories, n);
    if (!story) return;
    const path = `/api/stories/${story.id}`;
    const { id, tasks } = story;
    const answer = await service.client.delete(path);
    expect(answer.body).toEqual({ deleted: true, id, tasks_deleted: tasks.length });
    model.stories = model.stories.filter((other) => other !== story);
    expectRejected(await service.client.delete(path), 404, 'story_not_found');
  }),

  command(
    'create task',
    fc.tuple(nth, title, fc.option(fc.integer({ min: -3, max: 3 }))),
    ([n, text, wanted]) =>
      async (model, { service }) => {
        const story = pick(model.stories, n);
        if (!story) return;
        const body = { title: text, seq: wanted };
        const answer = await service.client.post(`/api/stories/${story.id}/tasks`, body);
        const given = wanted ?? model.nextSeq(story.tasks);
        const task = { id: answer.body.id as number, title: text, seq: given, status: 'todo' };
        story.tasks.push(task);
        expect(answer.body).toMatchObject({ ...task, story_id: story.id, version: 1 });
      },
  ),

  command(
    'change task',
    fc.tuple(nth, title, status),
    ([n, text, is]) =>
      async (model, { service }) => {
        const task = pick(
          model.stories.flatMap(({ tasks }) => tasks),
          n,
        );
        if (!task) return;
        const body = { title: text, status: is };
        const answer = await service.client.patch(`/api/tasks/${task.id}`, body);
        expect(answer.body).toMatchObject(Object.assign(task, body));
        expect(answer.body.done_at === null).toBe(is !== 'done');
      },
  ),

  command('delete task', nth, (n) => async (model, { service }) => {
    const story = pick(
      model.stories.filter(({ tasks }) => tasks.length > 0),
      n,
    );
    const task = story && pick(story.tasks, n);
    if (!task) return;
    const answer = await service.client.delete(`/api/tasks/${task.id}`);
    expect(answer.body).toEqual({ deleted: true, id: task.id });
    story.tasks = story.tasks.filter((other) => other !== task);
  }),

  command('another day', day, (today) => async (model, { service }) => {
    model.today = today;
    service.clock.set(`${today}T12:00:00Z`);
  }),

  command(
    'look at a sprint',
    fc.constantFrom('current' as const, 'next' as const, 'previous' as const),
    (which) =>
      async (model, { service, path }) => {
        const answer = await service.client.get(`${path}/sprints/${which}`);
        const sprint = model.named(which);
        if (!sprint) {
          const code = model.exists ? `no_${which}_sprint` : 'board_not_found';
          return expectRejected(answer, 404, code);
        }
        expect(answer.body).toMatchObject({ id: sprint.id, state: model.state(sprint) });
        const idsOf = (rows: { id: number }[]): number[] => rows.map(({ id }) => id);
        expect(answer.body.stories.map((story: any) => [story.id, idsOf(story.tasks)])).toEqual(
          model.list(sprint).map((story) => [story.id, idsOf(story.tasks.sort(inOrder))]),
        );
      },
  ),
];

describe('a board', () => {
  const service = useApp();

  /** Expects the board to equal the model and the replay of its log. */
  async function expectAlike(model: Model, name: string): Promise<void> {
    const { client } = service;
    if (!model.exists) {
      expectRejected(await client.get(boardPath(name)), 404, 'board_not_found');
      return;
    }
    const shown = await shownBoard(client, name);
    const stories = [...model.stories].sort(inOrder);
    expect(shown.sprints).toMatchObject(
      model.ordered().map((sprint) => ({
        id: sprint.id,
        state: model.state(sprint),
        start_date: sprint.start,
        end_date: sprint.end,
      })),
    );
    expect(shown.stories).toMatchObject(stories.map(shape));
    expect(shown.tasks).toMatchObject(stories.flatMap(({ tasks }) => tasks.sort(inOrder)));
    const log = replay((await client.get<any[]>(`${boardPath(name)}/events`)).body);
    expect(log.board).toEqual(shown.board);
    expect([...log.stories.values()].sort(inOrder)).toEqual(shown.stories);
    expect([...log.tasks.keys()].sort()).toEqual(shown.tasks.map(({ id }) => id as number).sort());
  }

  /** Runs random histories with the client that `clientOf` returns for the path of the board. */
  const expectEqual =
    (runs: number, clientOf: (path: string) => Client): (() => Promise<void>) =>
    async () => {
      const histories = fc.commands(COMMANDS, { maxCommands: 40, size: 'max' });
      await fc.assert(
        fc.asyncProperty(histories, async (commands) => {
          const model = new Model();
          const name = freshName('Model');
          service.clock.set(`${model.today}T12:00:00Z`);
          const path = boardPath(name);
          const setup = (): { model: Model; real: Real } => ({
            model,
            real: { service: { ...service, client: clientOf(path) }, path },
          });
          await fc.asyncModelRun(setup, commands);
          await expectAlike(model, name);
        }),
        { numRuns: runs },
      );
    };

  it(
    `equals a small model after each of ${RUNS} random histories`,
    expectEqual(RUNS, () => service.client),
    60_000 + RUNS * 1000,
  );

  const BATCHED = Math.ceil(RUNS / 5);
  it(
    `equals a small model after each of ${BATCHED} histories of batches, each preceded by its dry run`,
    expectEqual(BATCHED, (path) => {
      const client = new BatchClient(service.url, path);
      afterwards(() => client.close());
      return client;
    }),
    60_000 + RUNS * 1000,
  );
});
