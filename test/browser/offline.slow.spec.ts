import type { Locator, Page } from 'playwright-core';
import {
  card,
  openPage,
  reloadUnasked,
  route,
  settled,
  stayOnReload,
  titles,
  until,
  untilRead,
} from './browser';
import type { SmallBoard } from './small-board';
import {
  day,
  fieldOf,
  openStory,
  startKillableBoard,
  startSmallBoard,
  titlesOfBacklog,
} from './small-board';

const unsaved = (page: Page, count: number): Promise<void> =>
  page
    .getByRole('banner')
    .getByText(`${count} unsaved change${count === 1 ? '' : 's'}`)
    .waitFor();

/** Waits until nothing is unsaved and the stream is open again. */
const saved = async (page: Page): Promise<void> => {
  await page
    .getByRole('banner')
    .getByText(/unsaved change|Connecting/)
    .waitFor({ state: 'detached', timeout: 20_000 });
};

/** The events in the log after the creation of the stories. */
async function log({ client, ids }: SmallBoard): Promise<string[]> {
  const after = 2 + Object.keys(ids).length;
  const { body } = await client.get(`/api/boards/rocket/events?after=${after}&limit=1000`);
  expect(body.map((event: any) => event.revision)).toEqual(
    body.map((_event: any, i: number) => after + 1 + i),
  );
  return body.map(({ type, id, after }: any) => `${type} ${id} ${after?.status ?? ''}`.trim());
}

/** The number of stories that the page has stored for a start without a connection. */
const keptStories = (): Promise<number> =>
  new Promise((resolve) => {
    const request = indexedDB.open('sprintline');
    request.onsuccess = () => {
      const boards = request.result.transaction('boards').objectStore('boards').getAll();
      boards.onsuccess = () => {
        request.result.close();
        resolve(boards.result[0]?.stories.length ?? 0);
      };
    };
  });

/** The names of the boards that the page has stored. */
const keptNames = (): Promise<string> =>
  new Promise((resolve) => {
    const request = indexedDB.open('sprintline');
    // The page creates it.
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onerror = () => resolve('');
    request.onsuccess = () => {
      const keys = request.result.transaction('boards').objectStore('boards').getAllKeys();
      keys.onsuccess = () => {
        request.result.close();
        resolve(keys.result.map((key: any) => key[1]).join());
      };
    };
  });

/** Opens the plan, selects Ant and Cat, and waits until it can be opened without a connection. */
async function openPlan(board: SmallBoard): Promise<Page> {
  const page = await openPage(`${board.url}/backlog`, { serviceWorkers: 'allow' });
  await card(page, 'Sprint 1', 'Ant').focus();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await until(page, keptStories, 4);
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('x');
  await page.getByRole('status').getByText('2 stories selected').waitFor();
  return page;
}

const revisionOf = (): Promise<number> =>
  fetch('/api/boards/rocket').then(
    async (response) => (await response.json()).revision,
    () => 0,
  );

/** Moves Ant to In progress without a connection. */
async function editWithoutConnection(page: Page): Promise<void> {
  await card(page, 'To do', 'Ant').focus();
  await route(page, '**/api/**', (route) => route.abort());
  await page.keyboard.press('2');
  await unsaved(page, 1);
}

async function connect(page: Page): Promise<void> {
  await page.unrouteAll();
  await page.evaluate(() => dispatchEvent(new Event('online')));
}

const conflictOn = (page: Page): Locator =>
  page.getByRole('dialog', { name: 'Your change was not saved' });

/**
 * Moves Ant and Cat to the next sprints and to the backlog without a connection while someone else moves Cat to the
 * last sprint, and opens the reports, which load no stories, with the conflict.
 */
