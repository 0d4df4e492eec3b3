import type { Page } from 'playwright-core';
import type { Answer, Client } from '../support/client';
import { createDatabase } from '../support/databases';
import { Stream } from '../support/event-stream';
import { afterwards } from '../support/faults';
import { made2xx } from '../support/make';
import { Program } from '../support/program';
import { settled, startService } from './browser';

const DAY = 86_400_000;
export const day = (offset: number): string =>
  new Date(Date.now() + offset * DAY).toISOString().slice(0, 10);

/** The expression with which a page reads a field of the stories of the backlog: `Ant,Bee`. */
export const fieldOfBacklog = (field: string): string =>
  `fetch('/api/boards/rocket/backlog').then((response) => response.json())
    .then((stories) => stories.map((story) => story.${field}).join())`;

export const titlesOfBacklog = fieldOfBacklog('title');

type Story = string | { title: string; [field: string]: unknown };

const STORIES = ['Ant', 'Bee', 'Cat', 'Dog'];

/** The board “rocket” with an active sprint. */
export interface SmallBoard {
  client: Client;
  /** The address of the board. */
  url: string;
  sprint: number;
  /** The ids of the stories by their titles. */
  ids: Record<string, number>;
  story(title: string): Promise<any>;
}

/** The board of a service that can be killed and started again at the same address. */
export interface KillableBoard extends SmallBoard {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Opens a stream of the board, which gets each event at the same time as that of a page. */
export async function openStream({ client }: { client: Client }): Promise<Stream> {
  const stream = await Stream.open(`${client.url}/api/boards/rocket/stream`);
  afterwards(() => stream.close());
  return stream;
}

/** The revision of the board after a response. */
export const revisionOf = ({ headers }: Pick<Answer, 'headers'>): number =>
  Number(headers.get('x-board-revision'));

let goals = 0;

/** Waits until a page with the live stream has received all events of the board, and has drawn the result. */
export async function caughtUp(page: Page, { client, sprint }: SmallBoard): Promise<void> {
  const goal = `Goal ${++goals}`;
  await client.put(`/api/sprints/${sprint}`, { goal });
  await page.getByText(goal, { exact: true }).waitFor();
  await settled(page);
}

/** Starts a service with a board whose sprint has these stories. */
export async function startSmallBoard(stories: Story[] = STORIES): Promise<SmallBoard> {
  return fill(await startService(), stories);
}

/** Starts the built program with a board whose sprint has these stories. */
export async function startKillableBoard(stories: Story[] = STORIES): Promise<KillableBoard> {
  const database = await createDatabase('sqlite');
  afterwards(() => database.drop());
  let program = await Program.start(database);
  const { port } = program;
  return {
    ...(await fill(program, stories)),
    kill: async () => void (await program.end('SIGKILL')),
    restart: async () => void (program = await Program.start(database, { port })),
  };
}

async function fill(
  { client, url }: { client: Client; url: string },
  stories: Story[],
): Promise<SmallBoard> {
  const sprint = await made2xx(
    client.post('/api/boards/rocket/sprints', {
      name: 'Sprint 1',
      start_date: day(-3),
      end_date: day(10),
    }),
  );
  const ids: Record<string, number> = {};
  for (const each of stories) {
    const story = typeof each === 'string' ? { title: each } : each;
    const made = await made2xx(client.post(`/api/sprints/${sprint.id}/stories`, story));
    ids[story.title] = made.id;
  }
  return {
    client,
    url: `${url}/b/rocket`,
    sprint: sprint.id,
    ids,
    story: async (title) => (await client.get(`/api/stories/${ids[title]}`)).body,
  };
}
