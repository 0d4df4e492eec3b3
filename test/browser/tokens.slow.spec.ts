import type { Page } from 'playwright-core';
import type { TestApp } from '../support/app';
import {
  axe,
  card,
  hold,
  list,
  openPage,
  route,
  settled,
  startService,
  titles,
  until,
} from './browser';
import { startSmallBoard } from './small-board';

interface Place {
  service: TestApp;
  admin: string;
  url: string;
}

/** Starts a service with an admin token and the board “rocket”, which has a sprint with one story. */
async function startClosed(): Promise<Place> {
  const service = await startService();
  const { client } = service;
  const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const sprint = await client.post('/api/boards/rocket/sprints', {
    name: 'Sprint 1',
    start_date: date,
  });
  await client.post(`/api/sprints/${sprint.body.id}/stories`, { title: 'Buy a ticket', points: 3 });
  await client.post('/api/boards', { name: 'Secret' });
  const { body } = await client.post('/api/tokens', { name: 'Ada', scope: 'admin' });
  return { service, admin: body.token, url: service.url };
}

const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

async function makeToken(place: Place, body: object): Promise<{ id: number; token: string }> {
  const answer = await place.service.client.post('/api/tokens', body, as(place.admin));
  expect(answer.status).toBe(201);
  return answer.body;
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens a page and signs in. */
async function openAs(place: Place, token: string, path: string, options = {}): Promise<Page> {
  const page = await openPage(`${place.url}${path}`, options);
  await signIn(page, token);
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ state: 'detached' });
  return page;
}

/** Deletes a token when the page sends the next request of a path, which is then rejected. */
const deleteBefore = (page: Page, path: string, place: Place, id: number): Promise<void> =>
  route(
    page,
    path,
    async (route) => {
      await place.service.client.delete(`/api/tokens/${id}`, as(place.admin));
      await route.continue();
    },
    { times: 1 },
  );

/** Signs in as Mei, ends her session, and sets the story in progress, which is rejected. */
async function openExpired(place: Place): Promise<Page> {
  const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
  const page = await openAs(place, token, '/b/rocket');
  await card(page, 'To do', 'Buy a ticket').focus();
  await deleteBefore(page, '**/api/stories/*', place, id);
  await page.keyboard.press('2');
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  return page;
}

/** The number of boards that the page has stored for a start without a connection. */
const storedBoards = `new Promise((resolve) => {
  const opening = indexedDB.open('sprintline');
  opening.onupgradeneeded = () => opening.transaction.abort();
  opening.onerror = () => resolve(0);
  opening.onsuccess = () => {
    const db = opening.result;
    db.transaction('boards').objectStore('boards').count().onsuccess = ({ target }) => {
      db.close();
      resolve(target.result);
    };
  };
})`;

