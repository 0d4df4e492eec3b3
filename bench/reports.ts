// How long a sprint's report and burndown take, and whether a long log slows them:
// `tsx bench/reports.ts [sqlite|mysql] [EVENTS]`, after a build.
import { EVENT_COLUMNS } from './dataset';
import { median, table } from './report';
import { Service } from './service';
import type { EngineName, Store, Value } from './store';
import { openServer } from './store';

const STORIES = 500;
/** Of the sprint: one that makes each story, and others that change it. */
const EVENTS = 5000;
const ASKS = 40;

const day = (offset: number): string =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const AT = `${day(-5)} 09:00:00.000`;

/** What happens to stories: each is made and then changed; the revision counts on from `after`. */
function* happenings(
  board: number,
  sprint: number | null,
  { firstStory, stories, count, after }: Record<string, number> & { after: number },
): Generator<Value[]> {
  for (let i = 0; i < (count ?? 0); i += 1) {
    const story = (firstStory ?? 0) + (i % (stories ?? 1));
    const version = 1 + Math.floor(i / (stories ?? 1));
    const common = [board, after + i + 1];
    const where = [sprint, version === 1 ? null : sprint];
    const title = `Users can reset the password of account ${story}`;
    if (version === 1) {
      const made = {
        ...{ id: story, board_name: 'Log', sprint_id: sprint, title },
        description: `As a user who forgot the password I want a mail with a link, case ${story}.`,
        ...{ seq: story, priority: 2, status: 'todo', points: 3, assignee: 'ada', labels: [] },
        ...{ external_id: null, created_at: AT, updated_at: AT, done_at: null, version },
      };
      const after = JSON.stringify(made);
      yield [...common, 'story.created', AT, 'ada', 'story', story, 1, ...where, null, after];
      continue;
    }
    const points = version % 2 === 0;
    const [before, now] = points
      ? [{ points: 3 }, { points: version % 8 }]
      : [{ status: 'todo' }, { status: version % 3 === 0 ? 'done' : 'in_progress' }];
    const texts = [before, { ...now, version }].map((members) => JSON.stringify(members));
    yield [...common, 'story.updated', AT, 'ada', 'story', story, version, ...where, ...texts];
  }
}

/** Stories of the backlog that gave way to others; events that are about the board as a list. */
function* shifts(board: number, after: number, count: number): Generator<Value[]> {
  for (let i = 1; i <= count; i += 1) {
    const told = '{"first":{"id":1,"seq":1},"last":{"id":9,"seq":9}}';
    yield [
      board,
      after + i,
      'stories.shifted',
      AT,
      'ada',
      'board',
      board,
      0,
      null,
      null,
      told,
      told,
    ];
  }
}

/** The time and, of it, the time of the service's processor, for one request at a time. */
async function measure(service: Service, paths: string[]): Promise<string[]> {
  const results: string[] = [];
  for (const path of paths) {
    const times: number[] = [];
    const processor = service.processor();
    for (let i = 0; i < ASKS; i += 1) {
      const begin = performance.now();
      const answer = await fetch(service.url + path);
      await answer.text();
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
      times.push(performance.now() - begin);
    }
    const spent = (service.processor() - processor) / ASKS / 1000;
    results.push(`${median(times).toFixed(1)} ms`, `${spent.toFixed(1)} ms`);
  }
  return results;
}

async function run(engine: EngineName, most: number): Promise<void> {
  const server = await openServer(engine);
  const store = await server.create('sprintline_bench_reports');
  const service = await Service.ours(store);
  try {
    const sprint = (await (
      await fetch(`${service.url}/api/boards/Log/sprints`, {
        method: 'POST',
        body: new URLSearchParams({ start_date: day(-6), end_date: day(7) }),
      })
    ).json()) as { id: number };
    const [board] = await store.query<{ id: number; revision: number }>(
      'SELECT id, revision FROM boards',
    );
    if (!board) throw new Error('the board is not there');
    let revision = board.revision;
    const add = async (rows: Iterable<Value[]>, count: number): Promise<void> => {
      await store.insert('events', EVENT_COLUMNS, rows);
      revision += count;
      await store.run('UPDATE boards SET revision = ?', [revision]);
    };
    const of = { firstStory: 1, stories: STORIES, count: EVENTS, after: revision };
    await add(happenings(board.id, sprint.id, of), EVENTS);
    const paths = ['report', 'burndown'].map((what) => `/api/sprints/${sprint.id}/${what}`);
    const row = async (): Promise<string[]> => [
      String(revision),
      ...(await measure(service, paths)),
    ];
    await measure(service, paths);
    const rows = [await row()];
    // Half of the rest is what happened to other stories, ten times to each; half are shifts.
    const rest = Math.ceil((most - revision) / 2);
    const others = { firstStory: 1_000_000, stories: Math.ceil(rest / 10), count: rest };
    await add(happenings(board.id, null, { ...others, after: revision }), rest);
    await add(shifts(board.id, revision, rest), rest);
    rows.push(await row());
    console.log(`\n${await store.version()}, ${STORIES} stories, ${EVENTS} events in the sprint\n`);
    console.log(table(['events of the board', 'report', 'cpu', 'burndown', 'cpu'], rows));
    await thousandYears(service, store);
  } finally {
    await service.stop();
    await store.drop();
    await server.close();
  }
}

/** A sprint of the year 1000 that never ends has a row for each day since. */
async function thousandYears(service: Service, store: Store): Promise<void> {
  const body = new URLSearchParams({ start_date: '1000-01-01' });
  const answer = await fetch(`${service.url}/api/boards/Long/sprints`, { method: 'POST', body });
  const { id } = (await answer.json()) as { id: number };
  const before = service.memory().now;
  const rows: string[][] = [];
  for (const [format, times] of [
    ['json', 1],
    ['csv', 1],
    ['svg', 1],
    ['json', 8],
  ] as const) {
    const begin = performance.now();
    const sizes = await Promise.all(
      Array.from({ length: times }, async () => {
        const asked = await fetch(`${service.url}/api/sprints/${id}/burndown?format=${format}`);
        let size = 0;
        for await (const piece of asked.body ?? []) size += (piece as Uint8Array).length;
        return asked.ok ? size : 0;
      }),
    );
    const answered = sizes.filter((size) => size > 0);
    const took = performance.now() - begin;
    rows.push([
      `${answered.length} of ${times} × ${format}`,
      `${((answered[0] ?? 0) / 2 ** 20).toFixed(1)} MiB`,
      `${took.toFixed(0)} ms`,
      `${service.memory().peak.toFixed(0)} MiB`,
    ]);
  }
  console.log(
    `\nA sprint since the year 1000; before it ${before.toFixed(0)} MiB (${store.engine})\n`,
  );
  console.log(table(['answers', 'size', 'time', 'peak memory'], rows));
}

const [engine = 'sqlite', most = '1000000'] = process.argv.slice(2);
run(engine as EngineName, Number(most)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
