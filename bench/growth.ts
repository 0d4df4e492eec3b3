import type { Board } from './data';
import { fill } from './data';
import type { Database } from './database';
import type { Request } from './load';
import { Client } from './load';
import { median, ms, printTable } from './print';
import { migrate, startService } from './service';

/** The factor by which an operation may take longer on the large board. */
const LIMIT = 1.3;

/** The resource of a request, if `before` created or found it. */
interface Subject {
  id: number;
  path?: string;
}

interface Operation {
  title: string;
  /** Runs before the request; its time does not count. */
  before?: (client: Client, board: Board, i: number) => Promise<Subject>;
  request: (board: Board, i: number, subject: Subject) => Request;
  /** The reason why its time may grow. */
  grows?: string;
}

const read = (title: string, path: (board: Board, i: number) => string): Operation => ({
  title,
  request: (board, i) => ({ path: path(board, i) }),
});

const write = (
  title: string,
  request: (board: Board, i: number, id: number) => [Request['method'], string, object?],
  before?: Operation['before'],
): Operation => ({
  title,
  before,
  request: (board, i, { id }) => {
    const [method, path, body] = request(board, i, id);
    return { method, path, body };
  },
});

const STORY = { title: 'Users can invite a colleague', points: 3, labels: ['api'] };

const createStory: Operation['before'] = (client, { path }) =>
  client.call({ method: 'POST', path: `${path}/backlog`, body: STORY });

const createSprint: Operation['before'] = async (client, { path }) => {
  const body = { start_date: '2020-01-06' };
  const sprint = await client.call({ method: 'POST', path: `${path}/sprints`, body });
  for (let i = 0; i < 5; i += 1) {
    await client.call({ method: 'POST', path: `/api/sprints/${sprint.id}/stories`, body: STORY });
  }
  return sprint;
};

/** Changes the board, so that responses that are cached for its revision are outdated. */
const touch: Operation['before'] = (client, board, i) =>
  client.call({
    method: 'PUT',
    path: `/api/stories/${board.backlogStory(0)}`,
    body: { title: `Draft ${i}` },
  });

const middles = new Map<Board, Promise<string>>();

/** The page in the middle of the backlog, found once by following the links of pages of 1,000. */
const middle: Operation['before'] = async (client, board) => {
  const find = async (): Promise<string> => {
    let path = `${board.path}/backlog?limit=1000`;
    for (let i = 0; i < board.plan.backlog / 2; i += 1000) {
      const { link } = (await client.send({ path })).headers;
      path = /<([^>]*)>/.exec(String(link))?.[1] ?? path;
    }
    return path.replace('limit=1000', 'limit=50');
  };
  if (!middles.has(board)) middles.set(board, find());
  return { id: 0, path: await middles.get(board) };
};

const story = (board: Board, i: number): string => `/api/stories/${board.backlogStory(i)}`;
const stories = (query: string) => (board: Board) => `${board.path}/stories?limit=50&${query}`;
const twenty = (story: (k: number) => number): object => ({
  story_ids: Array.from({ length: 20 }, (_, k) => story(k)),
  position: 'first',
});

