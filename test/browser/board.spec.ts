import type { IncomingMessage } from 'node:http';
import type { Page } from 'playwright-core';
import type { TestApp } from '../support/app';
import { promised } from '../support/faults';
import { axe, card, focusedName, list, openPage, startService, titles, until } from './browser';
import { day } from './small-board';

interface Board {
  service: TestApp;
  url: string;
  sprint: number;
  /** The ids of the stories of the sprint by their titles. */
  ids: Record<string, number>;
}

/** A board with an active sprint of six stories, and one planned sprint. */
async function startBoard(): Promise<Board> {
  const service = await startService();
  const { client } = service;
  const sprint = await client.post('/api/boards/rocket/sprints', {
    name: 'Sprint 1',
    goal: 'Visitors can buy a ticket.',
    start_date: day(-3),
    end_date: day(10),
  });
  await client.post('/api/boards/rocket/sprints', { name: 'Sprint 2', start_date: day(11) });
  const ids: Record<string, number> = {};
  const stories = [
    { title: 'Buy a ticket', points: 5 },
    { title: 'Pay by card', points: 3 },
    { title: 'Send a mail', points: 2, assignee: 'Mei' },
    { title: 'Scan a ticket', points: 8, status: 'in_progress' },
    { title: 'Discount codes', points: 1, status: 'in_progress' },
    { title: 'List of guests', points: 2, status: 'done' },
  ];
  for (const story of stories) {
    const { body } = await client.post(`/api/sprints/${sprint.body.id}/stories`, story);
    ids[story.title] = body.id;
  }
  return { service, url: `${service.url}/b/rocket`, sprint: sprint.body.id, ids };
}

const story = async ({ service, ids }: Board, title: string): Promise<any> =>
  (await service.client.get(`/api/stories/${ids[title]}`)).body;

const text = (page: Page): Promise<string> => page.getByRole('main').innerText();

