import type { Page } from 'playwright-core';
import type { Answer, Client } from '../support/client';
import { createDatabase } from '../support/databases';
import { Stream } from '../support/event-stream';
import { afterwards } from '../support/faults';
import { made2xx } from '../support/make';
import { Program } from '../support/program';
import { card, openPage, settled, startService } from './browser';

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

/** Opens a stream of the board. The service sends each event to it and to the stream of a page at the same time. */
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

/** Opens the story of a card in “To do”. */
export async function openStory(page: Page, title: string) {
  await card(page, 'To do', title).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'History' }).waitFor();
  return dialog;
}

/** Creates a planned sprint after the current one. */
export const createNextSprint = async ({ client }: SmallBoard): Promise<{ id: number }> =>
  (await client.post('/api/boards/rocket/sprints', { name: 'Sprint 2', start_date: day(11) })).body;

/** The expression that reads a field of a story from the service. */
export const fieldOf = (id: number | undefined, name: string) =>
  `fetch('/api/stories/${id}').then((response) => response.json()).then((story) => story.${name})`;

/** The expression that reads the titles of a sprint from the service: `Ant,Bee`. */
export const titlesOf = (sprint: number) =>
  `fetch('/api/sprints/${sprint}/stories').then((response) => response.json())
     .then((stories) => stories.map(({ title }) => title).join())`;

/** Opens the story Ant, which has the task “Dig a well”. */
export async function openTask(board: SmallBoard) {
  const { body } = await board.client.post(`/api/stories/${board.ids.Ant}/tasks`, {
    title: 'Dig a well',
  });
  const page = await openPage(board.url);
  const dialog = await openStory(page, 'Ant');
  const field = dialog.getByLabel('Title of the task');
  return {
    id: body.id as number,
    page,
    dialog,
    field,
    /** Types a new title. */
    rename: async (from: string, to: string) => {
      await dialog.getByRole('button', { name: `Rename task ${from}`, exact: true }).click();
      await field.fill(to);
    },
    /** The expression that reads a field of the task from the service. */
    task: (name: string) =>
      `fetch('/api/tasks/${body.id}').then((response) => response.json()).then((task) => task.${name})`,
  };
}
