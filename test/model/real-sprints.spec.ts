import { Agent } from 'node:http';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { scale } from '../support/faults';
import { send } from '../support/http';
import { asRestored, everythingOf } from '../support/same-board';
import type { Moment, Operation, RealSprint } from '../unit/reports/real-sprints';
import {
  expectPublished,
  operations,
  realSprints,
  withRealSprints,
} from '../unit/reports/real-sprints';

const START = '2026-03-02';
/** Number of concurrent requests, each for a different board. */
const CONCURRENCY = 8;
/** Step between the published sprints that are tested; REAL_SPRINTS=all tests all of them. */
const STRIDE = process.env.REAL_SPRINTS === 'all' ? 1 : scale(40, 4);

withRealSprints('real sprints, replayed over HTTP', () => {
  let service: TestApp;
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(async () => {
    agent.destroy();
    await service.close();
  });

  async function call(method: string, path: string, body?: object): Promise<any> {
    const { status, text } = await send(service.url + path, {
      method,
      agent,
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (status >= 300) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${text}`);
    return JSON.parse(text);
  }

  /** A published sprint on its own board, and the sprint of another board to which stories move. */
  class SprintReplay {
    private readonly board: string;
    private readonly stories = new Map<string, number>();
    private readonly seen: Moment[] = [];
    private sprint = 0;

    constructor(
      readonly real: RealSprint,
      private readonly otherSprint: number,
    ) {
      this.board = `/api/boards/${real.board}-${real.sprint}`;
    }

    async perform(operation: Operation): Promise<void> {
      const story = 'story' in operation ? this.stories.get(operation.story) : undefined;
      switch (operation.do) {
        case 'create_sprint': {
          const { start_date, end_date } = operation;
          const made = await call('POST', `${this.board}/sprints`, { start_date, end_date });
          this.sprint = made.id;
          break;
        }
        case 'start_sprint':
          await call('POST', `/api/sprints/${this.sprint}/start`, {});
          break;
        case 'create_story': {
          const { story: title, points } = operation;
          const list =
            operation.in === 'sprint'
              ? `/api/sprints/${this.sprint}/stories`
              : `${this.board}/backlog`;
          this.stories.set(title, (await call('POST', list, { title, points })).id);
          break;
        }
        case 'update_story': {
          const { points, status } = operation;
          await call('PUT', `/api/stories/${story}`, { points, status });
          break;
        }
        case 'move_story': {
          const places = { sprint: this.sprint, backlog: null, other_board: this.otherSprint };
          await call('POST', `/api/stories/${story}/move`, { sprint_id: places[operation.to] });
          break;
        }
        case 'delete_story':
          await call('DELETE', `/api/stories/${story}`);
          break;
        case 'compare':
          this.seen.push(operation.moment);
          await this.look();
      }
    }

    private async look(): Promise<void> {
      const report = await call('GET', `/api/sprints/${this.sprint}/report`);
      const { days } = await call('GET', `/api/sprints/${this.sprint}/burndown`);
      expectPublished(report, days, this.seen, this.real, START);
    }
  }

  it('have the published reports at every moment', async () => {
    service.clock.set('2026-03-01T00:00:00.000Z');
    const otherSprints: number[] = [];
    for (let i = 0; i < CONCURRENCY; i += 1) {
      const path = `/api/boards/abroad-${i}/sprints`;
      otherSprints.push((await call('POST', path, { start_date: START })).id);
    }
    const replays = realSprints()
      .filter((_, i) => i % STRIDE === 0)
      .map((real, i) => new SprintReplay(real, otherSprints[i % CONCURRENCY] as number));
    // All boards share one clock, so it advances only after all operations of an instant.
    const instants = new Map<string, Map<SprintReplay, Operation[]>>();
    for (const replay of replays) {
      for (const operation of operations(replay.real, START)) {
        const instant = instants.get(operation.at) ?? new Map<SprintReplay, Operation[]>();
        instants.set(operation.at, instant);
        instant.set(replay, [...(instant.get(replay) ?? []), operation]);
      }
    }
    for (const at of [...instants.keys()].sort()) {
      service.clock.set(at);
      const waiting = [...(instants.get(at) as Map<SprintReplay, Operation[]>)];
      const worker = async (): Promise<void> => {
        for (let next = waiting.pop(); next; next = waiting.pop()) {
          const [replay, todo] = next;
          for (const operation of todo) await replay.perform(operation);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    }
    expect.assertions(replays.length * 4 * 2);
  }, 600_000);

  it('have the same reports and exports after a restore', async () => {
    const { client } = service;
    const chosen = realSprints().filter((_, i) => i % (2 * STRIDE) === 0);
    expect(chosen.length).toBeGreaterThan(2);
    for (const { board, sprint } of chosen) {
      const [name, other] = [`${board}-${sprint}`, `${board}-${sprint}-restored`];
      const path = `/api/boards/${other}`;
      const file = (await client.get(`/api/boards/${name}/export?log=true`)).text;
      const answer = await client.post(`${path}/import`, undefined, {
        raw: file,
        headers: { 'content-type': 'application/x-ndjson' },
      });
      expect([name, answer.status]).toEqual([name, 200]);
      const [before, after] = [await everythingOf(client, name), await everythingOf(client, other)];
      expect(after).toEqual(asRestored(before, after));
      const again = (await client.get(`${path}/export?log=true`)).text;
      expect(withoutIds(again.replaceAll(other, name))).toEqual(withoutIds(file));
    }
  }, 600_000);
});

/** Returns the lines of an export without ids and without the last line, which has the checksum. */
const withoutIds = (file: string): string[] =>
  file
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(/("(\w+_)?id":|:\[)\d+/g, '$1'));