async function moveCatElsewhere() {
  const board = await startKillableBoard();
  const { client, ids } = board;
  const [, elsewhere] = await Promise.all(
    [20, 40].map(async (days) => {
      const sprint = { name: `Sprint in ${days} days`, start_date: day(days) };
      return (await client.post('/api/boards/rocket/sprints', sprint)).body.id as number;
    }),
  );
  const page = await openPlan(board);
  await route(page, '**/api/**', (route) => route.abort());
  await page.keyboard.press('Shift+ArrowRight');
  await card(page, 'Sprint in 20 days', 'Ant').waitFor();
  await page.keyboard.press('Shift+ArrowRight');
  await card(page, 'Sprint in 40 days', 'Ant').waitFor();
  await page.keyboard.press('Shift+ArrowRight');
  await unsaved(page, 3);
  await client.post(`/api/stories/${ids.Cat}/move`, { sprint_id: elsewhere });
  await connect(page);
  const dialog = conflictOn(page);
  await dialog.getByText('Sprint: Sprint 1 → Sprint in 40 days').waitFor();
  await page.goto(`${board.url}/reports`);
  await dialog.getByText('Sprint: Sprint 1 → Sprint in 40 days').waitFor();
  return { board, page, dialog, elsewhere };
}

/**
 * Creates Ant, which was deleted, again, and waits until the service has it with these values. The changes of the
 * conflict are made one after the other, after the creation.
 */
async function createAgain(page: Page, list: string, values: object): Promise<void> {
  await conflictOn(page).getByRole('button', { name: 'Create' }).click();
  await card(page, list, 'Ant').getByText('#3').waitFor();
  const names = JSON.stringify(Object.keys(values));
  const stored = `fetch('/api/stories/3').then(async (response) => JSON.stringify(await response.json(), ${names}))`;
  await until(page, stored, JSON.stringify(values));
}

