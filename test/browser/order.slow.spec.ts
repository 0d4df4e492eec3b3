import type { Page, Route } from 'playwright-core';
import {
  card,
  drawn,
  hold,
  openPage,
  openPageWithoutStream,
  route,
  settled,
  titles,
  until,
} from './browser';
import type { SmallBoard } from './small-board';
import {
  caughtUp,
  day,
  openStream,
  revisionOf,
  startSmallBoard,
  titlesOfBacklog,
} from './small-board';

const shownCard = (page: Page, title: string) =>
  page.locator('[data-story]').filter({ hasText: title });

async function addToBacklog(page: Page, title: string): Promise<void> {
  await page.getByLabel('New story in Backlog').fill(title);
  await page.getByLabel('New story in Backlog').press('Enter');
}

const backlogOf = async ({ client }: SmallBoard, name: string): Promise<string[]> =>
  (await client.get(`/api/boards/${name}/backlog`)).body.map((story: any) => story.title);

describe('A board that is renamed', () => {
  test('is found by the stream and by a change that both got 404', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(`${board.url}/backlog`);
    await route(page, '**/batch', (route) => route.abort());
    await card(page, 'Sprint 1', 'Ant').waitFor();
    await addToBacklog(page, 'Eel');
    await page.getByRole('banner').getByText('1 unsaved change').waitFor();
    await board.client.put('/api/boards/rocket', { name: 'moon' });
    // Both read the list of boards before one of them knows the new name.
    const waiting: (() => void)[] = [];
    await route(page, '**/api/boards', async (route) => {
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) === 2) for (const answer of waiting) answer();
      });
      await route.continue();
    });
    await page.unroute('**/batch');
    await page.unroute('**/stream?*');
    await page.waitForURL('**/b/moon/backlog');
    await page.getByRole('banner').getByText('unsaved change').waitFor({ state: 'detached' });
    await page.getByRole('banner').getByText('Connecting').waitFor({ state: 'detached' });
    expect(await titles(page, 'Backlog')).toEqual(['Eel']);
    expect(await backlogOf(board, 'moon')).toEqual(['Eel']);
  });

  test('is not created again by a story for its backlog', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').waitFor();
    await board.client.put('/api/boards/rocket', { name: 'moon' });
    await addToBacklog(page, 'Eel');
    await page.waitForURL('**/b/moon/backlog');
    await card(page, 'Backlog', 'Eel').getByText('#').waitFor();
    expect(await backlogOf(board, 'moon')).toEqual(['Eel']);
    expect((await board.client.get('/api/boards')).body).toMatchObject([{ name: 'moon' }]);
  });

  /** Renames the board of a page, and gives its former name to another board with a longer log. */
  async function reuseName({ client }: SmallBoard): Promise<void> {
    await client.put('/api/boards/rocket', { name: 'moon' });
    await client.post('/api/boards', { name: 'rocket' });
    for (let i = 0; i < 20; i++) await client.post('/api/boards/rocket/backlog', { title: 'Rock' });
  }

  test('is followed although its former name is that of another board', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').waitFor();
    await reuseName(board);
    await page.unroute('**/stream?*');
    await page.waitForURL('**/b/moon/backlog');
    await board.client.post('/api/boards/moon/backlog', { title: 'Eel' });
    await card(page, 'Backlog', 'Eel').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Eel']);
  });

  test('gets a new story although its former name is that of another board', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').waitFor();
    await reuseName(board);
    await addToBacklog(page, 'Eel');
    await card(page, 'Backlog', 'Eel').getByText('#').waitFor();
    expect(await backlogOf(board, 'moon')).toEqual(['Eel']);
    expect(await backlogOf(board, 'rocket')).not.toContain('Eel');
  });

  test('is not confused with another board that has its former name, in dialogs and settings', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(`${board.url}/settings`);
    await page.getByRole('button', { name: 'Delete board' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the board').fill('rocket');
    await reuseName(board);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('another one has its name').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Time zone').fill('Asia/Tokyo');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('another one has its name').waitFor();
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByRole('button', { name: 'New sprint' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('another one has its name').waitFor();
    const { body } = await board.client.get('/api/boards');
    expect(body.map(({ name, time_zone }: any) => [name, time_zone])).toEqual([
      ['moon', 'UTC'],
      ['rocket', 'UTC'],
    ]);
    expect((await board.client.get('/api/boards/rocket/sprints')).body).toEqual([]);
  });

  test('shows a list that was requested under its former name', async () => {
    const board = await startSmallBoard();
    await board.client.post('/api/boards/rocket/backlog', { title: 'Eel' });
    const page = await openPageWithoutStream(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await board.client.put('/api/boards/rocket', { name: 'moon' });
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.waitForURL('**/b/moon/backlog');
    await card(page, 'Backlog', 'Eel').waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('keeps a change that was saved while its new name was looked up', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(board.url);
    await card(page, 'To do', 'Ant').focus();
    await board.client.put('/api/boards/rocket', { name: 'moon' });
    const boards = await hold(page, /^\/api\/boards$/);
    await page.unroute('**/stream?*');
    await boards.arrived;
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.keyboard.press('2');
    await saved;
    await settled(page);
    boards.release();
    await page.waitForURL('**/b/moon');
    await page.getByRole('banner').getByText('Connecting').waitFor({ state: 'detached' });
    await caughtUp(page, board);
    expect(await titles(page, 'In progress')).toEqual(['Ant']);
  });
});

describe('A response that is older than what the page shows', () => {
  test('does not replace a story', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Bee').focus();
    const story = await hold(page, new RegExp(`^/api/stories/${board.ids.Bee}$`));
    await page.keyboard.press('Enter');
    await story.arrived;
    await board.client.put(`/api/stories/${board.ids.Bee}`, { title: 'Queen' });
    await shownCard(page, 'Queen').waitFor();
    story.release();
    await page.getByRole('dialog').getByLabel('Title').waitFor();
    expect(await page.getByRole('dialog').getByLabel('Title').inputValue()).toBe('Queen');
    expect(await shownCard(page, 'Queen').count()).toBe(1);
  });

  test('does not replace the tasks of a story', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Bee').focus();
    const tasks = await hold(page, new RegExp(`^/api/stories/${board.ids.Bee}/tasks$`));
    await page.keyboard.press('Enter');
    await tasks.arrived;
    await board.client.post(`/api/stories/${board.ids.Bee}/tasks`, { title: 'Sting' });
    await board.client.put(`/api/stories/${board.ids.Bee}`, { title: 'Queen' });
    await shownCard(page, 'Queen').waitFor();
    tasks.release();
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Sting' }).waitFor();
  });

  test('does not replace the sprints', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Bee').waitFor();
    const sprints = await hold(page, /^\/api\/boards\/rocket\/sprints$/);
    await board.client.put(`/api/sprints/${board.sprint}`, { name: 'Second name' });
    await sprints.arrived;
    await board.client.put(`/api/sprints/${board.sprint}`, { name: 'Third name' });
    const heading = page.getByRole('heading', { level: 1 });
    await heading.getByText('Third name').waitFor();
    await settled(page);
    sprints.release();
    await settled(page);
    expect(await heading.innerText()).toBe('Third name');
  });

  test('does not remove a story that the user has created', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    const backlog = await hold(page, /\/backlog\?/);
    await page.getByRole('link', { name: 'Plan' }).click();
    await backlog.arrived;
    await addToBacklog(page, 'Eel');
    await card(page, 'Backlog', 'Eel').getByText('#').waitFor();
    backlog.release();
    await page.getByText('1 story', { exact: true }).waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Eel']);
    await page.unroute('**/stream?*');
    await page.getByRole('banner').getByText('Connecting').waitFor({ state: 'detached' });
    await caughtUp(page, board);
    expect(await titles(page, 'Backlog')).toEqual(['Eel']);
  });

  test('does not show the stories of a former search', async () => {
    const board = await startSmallBoard([{ title: 'Ant', description: 'six legs' }, 'Bee']);
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    const found = await hold(page, /\/stories\?.*q=legs/);
    await page.getByLabel('Search').fill('legs');
    await found.arrived;
    const next = page.waitForResponse((response) => response.url().includes('q=wings'));
    await page.getByLabel('Search').fill('wings');
    await next;
    found.release();
    await settled(page);
    expect(await titles(page, 'To do')).toEqual([]);
  });

  test('does not hide what others create and delete during each read', async () => {
    const board = await startSmallBoard();
    const { client } = board;
    const path = '/api/boards/rocket/backlog';
    const { body } = await client.post(path, { title: 'Eel' });
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    const events = await openStream(board);
    let last: number = body.id;
    await route(page, '**/backlog?*', async (request) => {
      const response = await request.fetch();
      const { body } = await client.post(path, { title: 'Fox' });
      const deleted = await client.delete(`/api/stories/${last}`);
      last = body.id;
      await events.reaches(revisionOf(deleted));
      await drawn(page);
      return request.fulfill({ response });
    });
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByText('1 story', { exact: true }).waitFor();
    await settled(page);
    const ids = page.locator('[aria-label="Backlog"] [data-story] .card-id');
    expect(await ids.allTextContents()).toEqual([`#${last}`]);
  });

  test('does not replace a later change of someone else', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const answer = await holdUpdateOfAnt(page);
    await board.client.put(`/api/stories/${board.ids.Ant}`, { points: 5, status: 'done' });
    await board.client.put(`/api/stories/${board.ids.Bee}`, { status: 'done' });
    await card(page, 'Done', 'Bee').waitFor();
    answer.release();
    await card(page, 'Done', 'Ant').getByText('5').waitFor();
  });

  test('does not restore a story that someone else has deleted', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const answer = await holdUpdateOfAnt(page);
    await board.client.delete(`/api/stories/${board.ids.Ant}`);
    await shownCard(page, 'Ant').waitFor({ state: 'detached' });
    answer.release();
    await page.getByText('Moved “Ant” to In progress').first().waitFor();
    await settled(page);
    expect(await shownCard(page, 'Ant').count()).toBe(0);
  });

  test('does not replace the stories that the command palette has found', async () => {
    const board = await startSmallBoard(
      ['Ant', 'Bee'].map((title) => ({ title, description: `Lives like ${title}` })),
    );
    const page = await openPage(board.url);
    await card(page, 'To do', 'Bee').waitFor();
    const answer = await hold(page, /\/stories\?.*q=like&/);
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Command or story' });
    await input.fill('like');
    await answer.arrived;
    await input.fill('like bee');
    await page.getByRole('option', { name: 'Bee' }).waitFor();
    answer.release();
    await settled(page);
    expect(await page.getByRole('option', { name: 'Ant' }).count()).toBe(0);
  });

  test('does not replace a later change of someone else that the page has read before', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(board.url);
    const answer = await holdUpdateOfAnt(page);
    await board.client.put(`/api/stories/${board.ids.Ant}`, { title: 'Queen' });
    await page.keyboard.press('Enter');
    await shownCard(page, 'Queen').waitFor();
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    answer.release();
    await saved;
    await settled(page);
    await page.unroute('**/stream?*');
    await page.getByRole('banner').getByText('Connecting').waitFor({ state: 'detached' });
    await caughtUp(page, board);
    expect(await titles(page, 'In progress')).toEqual(['Queen']);
  });
});