describe('The sprint board', () => {
  test('shows the stories of the current sprint in three lists, and its progress as text', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Buy a ticket').waitFor();
    expect(await titles(page, 'To do')).toEqual(['Buy a ticket', 'Pay by card', 'Send a mail']);
    expect(await titles(page, 'In progress')).toEqual(['Scan a ticket', 'Discount codes']);
    expect(await titles(page, 'Done')).toEqual(['List of guests']);
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Sprint 1']);
    const shown = await text(page);
    expect(shown).toContain('Visitors can buy a ticket.');
    expect(shown).toContain('2 of 21 points done');
    expect(shown).toMatch(/\d+ working days? left/);
    await page.getByRole('img', { name: /burndown/i }).waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    const rows = page.getByRole('table').getByRole('row');
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(5);
  });

  test('requests its first data once: the browser uses what it has preloaded', async () => {
    const board = await startBoard();
    const requests: string[] = [];
    board.service.app.getHttpServer().on('request', ({ url = '' }: IncomingMessage) => {
      if (url.startsWith('/api/') && !url.includes('/events')) requests.push(url);
    });
    const page = await openPage(board.url);
    await card(page, 'To do', 'Buy a ticket').waitFor();
    expect(
      requests.filter((url) => /\/(session|rocket|sprints|stories\?.*)$/.test(url)).length,
    ).toBe(4);
    expect(new Set(requests).size).toBe(requests.length);
  });

  test('counts stories if none has points, and shows no key hints on a phone', async () => {
    const { client, url } = await startService();
    const sprint = await client.post('/api/boards/rocket/sprints', { start_date: day(-3) });
    const stories = `/api/sprints/${sprint.body.id}/stories`;
    await client.post(stories, { title: 'Ant', status: 'done' });
    await client.post(stories, { title: 'Bee', status: 'done' });
    const page = await openPage(`${url}/b/rocket`);
    await card(page, 'Done', 'Ant').waitFor();
    expect(await text(page)).toContain('2 of 2 stories done');
    expect(await text(page)).toContain('No stories to do. Press c to create one.');
    await page.getByPlaceholder('Search  /', { exact: true }).waitFor();
    const phone = await openPage(`${url}/b/rocket`, { isMobile: true, hasTouch: true });
    await card(phone, 'Done', 'Ant').waitFor();
    expect(await text(phone)).toContain('No stories to do.');
    expect(await text(phone)).not.toContain('Press');
    await phone.getByPlaceholder('Search', { exact: true }).waitFor();
  });

  test('keeps the focus on the drawn cards of a long column', async () => {
    const { client, url } = await startService();
    const operations = Array.from({ length: 202 }, (_, i) => ({
      op: 'create',
      type: 'story',
      set: { title: `Story ${i + 1}`, sprint_id: '$sprint' },
    }));
    const set = { start_date: day(-3) };
    await client.post('/api/boards/rocket/batch', {
      operations: [{ op: 'create', type: 'sprint', as: 'sprint', set }, ...operations],
    });
    const page = await openPage(`${url}/b/rocket`);
    const focused = (name: string): Promise<void> =>
      until(page, 'document.activeElement.ariaLabel', name);
    await card(page, 'To do', 'Story 200').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await focused('Story 200');
    await page.keyboard.press('Shift+ArrowDown');
    await card(page, 'To do', 'Story 201').waitFor();
    await focused('Story 199');
  });

  test('creates a story by the key c, once', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Buy a ticket').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Refund an order');
    await dialog.getByLabel('Points').fill('2.5');
    await dialog.getByLabel('Priority').fill('1');
    await dialog.getByLabel('Labels').fill('payment, back office');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await card(page, 'To do', 'Refund an order').getByText('#').waitFor();
    await card(page, 'To do', 'Refund an order').getByText('P1', { exact: true }).waitFor();
    const { body } = await board.service.client.get(`/api/sprints/${board.sprint}/stories`);
    expect(body.filter(({ title }: any) => title === 'Refund an order')).toMatchObject([
      { points: 2.5, labels: ['payment', 'back office'], status: 'todo' },
    ]);
    expect(await titles(page, 'To do')).toHaveLength(4);
  });

  test('moves a dragged card to the place where it is dropped', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await card(page, 'To do', 'Pay by card').dragTo(card(page, 'In progress', 'Discount codes'), {
      targetPosition: { x: 40, y: 4 },
    });
    await card(page, 'In progress', 'Pay by card').waitFor();
    expect(await titles(page, 'In progress')).toEqual([
      'Scan a ticket',
      'Pay by card',
      'Discount codes',
    ]);
    await saved;
    expect(await story(board, 'Pay by card')).toMatchObject({ status: 'in_progress' });
  });

  test('moves the focus by the arrow keys, and the card by Shift and the arrow keys', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Buy a ticket').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focusedName(page)).toBe('Buy a ticket');
    await page.keyboard.press('ArrowDown');
    expect(await focusedName(page)).toBe('Pay by card');
    await page.keyboard.press('ArrowRight');
    expect(await focusedName(page)).toBe('Discount codes');
    await page.keyboard.press('Shift+ArrowUp');
    await list(page, 'In progress').getByRole('listitem').first().getByText('Discount').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await card(page, 'Done', 'Discount codes').waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('li'));
    expect(await focusedName(page)).toBe('Discount codes');
    await page.keyboard.press('1');
    await card(page, 'To do', 'Discount codes').waitFor();
    await page.getByRole('status').getByText('to To do').waitFor();
  });

  test('undoes the last change by the key z', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Buy a ticket').focus();
    await page.keyboard.press('3');
    await card(page, 'Done', 'Buy a ticket').waitFor();
    await page.keyboard.press('z');
    await card(page, 'To do', 'Buy a ticket').waitFor();
  });

  test('moves a card by the visible menu', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Buy a ticket')
      .getByRole('button', { name: 'Move Buy a ticket' })
      .click();
    await page.getByRole('menuitem', { name: 'Sprint 2' }).click();
    await card(page, 'To do', 'Buy a ticket').waitFor({ state: 'detached' });
  });

  test('sends each change with If-Match', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Buy a ticket').focus();
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.keyboard.press('2');
    expect((await sent).headers()['if-match']).toMatch(/^".+"$/);
  });

  test('shows a change made elsewhere within a second, without moving the focus', async () => {
    const board = await startBoard();
    const [mine, other] = await Promise.all([openPage(board.url), openPage(board.url)]);
    await card(mine, 'To do', 'Send a mail').focus();
    await card(other, 'To do', 'Buy a ticket').focus();
    await other.keyboard.press('3');
    await card(mine, 'Done', 'Buy a ticket').waitFor({ timeout: promised(1000) });
    expect(await mine.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Send a mail',
    );
  });

  test('announces the changes of others and of the user in the live region', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    const announced = page.getByRole('status');
    await card(page, 'To do', 'Pay by card').waitFor();
    const other = await openPage(board.url);
    await card(other, 'To do', 'Buy a ticket').focus();
    await other.keyboard.press('2');
    await announced.getByText('Someone moved “Buy a ticket” to In progress').waitFor();
    const { client } = board.service;
    await client.post(`/api/sprints/${board.sprint}/stories`, { title: 'Print a badge' });
    await announced.getByText('Someone created “Print a badge”').waitFor();
    await client.put(`/api/sprints/${board.sprint}`, { goal: 'Doors open' });
    await announced.getByText('Someone changed “Sprint 1”').waitFor();
    await client.post('/api/boards/rocket/stories/move', {
      story_ids: [board.ids['Send a mail'], board.ids['Pay by card']],
      sprint_id: null,
    });
    await announced.getByText('Someone moved “Send a mail” to the backlog, and 1 more').waitFor();
    await client.delete(`/api/stories/${board.ids['Discount codes']}`);
    await announced.getByText('Someone deleted “Discount codes”').waitFor();
    // Changes that arrive within 300 ms share an announcement. A new window has not seen the earlier ones.
    const later = await openPage(board.url);
    await card(later, 'Done', 'List of guests').waitFor();
    await card(page, 'Done', 'List of guests').focus();
    await page.keyboard.press('1');
    await later.getByRole('status').getByText('Someone moved “List of guests” to To do').waitFor();
    // The window that made the change does not announce it as someone else's, not with the next one either.
    expect(await announced.innerText()).toBe('Moved “List of guests” to To do');
    await client.post(`/api/sprints/${board.sprint}/stories`, { title: 'Hang up posters' });
    await announced.getByText('Someone created “Hang up posters”', { exact: true }).waitFor();
  });

  test('shows the error of a field in an alert', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    await page.getByRole('button', { name: 'New story' }).click();
    await page.getByRole('dialog').getByLabel('Points').fill('many');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('A story needs a title').waitFor();
    await page.getByRole('alert').getByText('A number from 0 to 1,000').waitFor();
    await page.getByRole('dialog').getByLabel('Points').fill('1,5');
    await page.getByRole('alert').getByText('A number from 0').waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByLabel('Points').fill('1,000');
    await page.getByRole('alert').getByText('A number from 0 to 1,000').waitFor();
    const priority = page.getByRole('dialog').getByLabel('Priority');
    await priority.fill('2147483648');
    await page.getByRole('alert').getByText('to 2147483647').waitFor();
    await priority.fill('-2147483648');
    await page.getByRole('alert').getByText('to 2147483647').waitFor({ state: 'detached' });
    await priority.fill('1e3');
    await page.getByRole('alert').getByText('to 2147483647').waitFor();
  });

  test('keeps the search in the URL', async () => {
    const board = await startBoard();
    const page = await openPage(`${board.url}?q=ticket`);
    await card(page, 'To do', 'Buy a ticket').waitFor();
    expect(await titles(page, 'To do')).toEqual(['Buy a ticket']);
    await page.keyboard.press('/');
    await page.keyboard.type('mail');
    await card(page, 'To do', 'Send a mail').waitFor();
    expect(new URL(page.url()).search).toBe('?q=mail');
    await page.getByText('No story matches.').nth(1).waitFor();
    await page.getByRole('status').getByText('1 story found').waitFor();
    expect(await text(page)).not.toContain('No stories');
  });

  test('runs no command from a search whose sprint is completed meanwhile', async () => {
    const board = await startBoard();
    const page = await openPage(board.url);
    await page.getByRole('searchbox', { name: 'Search' }).focus();
    await page.keyboard.type('mail');
    await board.service.client.post(`/api/sprints/${board.sprint}/complete`, {
      unfinished: 'backlog',
    });
    const heading = page.getByRole('heading', { level: 1, name: 'No active sprint' });
    await heading.waitFor();
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await until(page, 'document.activeElement.tagName', 'MAIN');
    await heading.click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  test('opens a story with its tasks and history, and saves it', async () => {
    const board = await startBoard();
    await board.service.client.post(`/api/stories/${board.ids['Buy a ticket']}/tasks`, {
      title: 'Order form',
    });
    const page = await openPage(board.url);
    await card(page, 'To do', 'Buy a ticket').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'Order form' }).check();
    await dialog.getByText('Someone created it').waitFor();
    await dialog.getByLabel('Description').fill('<img src=x onerror=alert(1)>');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`${board.url}/stories/${board.ids['Buy a ticket']}`);
    await page.waitForFunction(
      () => document.querySelector('textarea')?.value === '<img src=x onerror=alert(1)>',
    );
    expect(await dialog.getByRole('checkbox', { name: 'Order form' }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).toBe(board.url);
  });

  test('completes the label that is typed with the labels of the board', async () => {
    const board = await startBoard();
    const labels = ['back office', 'a, b', 'payment'];
    await board.service.client.post('/api/boards/rocket/backlog', { title: 'Fee', labels });
    await board.service.client.put(`/api/stories/${board.ids['Buy a ticket']}`, { labels });
    const page = await openPage(`${board.url}/stories/${board.ids['Pay by card']}`);
    const field = page.getByRole('dialog').getByLabel('Labels');
    const suggested = (): Promise<string[]> =>
      field.evaluate((input: HTMLInputElement) =>
        [...(input.list?.options ?? [])].map(({ value }) => value),
      );
    await field.waitFor();
    expect(await suggested()).toEqual(['back office', 'a\\, b', 'payment']);
    await field.fill('payment,');
    expect(await suggested()).toEqual(['payment,back office', 'payment,a\\, b']);
    await field.fill('a\\, b, pay');
    expect(await suggested()).toEqual(['a\\, b, back office', 'a\\, b, payment']);
  });

  test.each(['light', 'dark'] as const)('has no errors in axe (%s)', async (colorScheme) => {
    const board = await startBoard();
    const page = await openPage(board.url, { colorScheme });
    await page.getByRole('img', { name: /burndown/i }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.goto(`${board.url}/stories/${board.ids['Buy a ticket']}`);
    await page.getByRole('dialog').getByText('Someone created it').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.goto(board.service.url);
    await page.getByRole('link', { name: 'rocket' }).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('loads at most 50 kB of script and 10 kB of style', async () => {
    const board = await startBoard();
    const page = await openPage('about:blank');
    const sizes: Record<string, number> = { script: 0, stylesheet: 0 };
    const counted: Promise<void>[] = [];
    page.on('requestfinished', (request) => {
      const count = async (): Promise<void> => {
        const { responseBodySize } = await request.sizes();
        sizes[request.resourceType()] = (sizes[request.resourceType()] ?? 0) + responseBodySize;
      };
      counted.push(count());
    });
    await page.goto(board.url);
    await page.getByRole('img', { name: /burndown/i }).waitFor();
    await Promise.all(counted);
    expect(sizes.script).toBeGreaterThan(10_000);
    expect(sizes.script).toBeLessThanOrEqual(50_000);
    expect(sizes.stylesheet).toBeGreaterThan(1000);
    expect(sizes.stylesheet).toBeLessThanOrEqual(10_000);
  });

  test('marks the tab of the column in view on a phone', async () => {
    const board = await startBoard();
    const page = await openPage(board.url, {
      viewport: { width: 390, height: 844 },
      forcedColors: 'active',
    });
    const tabs = page.getByRole('navigation', { name: 'Columns' });
    const current = tabs.locator('[aria-current=true]');
    await current.getByText('To do').waitFor();
    await tabs.getByRole('button', { name: 'Done' }).click();
    await current.getByText('Done').waitFor();
    expect(await current.count()).toBe(1);
    expect(await current.evaluate((tab) => getComputedStyle(tab).textDecorationLine)).toBe(
      'underline',
    );
  });

  test('fits a phone without sideways scrolling', async () => {
    const board = await startBoard();
    const page = await openPage(board.url, { viewport: { width: 390, height: 844 } });
    await card(page, 'To do', 'Buy a ticket').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