describe('Signing in', () => {
  test('shows the requested page, and lasts over a reload until the user signs out', async () => {
    const place = await startClosed();
    const page = await openPage(`${place.url}/b/rocket`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await signIn(page, 'spl_wrong');
    await page.getByText('This token is not valid').waitFor();
    await signIn(page, place.admin);
    await card(page, 'To do', 'Buy a ticket').waitFor();
    expect(page.url()).toBe(`${place.url}/b/rocket`);
    await page.reload();
    await card(page, 'To do', 'Buy a ticket').waitFor();
    await until(page, storedBoards, 1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    // The next user of the browser must not find the board in it.
    expect(await page.evaluate(storedBoards)).toBe(0);
    await page.goto(`${place.url}/b/rocket`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await page.getByText('Buy a ticket').count()).toBe(0);
  });

  test('shows that a token is invalid if it is longer than the service accepts', async () => {
    const place = await startClosed();
    const page = await openPage(`${place.url}/b/rocket`);
    await signIn(page, 'x'.repeat(9000));
    await page.getByText('This token is not valid').waitFor();
  });

  test('ends in all tabs, and then no tab stores its board again', async () => {
    const place = await startClosed();
    const page = await openAs(place, place.admin, '/b/rocket');
    const other = await page.context().newPage();
    await other.clock.install();
    await other.goto(page.url());
    await card(other, 'To do', 'Buy a ticket').focus();
    await until(other, storedBoards, 1);
    const saved = await hold(other, /stories/, 'PUT');
    await other.keyboard.press('3');
    await saved.arrived;
    await other.keyboard.press('2');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Discard and sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const dialog = other.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('2 changes will be saved').waitFor();
    saved.release();
    await dialog.getByText('1 change will be saved').waitFor();
    await other.clock.runFor(1000);
    expect(await other.evaluate(storedBoards)).toBe(0);
    await signIn(other, place.admin);
    await until(other, storedBoards, 1);
  });

  test('lasts until the user agrees to lose typed text', async () => {
    const place = await startClosed();
    const page = await openAs(place, place.admin, '/b/rocket');
    await card(page, 'To do', 'Buy a ticket').getByRole('link').click();
    await page.getByRole('dialog').getByLabel('Description').fill('Typed');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages
      .getByText('You are still signed in: the text that you typed is not saved')
      .waitFor();
    await messages.getByRole('button', { name: 'Discard and sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test('lasts until the user agrees to lose the unsaved changes of a board that was left', async () => {
    const place = await startClosed();
    const page = await openAs(place, place.admin, '/b/rocket');
    await route(page, '**/api/stories/*', (route) => route.abort());
    await card(page, 'To do', 'Buy a ticket').focus();
    await page.keyboard.press('2');
    await card(page, 'In progress', 'Buy a ticket').waitFor();
    await page.getByRole('link', { name: 'Boards', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Boards' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('You are still signed in: 1 change is not saved').waitFor();
    await messages.getByRole('button', { name: 'Discard and sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test('is required again when the session ends, and then saves the changes made meanwhile', async () => {
    const place = await startClosed();
    const page = await openExpired(place);
    const again = await makeToken(place, { name: 'Mei', scope: 'write' });
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    const saved = page.waitForResponse(
      (response) => response.ok() && response.request().method() === 'PUT',
    );
    await signIn(page, again.token);
    await dialog.waitFor({ state: 'detached' });
    await card(page, 'In progress', 'Buy a ticket').waitFor();
    await saved;
    const { body } = await place.service.client.get('/api/boards/rocket/stories', as(place.admin));
    expect(body).toMatchObject([{ title: 'Buy a ticket', status: 'in_progress' }]);
    await place.service.client.put(
      `/api/stories/${body[0].id}`,
      { status: 'done' },
      as(place.admin),
    );
    await card(page, 'Done', 'Buy a ticket').waitFor();
  });

  test('again repeats the preview of an import', async () => {
    const place = await startClosed();
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const page = await openAs(place, token, '/b/rocket/import');
    await deleteBefore(page, '**/import?*', place, id);
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'stories.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('title\nAnt\n'),
    });
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    const again = await makeToken(place, { name: 'Mei', scope: 'write' });
    await signIn(page, again.token);
    await page.getByText('Creates 1 story.').waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
  });

  test('is no lost connection when it ends', async () => {
    const place = await startClosed();
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const page = await openAs(place, token, '/b/rocket');
    await card(page, 'To do', 'Buy a ticket').waitFor();
    await page.clock.install();
    await place.service.client.delete(`/api/tokens/${id}`, as(place.admin));
    await page.getByText('Connecting…').waitFor();
    await page.clock.runFor(500);
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await page.clock.runFor(1100);
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('The connection is lost');
  });

  test('can be postponed, and the page shows the unsaved changes meanwhile', async () => {
    const place = await startClosed();
    const page = await openExpired(place);
    await page.getByRole('dialog', { name: 'Sign in again' }).getByLabel('Close').click();
    await page.getByRole('banner').getByText('1 unsaved change').waitFor();
    await card(page, 'In progress', 'Buy a ticket').getByText('Unsaved').waitFor();
    const { token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    await page.getByRole('button', { name: 'Sign in' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Token').fill(token);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('banner').getByText('1 unsaved change').waitFor({ state: 'detached' });
    await until(
      page,
      "fetch('/api/boards/rocket/stories').then((response) => response.json()).then(([story]) => story.status)",
      'in_progress',
    );
  });

  test('again in one tab is enough for all tabs, which save their changes and show those of others', async () => {
    const place = await startClosed();
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const again = await makeToken(place, { name: 'Mei', scope: 'write' });
    const page = await openAs(place, token, '/b/rocket');
    const other = await page.context().newPage();
    await other.goto(page.url());
    const tabs = [page, other];
    for (const tab of tabs) await tab.getByRole('img', { name: 'Burndown of Sprint 1' }).waitFor();
    const dialog = (tab: Page) => tab.getByRole('dialog', { name: 'Sign in again' });
    await place.service.client.delete(`/api/tokens/${id}`, as(place.admin));
    await card(page, 'To do', 'Buy a ticket').focus();
    await page.keyboard.press('2');
    await dialog(page).waitFor();
    await other.getByRole('button', { name: 'Show as table' }).click();
    await dialog(other).waitFor();
    const saved = page.waitForResponse(
      (response) => response.ok() && response.request().method() === 'PUT',
    );
    await signIn(other, again.token);
    await saved;
    for (const tab of tabs) {
      await card(tab, 'In progress', 'Buy a ticket').waitFor();
      await dialog(tab).waitFor({ state: 'hidden' });
    }
    const { client } = place.service;
    const { body } = await client.get('/api/boards/rocket/stories', as(place.admin));
    await client.put(`/api/stories/${body[0].id}`, { status: 'done' }, as(place.admin));
    for (const tab of tabs) await card(tab, 'Done', 'Buy a ticket').waitFor();
  });

  test('in one tab shows the requested page in another one that asks for a token', async () => {
    const place = await startClosed();
    const page = await openPage(`${place.url}/b/rocket`);
    const other = await page.context().newPage();
    await other.goto(place.url);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await signIn(other, place.admin);
    await card(page, 'To do', 'Buy a ticket').waitFor();
  });

  test('saves the changes that were made before any token was required', async () => {
    const { client, url } = await startSmallBoard();
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').focus();
    const { body } = await client.post('/api/tokens', { name: 'Ada', scope: 'admin' });
    await page.keyboard.press('2');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('1 change will be saved once you have signed in.').waitFor();
    const saved = page.waitForResponse(
      (response) => response.ok() && response.request().method() === 'PUT',
    );
    await signIn(page, body.token);
    await saved;
    await page.getByRole('banner').getByText('Ada').waitFor();
    await card(page, 'In progress', 'Ant').waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'not saved' }).count()).toBe(0);
  });

  test('shows the messages in its dialog, above an open story', async () => {
    const place = await startClosed();
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const page = await openAs(place, token, '/b/rocket');
    await card(page, 'To do', 'Buy a ticket').press('Enter');
    const task = page.getByLabel('New task');
    await task.fill('Print it');
    await deleteBefore(page, '**/api/stories/*/tasks', place, id);
    await task.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    await dialog.getByRole('status').getByText('Created task “Print it”').waitFor();
  });

  test('as another user never sends the changes of the first user', async () => {
    const place = await startClosed();
    const page = await openExpired(place);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await page.getByText('1 change will be saved once you have signed in as Mei.').waitFor();
    await signIn(page, place.admin);
    await page.getByRole('alert').getByText('1 change by Mei is not saved.').waitFor();
    await page.getByRole('banner').getByText('Ada').waitFor();
    await card(page, 'To do', 'Buy a ticket').waitFor();
    expect(sent).toContain('POST');
    expect(sent).not.toContain('PUT');
  });

  test('as another user does not send the changes of the first user before the page is loaded again', async () => {
    const place = await startClosed();
    const page = await openExpired(place);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    const session = await hold(page, /^\/api\/session$/, 'POST');
    await signIn(page, place.admin);
    // From here on, the browser has the cookie of the other user.
    await session.arrived;
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await settled(page);
    session.release();
    await page.getByRole('banner').getByText('Ada').waitFor();
    expect(sent).not.toContain('PUT');
  });

  test('as another user offers to discard the unsaved changes of the first user', async () => {
    const place = await startClosed();
    const page = await openExpired(place);
    await signIn(page, place.admin);
    const message = page.getByRole('alert').filter({ hasText: '1 change by Mei is not saved.' });
    await message.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('status').getByText('Discarded 1 change by Mei').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const { token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    await signIn(page, token);
    await page.getByRole('main').getByRole('link', { name: 'rocket' }).click();
    await card(page, 'To do', 'Buy a ticket').waitFor();
    const { body } = await place.service.client.get('/api/boards/rocket/stories', as(place.admin));
    expect(body).toMatchObject([{ title: 'Buy a ticket', status: 'todo' }]);
  });

  test('as another user in another tab never saves the changes of the first user', async () => {
    const place = await startClosed();
    const page = await openExpired(place);
    const other = await page.context().newPage();
    await other.goto(place.url);
    await signIn(other, place.admin);
    await other.getByRole('heading', { level: 1, name: 'Boards' }).waitFor();
    // As when the user returns to the first tab.
    await page
      .evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      .catch(() => undefined);
    await page.getByRole('banner').getByText('Ada').waitFor();
    await card(page, 'To do', 'Buy a ticket').waitFor();
    const { body } = await place.service.client.get('/api/boards/rocket/stories', as(place.admin));
    expect(body).toMatchObject([{ title: 'Buy a ticket', status: 'todo' }]);
  });

  test('again loads what could not be loaded meanwhile', async () => {
    const place = await startClosed();
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const again = await makeToken(place, { name: 'Mei', scope: 'write' });
    const page = await openAs(place, token, '/b/rocket');
    await page.getByRole('img', { name: 'Burndown of Sprint 1' }).waitFor();
    await deleteBefore(page, '**/burndown', place, id);
    await page.getByRole('button', { name: 'Show as table' }).click();
    await signIn(page, again.token);
    await page.getByRole('table').waitFor();
  });

  test('again searches for the text that was typed when the session ended', async () => {
    const place = await startClosed();
    const { client } = place.service;
    const { body: stories } = await client.get('/api/boards/rocket/stories', as(place.admin));
    const description = { description: 'Window seat' };
    await client.put(`/api/stories/${stories[0].id}`, description, as(place.admin));
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const again = await makeToken(place, { name: 'Mei', scope: 'write' });
    const page = await openAs(place, token, '/b/rocket');
    await card(page, 'To do', 'Buy a ticket').waitFor();
    await deleteBefore(page, '**/stories?q=*', place, id);
    await page.getByLabel('Search').fill('window');
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    expect(await card(page, 'To do', 'Buy a ticket').count()).toBe(0);
    await signIn(page, again.token);
    await card(page, 'To do', 'Buy a ticket').waitFor();
  });

  test('again removes the error of the form that asked the user to sign in', async () => {
    const place = await startClosed();
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const again = await makeToken(place, { name: 'Mei', scope: 'write' });
    const page = await openAs(place, token, '/b/rocket/settings');
    await page.getByLabel('Name').fill('Rocket');
    await deleteBefore(page, '**/api/boards/rocket', place, id);
    await page.getByRole('button', { name: 'Save' }).click();
    const request = page.getByText('Your session has ended. Sign in, then try again.');
    await request.waitFor();
    await signIn(page, again.token);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await request.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Rocket');
  });

  test('again shows what completing a sprint does', async () => {
    const place = await startClosed();
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const again = await makeToken(place, { name: 'Mei', scope: 'write' });
    const page = await openAs(place, token, '/b/rocket');
    await card(page, 'To do', 'Buy a ticket').waitFor();
    await deleteBefore(page, '**/complete', place, id);
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    await signIn(page, again.token);
    const dialog = page.getByRole('dialog', { name: 'Complete Sprint 1' });
    await dialog.getByText('1 story is not done').waitFor();
    await dialog.getByRole('button', { name: 'Complete sprint' }).click();
    await page.getByRole('dialog', { name: 'Sprint 1 is completed' }).waitFor();
  });

  test('with a token that can only read shows no control that it cannot use', async () => {
    const place = await startClosed();
    const { token } = await makeToken(place, { name: 'Reader', scope: 'read' });
    const page = await openAs(place, token, '/b/rocket');
    await card(page, 'To do', 'Buy a ticket').focus();
    const names = await page.getByRole('button').allInnerTexts();
    expect(names.filter((name) => /New|Move|Start|Complete|Delete/.test(name))).toEqual([]);
    expect(await page.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
    const message = page.getByRole('region', { name: 'Messages' });
    for (const key of ['3', 'c', 'z']) {
      await page.keyboard.press(key);
      await message.getByText('You can only read this board').waitFor();
      await message.getByRole('button', { name: 'Dismiss' }).press('Enter');
      await until(page, 'document.activeElement.ariaLabel', 'Buy a ticket');
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await titles(page, 'To do')).toEqual(['Buy a ticket']);
    await page.keyboard.press('?');
    const keys = await page.getByRole('dialog').innerText();
    expect(keys).toContain('Next card');
    expect(keys).not.toMatch(/Set status|New story|Move card|Undo/);
    await page.keyboard.press('Escape');
    await page.goto(`${place.url}/b/rocket/settings`);
    await page.getByText('Your token can only read.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.goto(place.url);
    await page.getByRole('link', { name: 'Secret' }).waitFor();
    expect(await page.getByRole('button', { name: 'New board' }).count()).toBe(0);
  });

  test('again with a token that can only read deselects the stories', async () => {
    const place = await startClosed();
    const { id, token } = await makeToken(place, { name: 'Mei', scope: 'write' });
    const readOnly = await makeToken(place, { name: 'Mei', scope: 'read' });
    const page = await openAs(place, token, '/b/rocket/backlog');
    await list(page, 'Sprint 1').getByRole('listitem').first().focus();
    await page.keyboard.press('x');
    const selection = page.getByRole('toolbar', { name: 'Selected stories' });
    await selection.waitFor();
    await deleteBefore(page, '**/api/stories/*', place, id);
    await page.keyboard.press('2');
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await signIn(page, readOnly.token);
    await page.getByRole('alert').getByText('A token with the scope "write" is required').waitFor();
    await selection.waitFor({ state: 'detached' });
  });

  test('with a read-only token shows no hints to create stories or sprints', async () => {
    const place = await startClosed();
    const { token } = await makeToken(place, { name: 'Reader', scope: 'read' });
    const page = await openAs(place, token, '/b/Secret');
    await page.getByText('A sprint is a week or two').waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/Create|Add /);
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await page.getByText('The backlog is empty.').waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/Create|Add /i);
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByText('Reports are computed').waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/Create|Add /);
  });

  test('with a token for one board shows only that board', async () => {
    const place = await startClosed();
    const { token } = await makeToken(place, { name: 'Guest', scope: 'write', boards: ['rocket'] });
    const page = await openAs(place, token, '/');
    await page.getByRole('link', { name: 'rocket' }).waitFor();
    expect(await page.getByText('Secret').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
    await page.goto(`${place.url}/tokens`);
    await page.getByText('Only a token with the scope Admin').waitFor();
    await page.goto(`${place.url}/b/Secret`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  });
});

describe('The tokens', () => {
  const tokens = (page: Page) => list(page, 'Tokens').getByRole('listitem');

  test('begin with an admin token, which signs in the browser that creates it', async () => {
    const service = await startService();
    const page = await openPage(service.url);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByText('There is no token').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('From then on, everybody must sign in').waitFor();
    await dialog.getByLabel('Name').fill('Ada');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const secret = await dialog.getByLabel('The new token').inputValue();
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await tokens(page).filter({ hasText: 'Ada' }).waitFor();
    expect(await page.getByText('AUTH=off').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect((await service.client.get('/api/boards')).status).toBe(401);
    expect((await service.client.get('/api/boards', as(secret))).status).toBe(200);
    await page.reload();
    await tokens(page).filter({ hasText: 'Admin' }).waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
  });

  test('are not required with AUTH=off, as the page says', async () => {
    const service = await startService(undefined, { AUTH: 'off' });
    const page = await openPage(`${service.url}/tokens`);
    await page.getByRole('main').getByText('unless the service runs with AUTH=off').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('unless the service runs with AUTH=off').waitFor();
    await dialog.getByLabel('Name').fill('Ada');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await tokens(page).filter({ hasText: 'Ada' }).waitFor();
    await page.getByText('The service runs with AUTH=off. It requires no token').waitFor();
    expect((await service.client.get('/api/boards')).status).toBe(200);
  });

  test('show the first one even if signing in with it fails', async () => {
    const service = await startService();
    const page = await openPage(`${service.url}/tokens`);
    await page.getByRole('button', { name: 'New token' }).click();
    await route(page, '**/api/session', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByLabel('Name').fill('Ada');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const secret = await page.getByLabel('The new token').inputValue();
    await page.getByRole('alert').getByText('You are not signed in').waitFor();
    expect((await service.client.get('/api/boards', as(secret))).status).toBe(200);
    const signIn = page.getByRole('dialog', { name: 'Sign in again' });
    await settled(page);
    expect(await signIn.count()).toBe(0);
    await page.getByRole('button', { name: 'Done' }).click();
    await signIn.waitFor();
  });

  test('show the secret of a new one until Done is clicked', async () => {
    const place = await startClosed();
    const page = await openAs(place, place.admin, '/tokens');
    const tryToClose = async (): Promise<void> => {
      await page.mouse.click(5, 300);
      // A script can prevent only the first ones.
      for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    };
    await page.getByRole('button', { name: 'New token' }).click();
    const form = page.getByRole('dialog', { name: 'New token' });
    await form.getByLabel('Name').fill('CI');
    const created = await hold(page, /^\/api\/tokens$/, 'POST');
    await form.getByRole('button', { name: 'Create' }).click();
    await created.arrived;
    await tryToClose();
    expect(await form.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    created.release();
    const secret = page.getByRole('dialog', { name: 'Token created' }).getByLabel('The new token');
    await secret.waitFor();
    await tryToClose();
    expect(await secret.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Done' }).click();
    await tokens(page).filter({ hasText: 'CI' }).waitFor();
  });

  test('can be copied over plain HTTP, where the page has no clipboard', async () => {
    const service = await startService();
    const page = await openPage('about:blank');
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined });
      document.addEventListener('copy', () => {
        document.title = (document.activeElement as HTMLInputElement).value;
      });
    });
    await page.goto(`${service.url}/tokens`);
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Ada');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const secret = await dialog.getByLabel('The new token').inputValue();
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.title()).toBe(secret);
  });

  test('are deleted once by a double click, and the focus stays in the view', async () => {
    const place = await startClosed();
    await makeToken(place, { name: 'CI', scope: 'read' });
    const page = await openAs(place, place.admin, '/tokens');
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'DELETE') requests.push(request.url());
    });
    const row = tokens(page).filter({ hasText: 'CI' });
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).dblclick();
    await row.waitFor({ state: 'detached' });
    expect(requests).toHaveLength(1);
    await page.waitForFunction(() => document.activeElement?.matches('main'));
  });

  test('sign the user out when the last one is deleted', async () => {
    const place = await startClosed();
    const page = await openAs(place, place.admin, '/tokens');
    await page.getByRole('button', { name: 'Delete Ada' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no token yet').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New token' }).waitFor();
  });

  test('are created with boards and an expiry date, and deleted after a question', async () => {
    const place = await startClosed();
    const page = await openAs(place, place.admin, '/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must not be blank').waitFor();
    await dialog.getByLabel('Name').fill('CI');
    await dialog.getByLabel('Scope').selectOption('read');
    await dialog.getByRole('checkbox', { name: 'All boards' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'rocket' }).check();
    await dialog.getByLabel('Expires on').fill('2099-12-31');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByLabel('The new token').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = tokens(page).filter({ hasText: 'CI' });
    await row.waitFor();
    const shown = await row.innerText();
    for (const part of ['Read', 'rocket', '2099']) expect(shown).toContain(part);
    await tokens(page).filter({ hasText: 'Ada' }).getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('The last valid admin token cannot be deleted').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    const { body } = await place.service.client.get('/api/tokens', as(place.admin));
    expect(body.map(({ name }: any) => name)).toEqual(['Ada']);
  });

  test('are not created without an expiry date if the typed one does not exist', async () => {
    const place = await startClosed();
    const page = await openAs(place, place.admin, '/tokens', { locale: 'en-US' });
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('CI');
    await dialog.getByLabel('Expires on').click({ position: { x: 12, y: 12 } });
    await page.keyboard.type('02312099');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('This date is incomplete or does not exist.').waitFor();
    const { body } = await place.service.client.get('/api/tokens', as(place.admin));
    expect(body.map(({ name }: any) => name)).toEqual(['Ada']);
  });

  test('say that they are for no board', async () => {
    const place = await startClosed();
    await makeToken(place, { name: 'Metrics', scope: 'read', boards: [] });
    const page = await openAs(place, place.admin, '/tokens');
    const row = tokens(page).filter({ hasText: 'Metrics' });
    expect(await row.getByRole('definition').first().innerText()).toBe('None');
  });

  test.each(['light', 'dark'] as const)('have no errors in axe (%s)', async (colorScheme) => {
    const place = await startClosed();
    await makeToken(place, {
      name: 'A name that is as long as names may be '.repeat(2),
      scope: 'read',
    });
    const viewport = { width: 390, height: 844 };
    const page = await openAs(place, place.admin, '/tokens', { colorScheme, viewport });
    await tokens(page).nth(1).waitFor();
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.goto(`${place.url}/b/rocket`);
    await card(page, 'To do', 'Buy a ticket').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