/** Sets Ant to In progress, and holds the response. */
async function holdUpdateOfAnt(page: Page) {
  await card(page, 'To do', 'Ant').focus();
  const answer = await hold(page, /^\/api\/stories\//, 'PUT');
  await page.keyboard.press('2');
  await answer.arrived;
  return answer;
}

test('A move of several stories is not applied again by the events that follow the response', async () => {
  const board = await startSmallBoard(['Ant', 'Bee']);
  for (const title of ['Cat', 'Dog', 'Eel', 'Fox', 'Gnu', 'Hen']) {
    await board.client.post('/api/boards/rocket/backlog', { title });
  }
  const page = await openPageWithoutStream(`${board.url}/backlog`);
  await card(page, 'Sprint 1', 'Ant').focus();
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('x');
  await card(page, 'Backlog', 'Hen').waitFor();
  const moved = page.waitForResponse((response) => response.url().endsWith('/stories/move'));
  // There is no gap between Eel and Fox, so Fox and the stories after it are shifted.
  await card(page, 'Sprint 1', 'Ant').dragTo(card(page, 'Backlog', 'Fox'), {
    targetPosition: { x: 100, y: 2 },
  });
  await moved;
  await settled(page);
  const order = ['Cat', 'Dog', 'Eel', 'Ant', 'Bee', 'Fox', 'Gnu', 'Hen'];
  expect(await backlogOf(board, 'rocket')).toEqual(order);
  await page.unroute('**/stream?*');
  await page.getByRole('banner').getByText('Connecting').waitFor({ state: 'detached' });
  await caughtUp(page, board);
  expect(await titles(page, 'Backlog')).toEqual(order);
});

describe('A reset of the live stream', () => {
  const STREAM = '**/stream?*';

  /** Opens a page whose streams stay silent until the test resets them. */
  async function openSilently(url: string) {
    const page = await openPage('about:blank');
    const streams: Route[] = [];
    const next = () => page.waitForRequest(STREAM);
    await route(page, STREAM, (route) => void streams.push(route));
    const first = next();
    await page.goto(url);
    await first;
    /** Resets the stream, and waits until the page opens the next one. */
    const reset = async (): Promise<void> => {
      const opened = next();
      await streams.at(-1)?.fulfill({
        contentType: 'text/event-stream',
        body: 'event: reset\ndata: {}\n\n',
      });
      await opened;
    };
    return { page, reset };
  }

  test('shows the latest state if a second one comes before the board was read', async () => {
    const board = await startSmallBoard();
    const { page, reset } = await openSilently(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    const answer = await hold(page, /^\/api\/boards\/rocket$/);
    await reset();
    await answer.arrived;
    await board.client.put(`/api/sprints/${board.sprint}`, { goal: 'It flies.' });
    await reset();
    await settled(page);
    answer.release();
    await page.getByText('It flies.').waitFor();
  });

  test('does not keep a move of several stories from being sent after the board was left', async () => {
    const board = await startSmallBoard();
    const { page, reset } = await openSilently(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    // The board is read again, until the connection is lost.
    const reads: Route[] = [];
    const isRead = /sprints\/\d+\/stories/;
    await route(page, isRead, (route) => void reads.push(route));
    const read = page.waitForRequest(isRead);
    await reset();
    await read;
    await page.keyboard.press('Shift+ArrowRight');
    await card(page, 'Backlog', 'Ant').waitFor();
    await page.getByRole('link', { name: 'Boards' }).click();
    await page.unroute(isRead);
    for (const route of reads) await route.abort();
    await page.getByRole('main').getByRole('link', { name: 'rocket' }).click();
    await shownCard(page, 'Ant').waitFor({ state: 'detached' });
    await until(page, titlesOfBacklog, 'Ant,Bee');
  });
});

describe('The pages of a long backlog', () => {
  test('stay loaded if the first one is read again meanwhile', async () => {
    const board = await startSmallBoard();
    const ids: number[] = [];
    for (const count of [700, 500]) {
      const operations = Array.from({ length: count }, (_, i) => ({
        op: 'create',
        type: 'story',
        set: { title: `Story ${i}` },
      }));
      const { body } = await board.client.post('/api/boards/rocket/batch', { operations });
      ids.push(...body.results.map(({ id }: { id: number }) => id));
    }
    const page = await openPage(`${board.url}/backlog`);
    const backlog = page.getByRole('region', { name: 'Backlog' });
    await backlog.getByText('1,200 stories').waitFor();
    const answer = await hold(page, /\/backlog\?(?!.*cursor)/);
    await board.client.post(`/api/stories/${ids.at(-1)}/move`, { position: 'first' });
    await answer.arrived;
    const more = backlog.getByRole('button', { name: 'Show more' });
    await more.click();
    await more.click();
    await settled(page);
    answer.release();
    await settled(page);
    await until(page, `document.querySelectorAll('[aria-label=Backlog] [data-story]').length`, 600);
    await backlog.getByText('1,200 stories').waitFor();
  });
});

describe('A story of another board', () => {
  test('is not shown on this one', async () => {
    const board = await startSmallBoard();
    const { body } = await board.client.post('/api/boards/moon/backlog', { title: 'Rock' });
    const page = await openPage(`${board.url}/backlog/stories/${body.id}`);
    await page.getByText('There is no such story on this board').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('The backlog is empty').waitFor();
    expect(await titles(page, 'Backlog')).toEqual([]);
  });

  test('leaves this one when the stream resumes, although it was read there', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    for (let i = 0; i < 20; i++) await client.post('/api/boards/moon/backlog', { title: 'Rock' });
    const to = (await client.post('/api/boards/moon/sprints', { start_date: day(0) })).body.id;
    const page = await openPageWithoutStream(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    await client.put(`/api/stories/${ids.Ant}`, { sprint_id: to });
    await client.put(`/api/stories/${ids.Ant}`, { sprint_id: null });
    await page.keyboard.press('2');
    await page.getByRole('dialog', { name: 'Your change was not saved' }).waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/stream?*');
    await page.getByRole('banner').getByText('Connecting').waitFor({ state: 'detached' });
    await caughtUp(page, board);
    expect(await shownCard(page, 'Ant').count()).toBe(0);
    await client.put(`/api/stories/${ids.Ant}`, { sprint_id: board.sprint });
    await card(page, 'Sprint 1', 'Ant').waitFor();
  });

  test('is not changed by an undo on this one', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    const to = (await client.post('/api/boards/moon/sprints', { start_date: day(0) })).body.id;
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.keyboard.press('2');
    await saved;
    await client.put(`/api/stories/${ids.Ant}`, { sprint_id: to });
    await client.put(`/api/stories/${ids.Ant}`, { sprint_id: null });
    await shownCard(page, 'Ant').waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await page.getByRole('alert').getByText('It is no longer on the board.').waitFor();
    expect(await shownCard(page, 'Ant').count()).toBe(0);
  });
});

describe('Undo of a deletion', () => {
  test('restores the tasks even if the place is gone', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    await client.post(`/api/stories/${ids.Bee}/tasks`, { title: 'Fly' });
    // Without the stream, the page cannot know that Ant is deleted.
    const page = await openPageWithoutStream(board.url);
    await card(page, 'To do', 'Bee').focus();
    await page.keyboard.press('Enter');
    // Ant must be there when the deletion is confirmed: the undo puts Bee after it.
    const deletion = page.waitForResponse((each) => each.request().method() === 'DELETE');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await (await deletion).finished();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await client.delete(`/api/stories/${ids.Ant}`);
    await page.keyboard.press('z');
    await card(page, 'To do', 'Bee').getByText('#').waitFor();
    await page.getByRole('alert').getByText('Not saved').waitFor();
    const stories = await client.get(`/api/sprints/${board.sprint}/stories`);
    const bee = stories.body.find((story: any) => story.title === 'Bee');
    expect((await client.get(`/api/stories/${bee.id}/tasks`)).body).toMatchObject([
      { title: 'Fly' },
    ]);
  });
});
