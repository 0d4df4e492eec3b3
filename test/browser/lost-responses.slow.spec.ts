import type { Page } from 'playwright-core';
import { card, openPage, route, startService, titles, until } from './browser';
import { caughtUp, startSmallBoard, titlesOf } from './small-board';

describe('A request without a response', () => {
  /** Opens a page whose requests end without a response when the test says so. */
  async function openPatiently(url: string, error = 'TimeoutError'): Promise<Page> {
    const page = await openPage('about:blank');
    await page.addInitScript((name) => {
      const controllers: AbortController[] = [];
      AbortSignal.timeout = () => {
        const controller = new AbortController();
        controllers.push(controller);
        return controller.signal;
      };
      addEventListener('timeout', () => {
        const reason = new DOMException('The request took too long', name);
        for (const controller of controllers.splice(0)) controller.abort(reason);
      });
    }, error);
    await page.goto(url);
    return page;
  }

  /** Ends the requests that have no response yet. */
  const endRequests = (page: Page): Promise<unknown> =>
    page.evaluate(() => dispatchEvent(new Event('timeout')));

  /** Lets the first request of a method and path reach the service, and never answers it. */
  async function loseFirst(page: Page, method: string, path: string) {
    const keys: string[] = [];
    let lose: () => void;
    const lost = new Promise<void>((resolve) => (lose = resolve));
    await route(page, path, async (route) => {
      const request = route.request();
      if (request.method() !== method) return route.fallback();
      if (keys.push(request.headers()['idempotency-key'] ?? '') > 1) return route.continue();
      await route.fetch();
      return lose();
    });
    return { keys, lost };
  }

  // The second error is that of Safari.
  test.each(['TimeoutError', 'AbortError'])(
    'is repeated with its key, if it is a change (%s)',
    async (error) => {
      const board = await startSmallBoard();
      const page = await openPatiently(board.url, error);
      await card(page, 'To do', 'Dog').waitFor();
      const { keys, lost } = await loseFirst(page, 'POST', `**/sprints/${board.sprint}/stories`);
      await page.keyboard.press('c');
      await page.getByLabel('Title').fill('Eel');
      await page.keyboard.press('Enter');
      await lost;
      await endRequests(page);
      await card(page, 'To do', 'Eel').getByText('#5').waitFor();
      expect(keys).toEqual([keys[0], keys[0]]);
      expect(keys[0]).not.toBe('');
      await until(page, titlesOf(board.sprint), 'Ant,Bee,Cat,Dog,Eel');
    },
  );

  test('is repeated, if it loads a view', async () => {
    const { url } = await startSmallBoard();
    const page = await openPatiently(url.replace('/b/rocket', '/tokens'));
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    await route(page, '**/api/boards', () => undefined);
    const sent = page.waitForRequest('**/api/boards');
    await page.getByRole('link', { name: 'Boards' }).click();
    await sent;
    await endRequests(page);
    await page.getByText('The service cannot be reached. Trying again').waitFor();
    await page.unroute('**/api/boards');
    await page.getByRole('main').getByRole('link', { name: 'rocket' }).waitFor();
  });

  test('is an error of the form that sends it, which can send it again with its key', async () => {
    const service = await startService();
    const page = await openPatiently(service.url);
    const { keys, lost } = await loseFirst(page, 'POST', '**/api/boards');
    await page.getByRole('button', { name: 'New board' }).click();
    await page.getByLabel('Name').fill('Twice');
    await page.getByRole('button', { name: 'Create' }).click();
    await lost;
    await endRequests(page);
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Plan' }).waitFor();
    expect(keys).toEqual([keys[0], keys[0]]);
    expect((await service.client.get('/api/boards')).body).toHaveLength(1);
  });

  test('is repeated, if it loads the sprint of a dialog or the preview of its completion', async () => {
    const board = await startSmallBoard();
    const page = await openPatiently(board.url);
    await card(page, 'To do', 'Dog').waitFor();
    const { lost } = await loseFirst(page, 'GET', `**/api/sprints/${board.sprint}`);
    await route(page, '**/complete', () => undefined);
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    await lost;
    const sent = page.waitForRequest('**/complete');
    await endRequests(page);
    await sent;
    await endRequests(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await page.unroute('**/complete');
    await dialog.getByText('4 stories are not done').waitFor();
    await dialog.getByRole('button', { name: 'Complete sprint' }).click();
    await page.getByRole('dialog', { name: 'Sprint 1 is completed' }).waitFor();
  });

  test('is treated as one whose response is no JSON, as that of a proxy', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage('about:blank');
    await route(page, '**/api/boards', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>Sign in to this network' }),
    );
    await page.goto(new URL('/', url).href);
    await page.getByText('The service cannot be reached. Trying again').waitFor();
    await page.unroute('**/api/boards');
    await page.getByRole('main').getByRole('link', { name: 'rocket' }).waitFor();
  });
});