const OPERATIONS: Operation[] = [
  read('show a board', ({ path }) => path),
  read('show a story', story),
  read('history of a story', (board, i) => `${story(board, i)}/history`),
  read('show a task', (board, i) => `/api/tasks/${board.task(i)}`),
  read('sprints, a page', ({ path }) => `${path}/sprints?limit=10`),
  read('sprint in full, unchanged', ({ path }) => `${path}/sprints/current`),
  {
    ...read('sprint in full, after a change', ({ path }) => `${path}/sprints/current`),
    before: touch,
  },
  read('stories of a sprint', ({ current }) => `/api/sprints/${current}/stories`),
  read('backlog, first page', ({ path }) => `${path}/backlog?limit=50`),
  {
    title: 'backlog, a page in the middle',
    before: middle,
    request: (_board, _i, { path = '' }) => ({ path }),
  },
  read('stories of the board, first page', stories('')),
  read('… with a status', stories('status=done')),
  read('… of an assignee', stories('assignee=ada')),
  read('… with a label', stories('label=api')),
  read('… with an external id', (board, i) => stories(`external_id=EXT-${i}`)(board)),
  {
    ...read('… of an assignee without stories', stories('assignee=zoe')),
    grows: 'reads the whole board',
  },
  read('events, the last 50', (board) => `${board.path}/events?limit=50&after=${board.planned}`),
  read('report of a sprint', ({ current }) => `/api/sprints/${current}/report`),
  read('burndown of a sprint', ({ current }) => `/api/sprints/${current}/burndown`),
  read('velocity', ({ path }) => `${path}/velocity?last=5`),
  read('forecast of 100 stories', ({ path }) => `${path}/forecast?stories=100&trials=100`),
  write('create a story in a sprint', ({ current }) => [
    'POST',
    `/api/sprints/${current + 1}/stories`,
    STORY,
  ]),
  write('create a story in the backlog', ({ path }) => ['POST', `${path}/backlog`, STORY]),
  write('update a story', (board, i) => ['PUT', story(board, i), { title: `Draft ${i} of it` }]),
  write(
    'move a story to a sprint',
    ({ current }, _i, id) => ['PUT', `/api/stories/${id}`, { sprint_id: current + 1 }],
    createStory,
  ),
  write('delete a story', (_board, _i, id) => ['DELETE', `/api/stories/${id}`], createStory),
  write('move a story to the top', (board, i) => [
    'POST',
    `${story(board, 3 * i)}/move`,
    { position: 'first' },
  ]),
  write('move a story after another', (board, i) => [
    'POST',
    `${story(board, 3 * i)}/move`,
    { position: { after: board.backlogStory(3 * i + 1) } },
  ]),
  write('move 20 neighbours to the top', (board, i) => [
    'POST',
    `${board.path}/stories/move`,
    twenty((k) => board.backlogStory(i, k)),
  ]),
  {
    ...write('move 20 scattered stories to the top', (board, i) => [
      'POST',
      `${board.path}/stories/move`,
      twenty((k) => board.backlogStory(20 * i + k)),
    ]),
    grows: 'on a large board each story is in another page',
  },
  write('create a task', (board, i) => [
    'POST',
    `/api/stories/${board.sprintStory(i)}/tasks`,
    { title: 'One more step' },
  ]),
  write('update a task', (board, i) => [
    'PUT',
    `/api/tasks/${board.task(i)}`,
    { title: `Draft ${i}` },
  ]),
  write('create a sprint', ({ path }) => ['POST', `${path}/sprints`, { start_date: '2020-01-06' }]),
  write('update a sprint', ({ current }, i) => [
    'PUT',
    `/api/sprints/${current}`,
    { goal: `Goal ${i}` },
  ]),
  write(
    'complete a sprint of 5 stories',
    (_board, _i, id) => ['POST', `/api/sprints/${id}/complete`, {}],
    createSprint,
  ),
];

/** Compares the latencies of operations on a small and on a large board, one request at a time. */
export async function measureGrowth(database: Database, quick: boolean): Promise<void> {
  await migrate(database);
  const sizes = quick ? ['1,000', '5,000'] : ['1,000', '1,000,000'];
  const [small, large] = (await fill(database, [
    { name: 'Small', sprints: 10, backlog: 500 },
    {
      name: 'Large',
      ...(quick ? { sprints: 20, backlog: 4000 } : { sprints: 1000, backlog: 950_000 }),
    },
  ])) as [Board, Board];
  const service = await startService(database);
  const client = new Client(service.url);
  try {
    const rows: string[][] = [];
    for (const one of OPERATIONS) {
      const times = new Map<Board, number[]>([
        [small, []],
        [large, []],
      ]);
      const rounds = quick ? 5 : one.grows ? 10 : 100;
      for (let i = -rounds / 5; i < rounds; i += 1) {
        for (const board of i % 2 ? [small, large] : [large, small]) {
          const n = i + rounds;
          const subject = (await one.before?.(client, board, n)) ?? { id: 0 };
          const request = one.request(board, n, subject);
          const answer = await client.send(request);
          if (answer.status >= 300)
            throw new Error(`${one.title}: ${answer.status} ${answer.text}`);
          if (i >= 0) times.get(board)?.push(answer.ms);
        }
      }
      const [a, b] = [small, large].map((board) => median(times.get(board) ?? [])) as [
        number,
        number,
      ];
      rows.push([one.title, ms(a), ms(b), (b / a).toFixed(2), one.grows ?? `≤ ${LIMIT}`]);
      console.error(rows.at(-1)?.slice(0, 4).join('  '));
    }
    printTable(
      `${await database.version()}, latency as a board grows, one request at a time`,
      ['', `${sizes[0]} stories`, `${sizes[1]} stories`, 'ratio', 'limit'],
      rows,
    );
  } finally {
    client.close();
    await service.stop();
  }
}