describe('Without a connection', () => {
  test('keeps the changes, shows them as unsaved in the bar and on the cards, and sends them later in order', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await board.kill();
    await page.keyboard.press('3');
    await card(page, 'Done', 'Ant').waitFor();
    await card(page, 'To do', 'Bee').focus();
    await page.keyboard.press('2');
    await page.keyboard.press('3');
    await unsaved(page, 3);
    await card(page, 'Done', 'Bee').getByText('Unsaved').waitFor();
    await board.restart();
    await saved(page);
    expect(await titles(page, 'Done')).toEqual(['Ant', 'Bee']);
    const { Ant, Bee } = board.ids;
    expect(await log(board)).toEqual([
      `story.updated ${Ant} done`,
      `story.updated ${Bee} in_progress`,
      `story.updated ${Bee} done`,
    ]);
  });

  test('shows a dialog or a view whose script could not be loaded once there is a connection', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await route(page, '**/assets/**', (route) => route.abort());
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('c');
    await dialog.getByRole('alert').getByText('This part could not be loaded.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('2');
    await card(page, 'In progress', 'Ant').waitFor();
    await page.keyboard.press('c');
    await dialog.waitFor();
    await page.unrouteAll();
    await dialog.getByLabel('Title').fill('Eel');
    await page.keyboard.press('Enter');
    await card(page, 'To do', 'Eel').waitFor();
    await route(page, '**/assets/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByRole('main').getByRole('alert').waitFor();
    await page.unrouteAll();
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
  });

  test('lists the boards of this browser with their unsaved changes', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url, { serviceWorkers: 'allow' });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await until(page, keptStories, 4);
    await editWithoutConnection(page);
    await page.goto(new URL('/', board.url).href);
    const link = page.getByRole('main').getByRole('link', { name: 'rocket' });
    await link.getByText('1 unsaved change').waitFor();
    await connect(page);
    await page.getByText('The service cannot be reached').waitFor({ state: 'detached' });
    await link.getByText('1 unsaved change').waitFor();
    await link.click();
    await card(page, 'In progress', 'Ant').waitFor();
    const status = `fetch('/api/stories/${board.ids.Ant}')
      .then((response) => response.json()).then(({ status }) => status)`;
    await until(page, status, 'in_progress');
    await page.getByRole('link', { name: 'Boards', exact: true }).click();
    await link.waitFor();
    await link.getByText('unsaved change').waitFor({ state: 'detached' });
  });

  test('says so, also before it is known who is signed in', async () => {
    const { url } = await startKillableBoard();
    const page = await openPage('about:blank');
    await route(page, '**/api/session', (route) => route.abort());
    await page.goto(url);
    await page.getByText('The service cannot be reached').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Not loaded' }).waitFor();
    await page.unrouteAll();
    await card(page, 'To do', 'Ant').waitFor();
  });

  test('lists a board once that was renamed elsewhere', async () => {
    const { client, url } = await startKillableBoard();
    const page = await openPage(url);
    await until(page, keptNames, 'rocket');
    await page.goto('about:blank');
    await client.patch('/api/boards/rocket', { name: 'moon' });
    await page.goto(url.replace('rocket', 'moon'));
    await until(page, keptNames, 'moon,rocket');
    await route(page, '**/api/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Boards', exact: true }).click();
    const links = page.getByRole('main').getByRole('listitem').getByRole('link');
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual(['moon']);
    await page.unrouteAll();
    await page.reload();
    await until(page, keptNames, 'moon');
  });

  test('lists a board with unsaved changes once that was renamed elsewhere', async () => {
    const { client, url, ids } = await startKillableBoard();
    const page = await openPage(url);
    await until(page, keptNames, 'rocket');
    await editWithoutConnection(page);
    await page.getByRole('link', { name: 'Boards', exact: true }).click();
    const main = page.getByRole('main');
    await main.getByRole('link', { name: 'rocket' }).waitFor();
    await client.patch('/api/boards/rocket', { name: 'moon' });
    await connect(page);
    await main.getByText('moon1 unsaved change').waitFor();
    await settled(page);
    expect(await main.getByRole('listitem').count()).toBe(1);
    await main.getByRole('link', { name: 'moon' }).click();
    await card(page, 'In progress', 'Ant').waitFor();
    await until(page, fieldOf(ids.Ant, 'status'), 'in_progress');
  });

  test('lists no board that was deleted elsewhere, unless it has unsaved changes, until the user discards them', async () => {
    const { client, url } = await startKillableBoard();
    await client.post('/api/boards', { name: 'moon' });
    const page = await openPage(url.replace('rocket', 'moon'));
    await until(page, keptNames, 'moon');
    await page.goto(url);
    await until(page, keptNames, 'moon,rocket');
    await editWithoutConnection(page);
    await page.getByRole('link', { name: 'Boards', exact: true }).click();
    const main = page.getByRole('main');
    await main.getByRole('link', { name: 'moon' }).waitFor();
    for (const name of ['moon', 'rocket']) await client.delete(`/api/boards/${name}?force=true`);
    await connect(page);
    await until(page, keptNames, 'rocket');
    const entry = main.getByRole('listitem').filter({ hasText: 'rocket1 unsaved change' });
    await entry.getByText('This board was deleted').waitFor();
    // The board that shows the error of the deletion keeps the changes, too.
    await page.goto(url);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Boards' }).click();
    await entry.getByRole('button', { name: 'Discard changes' }).click();
    await entry.waitFor({ state: 'detached' });
    expect(await page.evaluate(keptNames)).toBe('');
    await page.reload();
    await main.getByText('Create the first one').waitFor();
  });

  test('shows the board and the unsaved changes after a reload, and sends them once', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url, { serviceWorkers: 'allow' });
    await card(page, 'To do', 'Ant').focus();
    // The service worker stores the page, and the page stores the board.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await until(page, keptStories, 4);
    await board.kill();
    await page.keyboard.press('2');
    await page.keyboard.press('c');
    await page.getByLabel('Title').fill('Written offline');
    await page.keyboard.press('Enter');
    await unsaved(page, 2);
    await page.reload();
    await card(page, 'In progress', 'Ant').waitFor();
    await card(page, 'To do', 'Written offline').waitFor();
    await unsaved(page, 2);
    await board.restart();
    await saved(page);
    const made = await log(board);
    expect(made).toEqual([
      `story.updated ${board.ids.Ant} in_progress`,
      expect.stringMatching(/^story.created \d+ todo$/),
    ]);
    expect(await titles(page, 'To do')).toEqual(['Bee', 'Cat', 'Dog', 'Written offline']);
    await page.reload();
    await card(page, 'To do', 'Written offline').waitFor();
    expect(await titles(page, 'To do')).toEqual(['Bee', 'Cat', 'Dog', 'Written offline']);
    expect(await log(board)).toEqual(made);
  });

  test('shows the stories of a board even if its reports were opened last', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url, { serviceWorkers: 'allow' });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await until(page, keptStories, 4);
    await page.goto(`${board.url}/reports`);
    await page.getByRole('heading', { name: 'Sprint report' }).waitFor();
    await page.getByRole('img', { name: /Burndown/ }).waitFor();
    await board.kill();
    await page.goto(board.url);
    await card(page, 'To do', 'Ant').waitFor();
  });

  test('does not count the stories of a sprint that it has not loaded', async () => {
    const board = await startKillableBoard();
    const page = await openPage(`${board.url}/reports`, { serviceWorkers: 'allow' });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await until(page, keptNames, 'rocket');
    await board.kill();
    await page.goto(board.url);
    const main = page.getByRole('main');
    await main.getByText('The service cannot be reached. Trying again…').first().waitFor();
    expect(await main.innerText()).not.toMatch(/points done/);
    await board.restart();
    await card(page, 'To do', 'Ant').waitFor();
    await main.getByText('0 of 4 stories done').waitFor();
    await untilRead(() => main.getByText('The service cannot be reached').count(), 0);
  });

  test('says that a board and a story which the browser has not stored cannot be loaded', async () => {
    const board = await startSmallBoard();
    const page = await openPage('about:blank');
    await route(page, '**/api/boards/rocket**', (request) => request.abort());
    await page.goto(board.url);
    const unreachable = 'The service cannot be reached. Trying again…';
    await page.getByRole('main').getByText(unreachable).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Not loaded' }).waitFor();
    await page.goto(`${board.url}/stories/${board.ids.Ant}`);
    await page.getByRole('dialog').getByText(unreachable).waitFor();
    await page.unroute('**/api/boards/rocket**');
    await page.getByRole('dialog', { name: 'Ant' }).getByLabel('Title').waitFor();
    await page.keyboard.press('Escape');
    await card(page, 'To do', 'Ant').waitFor();
  });

  test('undoes a change that may have been sent once it is saved', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    const answered = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.keyboard.press('2');
    await (await answered).finished();
    await card(page, 'To do', 'Bee').focus();
    await board.kill();
    await page.keyboard.press('3');
    await unsaved(page, 1);
    await page.getByRole('status').getByText('No connection: 1 unsaved change').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone once it is saved: Move “Bee” to Done').first().waitFor();
    await board.restart();
    await card(page, 'To do', 'Bee').waitFor();
    // The setup, and three changes.
    await until(page, revisionOf, 9);
    await saved(page);
    expect(await titles(page, 'In progress')).toEqual(['Ant']);
    const { Ant, Bee } = board.ids;
    expect(await log(board)).toEqual([
      `story.updated ${Ant} in_progress`,
      `story.updated ${Bee} done`,
      `story.updated ${Bee} todo`,
    ]);
  });

  test('says after a reload that a change that may have been sent was not undone', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url, { serviceWorkers: 'allow' });
    await card(page, 'To do', 'Bee').focus();
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await until(page, keptStories, 4);
    await board.kill();
    await page.keyboard.press('3');
    await unsaved(page, 1);
    await page.keyboard.press('z');
    await page.reload();
    await unsaved(page, 1);
    await board.restart();
    await page.getByRole('alert').getByText('Not undone: Move “Bee” to Done').waitFor();
    await page.getByRole('status').getByText('No unsaved changes').waitFor();
    await saved(page);
    expect(await titles(page, 'Done')).toEqual(['Bee']);
  });

  test('keeps a move of several stories over a reload, and sends it once and in order', async () => {
    const board = await startKillableBoard();
    const page = await openPlan(board);
    await board.kill();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Escape');
    await card(page, 'Sprint 1', 'Bee').focus();
    await page.keyboard.press('2');
    await unsaved(page, 2);
    await page.reload();
    await card(page, 'Backlog', 'Ant').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Ant', 'Cat']);
    await unsaved(page, 2);
    await board.restart();
    await saved(page);
    const { Ant, Bee, Cat } = board.ids;
    const made = [`story.moved ${Ant}`, `story.moved ${Cat}`, `story.updated ${Bee} in_progress`];
    expect(await log(board)).toEqual(made);
    await page.reload();
    await card(page, 'Backlog', 'Ant').waitFor();
    await card(page, 'Sprint 1', 'Bee').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Ant', 'Cat']);
    expect(await titles(page, 'Sprint 1')).toEqual(['Bee', 'Dog']);
    expect(await log(board)).toEqual(made);
  });

  test('makes a kept move of several stories in a view that has not loaded them', async () => {
    const board = await startKillableBoard();
    const page = await openPlan(board);
    await route(page, '**/api/**', (route) => route.abort());
    await page.keyboard.press('Shift+ArrowRight');
    await unsaved(page, 1);
    await page.unrouteAll();
    await page.goto(`${board.url}/reports`);
    await until(page, titlesOfBacklog, 'Ant,Cat');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('makes a move once if its response is lost and the page is loaded again', async () => {
    const board = await startKillableBoard();
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    await route(page, '**/move', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.keyboard.press('Shift+ArrowRight');
    await unsaved(page, 1);
    await page.reload();
    await unsaved(page, 1);
    await page.unrouteAll({ behavior: 'wait' });
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await saved(page);
    // The outbox may be sent before the stories are drawn.
    await card(page, 'Backlog', 'Ant').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Ant']);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await log(board)).toEqual([`story.moved ${board.ids.Ant}`]);
  });

  test('asks about a kept move of several stories if one was moved or deleted elsewhere', async () => {
    const board = await startKillableBoard();
    const { client } = board;
    const next = await client.post('/api/boards/rocket/sprints', {
      name: 'Sprint 2',
      start_date: day(20),
    });
    const page = await openPlan(board);
    await route(page, '**/api/**', (route) => route.abort());
    await page.keyboard.press('Shift+ArrowRight');
    await card(page, 'Sprint 2', 'Ant').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await card(page, 'Backlog', 'Ant').waitFor();
    await unsaved(page, 2);
    await page.reload();
    await card(page, 'Backlog', 'Cat').waitFor();
    await client.post(`/api/stories/${board.ids.Cat}/move`, { sprint_id: null });
    await client.delete(`/api/stories/${board.ids.Dog}`);
    const before = (await client.get('/api/boards/rocket')).body.revision;
    await connect(page);
    const dialog = conflictOn(page);
    await dialog.getByText('Sprint: Sprint 1 → Backlog').waitFor();
    // No story was moved, by this move or the next one.
    expect((await client.get('/api/boards/rocket')).body.revision).toBe(before);
    expect((await client.get(`/api/sprints/${next.body.id}/stories`)).body).toEqual([]);
    await page.reload();
    await dialog.getByRole('button', { name: 'Apply mine again' }).click();
    // Two stories were moved twice.
    await until(page, revisionOf, before + 4);
    await card(page, 'Backlog', 'Ant').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Ant', 'Cat']);
    const { body } = await client.get('/api/boards/rocket/backlog');
    expect(body.map(({ title }: any) => title)).toEqual(['Ant', 'Cat']);
    expect(await titles(page, 'Sprint 1')).toEqual(['Bee']);
  });

  test('makes a kept move of several stories again in a view that has not loaded them', async () => {
    const { board, page, dialog } = await moveCatElsewhere();
    await dialog.getByRole('button', { name: 'Apply mine again' }).click();
    await until(page, titlesOfBacklog, 'Ant,Cat');
    await saved(page);
    expect(await dialog.count()).toBe(0);
    expect((await board.story('Bee')).sprint_id).toBe(board.sprint);
  });

  test('asks again if another story was moved elsewhere that the view has not loaded', async () => {
    const { board, page, dialog, elsewhere } = await moveCatElsewhere();
    await board.client.post(`/api/stories/${board.ids.Ant}/move`, { sprint_id: elsewhere });
    await dialog.getByRole('button', { name: 'Apply mine again' }).click();
    await dialog.getByText('Meanwhile, “Ant”').waitFor();
    await until(page, titlesOfBacklog, '');
    await dialog.getByRole('button', { name: 'Apply mine again' }).click();
    await until(page, titlesOfBacklog, 'Ant,Cat');
  });

  test('offers to create a story again with the typed text if someone else has deleted it', async () => {
    const board = await startKillableBoard([{ title: 'Ant', points: 3 }, 'Bee']);
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Description').waitFor();
    await route(page, '**/api/**', (route) => route.abort());
    await page.getByLabel('Description').fill('Six legs');
    await page.getByLabel('Sprint', { exact: true }).selectOption('Backlog');
    await page.getByRole('button', { name: 'Save' }).click();
    await unsaved(page, 2);
    await board.client.delete(`/api/stories/${board.ids.Ant}`);
    await connect(page);
    const dialog = conflictOn(page);
    await dialog.getByText('deleted it').waitFor();
    await page.reload();
    await dialog.getByText('Description: Six legs').waitFor();
    await createAgain(page, 'Backlog', {
      title: 'Ant',
      description: 'Six legs',
      points: 3,
      sprint_id: null,
    });
    await page.reload();
    await card(page, 'Backlog', 'Ant').waitFor();
    expect(await dialog.count()).toBe(0);
  });

  test('creates a story again even if another story has its external_id now', async () => {
    const ant = { title: 'Ant', external_id: 'X-1' };
    const board = await startKillableBoard([ant]);
    const page = await openPage(board.url);
    await editWithoutConnection(page);
    // As when the other user deletes it and undoes that.
    await board.client.delete(`/api/stories/${board.ids.Ant}`);
    await board.client.post(`/api/sprints/${board.sprint}/stories`, ant);
    await connect(page);
    await createAgain(page, 'In progress', { status: 'in_progress' });
  });

  test('reports that a change is not saved if its board has been deleted', async () => {
    const board = await startKillableBoard(['Ant']);
    const page = await openPage(board.url);
    await editWithoutConnection(page);
    await board.client.delete('/api/boards/rocket?force=true');
    await connect(page);
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('Not saved: Move “Ant” to In progress').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('reports that a change is not saved if another board has got the name of its board', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url);
    await until(page, keptNames, 'rocket');
    await editWithoutConnection(page);
    await page.goto('about:blank');
    await board.client.delete('/api/boards/rocket?force=true');
    const sprint = { name: 'Other', start_date: day(-1) };
    await board.client.post('/api/boards/rocket/sprints', sprint);
    await page.unrouteAll();
    await page.goto(board.url);
    await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
    await page
      .getByRole('alert')
      .getByText('Not saved: Move “Ant” to In progress. This was on another board of this name')
      .waitFor();
  });

  test('sends the changes of two tabs of one browser once, also those of a closed tab', async () => {
    const board = await startKillableBoard();
    const first = await openPage(board.url);
    const second = await first.context().newPage();
    await second.goto(board.url);
    await card(first, 'To do', 'Ant').waitFor();
    await card(second, 'To do', 'Bee').waitFor();
    await board.kill();
    await card(first, 'To do', 'Ant').focus();
    await first.keyboard.press('3');
    await unsaved(first, 1);
    await card(second, 'To do', 'Bee').focus();
    await second.keyboard.press('2');
    await second.keyboard.press('3');
    await unsaved(second, 2);
    await second.close();
    await board.restart();
    await until(first, revisionOf, 9);
    await saved(first);
    expect(await titles(first, 'Done')).toEqual(['Ant', 'Bee']);
    expect((await log(board)).sort()).toEqual(
      [
        `story.updated ${board.ids.Ant} done`,
        `story.updated ${board.ids.Bee} in_progress`,
        `story.updated ${board.ids.Bee} done`,
      ].sort(),
    );
  });

  test('loads a page again that the browser has kept and shows as it was, unless it has typed text', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    const isKept = (): Promise<boolean> => page.evaluate(() => 'mark' in window);
    const showAgain = (): Promise<void> =>
      page.evaluate(() => {
        (window as any).mark = true;
        setTimeout(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
      });
    const loaded = page.waitForEvent('load');
    await showAgain();
    await loaded;
    expect(await isKept()).toBe(false);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Description').fill('Six legs');
    // The browser would ask before it loads the page again; without an answer, the page would stay.
    let isAsked = false;
    page.on('dialog', (question) => {
      isAsked = true;
      void question.dismiss();
    });
    await showAgain();
    await settled(page);
    expect(isAsked).toBe(false);
    expect(await isKept()).toBe(true);
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Six legs');
  });

  test('loses, doubles and reorders nothing if the service is killed under twenty changes', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `Story ${i}`);
    const board = await startKillableBoard(names);
    const page = await openPage(board.url);
    await card(page, 'To do', 'Story 0').waitFor();
    let answers = 0;
    let killed: Promise<void> | undefined;
    page.on('response', (response) => {
      if (response.request().method() === 'PUT' && ++answers === 7) killed = board.kill();
    });
    for (const name of names) {
      await page.getByRole('listitem', { name, exact: true }).focus();
      await page.keyboard.press('2');
      await page.keyboard.press('3');
    }
    await page.getByRole('banner').getByText('unsaved change').waitFor();
    await killed;
    await board.restart();
    await saved(page);
    await until(page, revisionOf, 32);
    expect(await log(board)).toEqual(
      names.flatMap((name) => [
        `story.updated ${board.ids[name]} in_progress`,
        `story.updated ${board.ids[name]} done`,
      ]),
    );
    expect(await titles(page, 'Done')).toEqual(names);
  });

  test('makes each kind of change once if the first response is lost', async () => {
    const board = await startKillableBoard();
    const { client } = board;
    await client.post(`/api/stories/${board.ids.Bee}/tasks`, { title: 'Wings' });
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    const lost = new Set<string>();
    await route(page, '**/api/**', async (route) => {
      const request = route.request();
      const name = `${request.method()} ${request.url()} ${request.postData()}`;
      if (request.method() === 'GET' || lost.has(name)) return route.continue();
      lost.add(name);
      await route.fetch();
      await route.abort('connectionreset');
    });
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('3');
    await page.keyboard.press('c');
    await page.getByLabel('Title').fill('Eel');
    await page.keyboard.press('Enter');
    await card(page, 'To do', 'Bee').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Wings' }).check();
    await page.getByLabel('New task').fill('Sting');
    await page.getByLabel('New task').press('Enter');
    await page.keyboard.press('Escape');
    await card(page, 'To do', 'Cat').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete' }).click();
    await card(page, 'To do', 'Cat').waitFor({ state: 'detached' });
    await card(page, 'To do', 'Eel').getByText('#').waitFor();
    await until(page, revisionOf, 13);
    await saved(page);
    await page.unrouteAll({ behavior: 'wait' });
    const made = (await log(board)).map((line) => line.replace(/ \d+/, ''));
    expect(lost.size).toBe(6);
    expect(made).toEqual([
      'task.created todo',
      // There is no gap, so the neighbour is shifted.
      'stories.shifted',
      'story.updated done',
      'story.created todo',
      'task.updated done',
      'task.created todo',
      'story.deleted',
    ]);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

/** The response of a service that has too many requests. */
const BUSY = {
  status: 429,
  headers: { 'Retry-After': '60' },
  contentType: 'application/problem+json',
  body: JSON.stringify({ code: 'too_many_requests', detail: 'There are too many requests.' }),
};

describe('In a browser that cannot store changes', () => {
  /** Opens a board in such a browser, and moves Ant to In progress without a connection. */
  async function openWithoutStorage() {
    const board = await startSmallBoard();
    const page = await openPage('about:blank');
    await page.addInitScript(
      "IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };",
    );
    await page.goto(board.url);
    await editWithoutConnection(page);
    return { board, page };
  }

  test('the browser asks before the page is closed with an unsaved change', async () => {
    const { board, page } = await openWithoutStorage();
    await stayOnReload(page);
    await connect(page);
    await saved(page);
    expect(await board.story('Ant')).toMatchObject({ status: 'in_progress' });
    await reloadUnasked(page);
    await card(page, 'In progress', 'Ant').waitFor();
  });

  test('a change is still saved after the user has left the board', async () => {
    const { board, page } = await openWithoutStorage();
    await page.getByRole('banner').getByRole('link', { name: 'Boards' }).click();
    await page.getByRole('heading', { level: 1, name: 'Boards' }).waitFor();
    await connect(page);
    await untilRead(async () => (await board.story('Ant')).status, 'in_progress');
  });
});

describe('With a service that has too many requests', () => {
  test('requests a list again after the time that the service names', async () => {
    const { url } = await startKillableBoard();
    const page = await openPage('about:blank');
    await page.clock.install();
    let requests = 0;
    await page.route('**/api/boards', (route) => {
      requests += 1;
      return route.fulfill(BUSY);
    });
    await page.goto(new URL('/', url).href);
    await page.getByRole('alert').getByText('There are too many requests.').waitFor();
    const before = requests;
    await page.clock.runFor(50_000);
    expect(requests).toBe(before);
    await page.unrouteAll();
    await page.clock.runFor(10_000);
    await page.getByRole('main').getByRole('link', { name: 'rocket' }).waitFor();
  });

  test('announces unsaved changes, but no lost connection', async () => {
    const { url } = await startKillableBoard();
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').focus();
    await route(page, '**/api/stories/*', (route) => route.fulfill(BUSY));
    await page.keyboard.press('2');
    await page.getByRole('status').getByText('The service is busy: 1 unsaved change').waitFor();
  });
});