describe('A request that a proxy answers with a page', () => {
  const statuses = [401, 403, 404];

  test('is repeated, and the view is loaded', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage('about:blank');
    const answers = new Map<string, number[]>();
    await route(page, '**/api/**', (route) => {
      const { pathname } = new URL(route.request().url());
      const left = answers.get(pathname) ?? [...statuses];
      answers.set(pathname, left);
      const status = left.shift();
      if (!status) return route.continue();
      return route.fulfill({ status, contentType: 'text/html', body: '<p>A proxy' });
    });
    await page.goto(url);
    await card(page, 'To do', 'Ant').waitFor();
    for (const path of ['/api/session', '/api/boards/rocket', '/api/boards/rocket/sprints']) {
      expect(answers.get(path)).toEqual([]);
    }
  });

  test('is repeated if it is a change, which is saved', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    const left = [...statuses];
    await route(page, '**/api/stories/*', (route) => {
      const status = route.request().method() === 'PUT' ? left.shift() : undefined;
      if (!status) return route.continue();
      return route.fulfill({ status, contentType: 'text/html', body: '<p>A proxy' });
    });
    await page.keyboard.press('2');
    const unsaved = page.getByText('1 unsaved change', { exact: true });
    await unsaved.waitFor();
    await unsaved.waitFor({ state: 'hidden' });
    expect(left).toEqual([]);
    expect((await board.story('Ant')).status).toBe('in_progress');
    await card(page, 'In progress', 'Ant').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describe('A lost response', () => {
  test('lets a board be created again with the same name, once', async () => {
    const service = await startService();
    const page = await openPage(service.url);
    let attempts = 0;
    await route(page, '**/api/boards', async (route) => {
      if (route.request().method() !== 'POST' || (attempts += 1) > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'New board' }).first().click();
    await page.getByLabel('Name').fill('Twice');
    await page.keyboard.press('Control+Enter');
    await page.getByText('The service cannot be reached').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { level: 1, name: 'Plan' }).waitFor();
    expect(attempts).toBe(2);
    expect((await service.client.get('/api/boards')).body).toHaveLength(1);
  });

  test.each([
    ['changed', ['Ant', 'Fox']],
    ['deleted', ['Ant']],
  ])('to a creation does not hide that someone else has %s the story', async (how, shown) => {
    const board = await startSmallBoard(['Ant']);
    const { client } = board;
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    const lost = new Promise<number>((resolve) => {
      void route(page, '**/api/sprints/*/stories', async (request) => {
        if (request.request().method() !== 'POST') return request.continue();
        const response = await request.fetch();
        resolve((await response.json()).id);
        return request.abort();
      });
    });
    await page.keyboard.press('c');
    await page.getByLabel('Title').fill('Eel');
    await page.keyboard.press('Enter');
    const path = `/api/stories/${await lost}`;
    if (how === 'changed') await client.put(path, { title: 'Fox' });
    else await client.delete(path);
    await page.getByRole('banner').getByText('1 unsaved change').waitFor();
    await page.unroute('**/api/sprints/*/stories');
    const again = page.waitForResponse((each) => each.request().method() === 'POST');
    await page.reload();
    expect((await again).headers()['idempotent-replayed']).toBe('true');
    await page.getByRole('banner').getByText('unsaved').waitFor({ state: 'detached' });
    await caughtUp(page, board);
    expect(await titles(page, 'To do')).toEqual(shown);
  });
});

test('an empty response does not sign the user out, and is repeated', async () => {
  const { url } = await startSmallBoard();
  const page = await openPage('about:blank');
  const asked = new Set<string>();
  await route(page, '**/api/**', (route) => {
    const { pathname } = new URL(route.request().url());
    if (asked.has(pathname)) return route.continue();
    asked.add(pathname);
    return route.fulfill({ headers: { 'Content-Length': '0' }, body: '' });
  });
  await page.goto(new URL('/', url).href);
  await page.getByRole('main').getByRole('link', { name: 'rocket' }).waitFor();
  await page.goto(url);
  await card(page, 'To do', 'Ant').waitFor();
});
