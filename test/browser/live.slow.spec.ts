import type { Page } from 'playwright-core';
import type { TestApp } from '../support/app';
import { made2xx } from '../support/make';
import {
  card,
  delay,
  drawn,
  focusedName,
  hold,
  list,
  openPage,
  openPageWithoutStream,
  route,
  startService,
  titles,
  until,
} from './browser';
import type { SmallBoard } from './small-board';
import {
  day,
  fieldOf,
  openStory,
  openStream,
  revisionOf,
  startKillableBoard,
  startSmallBoard,
} from './small-board';

/** Presses a key in the moment in which a card gets the focus. */
const pressOnFocus = (page: Page, title: string, key: string): Promise<void> =>
  page.evaluate(
    (given) => {
      const press = ({ target }: FocusEvent): void => {
        if ((target as Element).ariaLabel !== given.title) return;
        removeEventListener('focusin', press);
        target?.dispatchEvent(new KeyboardEvent('keydown', { key: given.key, bubbles: true }));
      };
      addEventListener('focusin', press);
    },
    { title, key },
  );

/** Starts a service at 23:59 in Tokyo, with a board whose second sprint begins at midnight. */
async function startBeforeMidnight(): Promise<TestApp> {
  const service = await startService();
  service.clock.set('2026-11-17T14:59:00Z');
  await service.client.post('/api/boards', { name: 'rocket', time_zone: 'Asia/Tokyo' });
  for (const sprint of [
    { name: 'Sprint 1', start_date: '2026-11-16', end_date: '2026-11-17' },
    { name: 'Sprint 2', start_date: '2026-11-18', end_date: '2026-11-20' },
  ]) {
    await service.client.post('/api/boards/rocket/sprints', sprint);
  }
  return service;
}

describe('The live board', () => {
  test('resumes after a lost connection, without moving the focus', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Dog').focus();
    await board.kill();
    await page.getByRole('banner').getByText('Connecting').waitFor();
    await board.restart();
    await board.client.put(`/api/stories/${board.ids.Ant}`, { status: 'done' });
    await board.client.delete(`/api/stories/${board.ids.Bee}`);
    await card(page, 'Done', 'Ant').waitFor();
    await card(page, 'To do', 'Bee').waitFor({ state: 'detached' });
    expect(await focusedName(page)).toBe('Dog');
    expect(await titles(page, 'To do')).toEqual(['Cat', 'Dog']);
  });

  test('shows the change of a story whose id equals that of a task that was created meanwhile', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(board.url);
    await board.client.put(`/api/stories/${board.ids.Ant}`, { title: 'Ant and queen' });
    const dialog = await openStory(page, 'Bee');
    await dialog.getByLabel('New task').fill('Sting');
    await dialog.getByLabel('New task').press('Enter');
    const ids = `fetch('/api/stories/${board.ids.Bee}/tasks').then((response) => response.json())
      .then((tasks) => tasks.map(({ id }) => id).join())`;
    await until(page, ids, String(board.ids.Ant));
    await page.unroute('**/stream?*');
    await card(page, 'To do', 'Ant and queen').waitFor();
  });

  test('shows each of several stories once that are created in a row', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').waitFor();
    const events = await openStream(board);
    // The responses to both creations wait: the first one until the second story is typed.
    const first = await hold(page, /batch$/, 'POST');
    const field = page.getByLabel('New story in Backlog');
    for (const title of ['Emu', 'Fox']) {
      await field.fill(title);
      await field.press('Enter');
    }
    await first.arrived;
    const second = await hold(page, /batch$/, 'POST');
    first.release();
    await second.arrived;
    // The event of the second creation arrives before its response.
    await events.reaches(revisionOf(await board.client.get('/api/boards/rocket')));
    await drawn(page);
    expect(await titles(page, 'Backlog')).toEqual(['Emu', 'Fox']);
    expect(await page.getByRole('status').first().innerText()).not.toContain('Someone');
    second.release();
    await card(page, 'Backlog', 'Fox').getByText('#').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Emu', 'Fox']);
  });

  test('shows that the board was deleted', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await board.client.delete('/api/boards/rocket?force=true');
    await page.getByText('This board was deleted').waitFor();
    expect(await page.getByText('Connecting').count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: 'Boards' }).waitFor();
  });

  test('follows a new name of the board, even after a lost connection', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await board.client.put('/api/boards/rocket', { name: 'Über / 火箭' });
    await page.waitForURL(`**/b/${encodeURIComponent('Über / 火箭')}`);
    await page.context().setOffline(true);
    await board.client.put(`/api/boards/${encodeURIComponent('Über / 火箭')}`, {
      name: 'moon',
    });
    await page.context().setOffline(false);
    await page.waitForURL('**/b/moon');
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('3');
    await card(page, 'Done', 'Ant').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Sprint 1');
  });

  const remove = ({ client, ids }: SmallBoard) => client.delete(`/api/stories/${ids.Bee}`);
  const toBacklog = ({ client, ids }: SmallBoard) =>
    client.post(`/api/stories/${ids.Bee}/move`, { sprint_id: null });
  test.each([
    ['deleted', 'board', '', 'To do', remove],
    ['moved from', 'board', '', 'To do', toBacklog],
    ['deleted', 'plan', '/backlog', 'Sprint 1', remove],
  ])(
    'ignores the keys that are meant for a card that someone else has just %s (%s)',
    async (_what, _view, path, column, take) => {
      const board = await startSmallBoard();
      const page = await openPage('about:blank');
      await page.clock.install();
      await page.goto(board.url + path);
      await card(page, column, 'Bee').focus();
      await pressOnFocus(page, 'Cat', '2');
      await take(board);
      const message = 'Someone else has moved or deleted the story that had the focus';
      await page.getByRole('status').getByText(message).waitFor();
      await page.clock.fastForward(1100);
      await page.keyboard.press('3');
      await until(page, fieldOf(board.ids.Cat, 'status'), 'done');
      // The ignored key has changed nothing.
      expect(await board.story('Cat')).toMatchObject({ version: 2 });
    },
  );

  test('ignores the keys that are meant for a card that was removed behind a dialog or with its menu', async () => {
    const board = await startSmallBoard();
    const { client, ids, url } = board;
    const page = await openPage(url);
    const message = page
      .getByRole('region', { name: 'Messages' })
      .getByText('Someone else has moved or deleted the story that had the focus');
    await openStory(page, 'Bee');
    await client.post(`/api/stories/${ids.Bee}/move`, { sprint_id: null });
    await card(page, 'To do', 'Bee').waitFor({ state: 'detached' });
    await pressOnFocus(page, 'Cat', '2');
    await page.keyboard.press('Escape');
    await message.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await card(page, 'To do', 'Dog').getByRole('button', { name: 'Move' }).click();
    await page.getByRole('menu').waitFor();
    await pressOnFocus(page, 'Ant', '2');
    await client.delete(`/api/stories/${ids.Dog}`);
    await message.waitFor();
    expect(await titles(page, 'To do')).toEqual(['Ant', 'Cat']);
  });

  test('runs a key at once on the card that follows one which the user has moved away or deleted', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('m');
    await pressOnFocus(page, 'Bee', '2');
    await page.getByRole('menuitem', { name: 'Backlog' }).press('Enter');
    await card(page, 'In progress', 'Bee').waitFor();
    const dialog = await openStory(page, 'Cat');
    await pressOnFocus(page, 'Dog', '2');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await card(page, 'In progress', 'Dog').waitFor();
  });

  test('updates the working days left at midnight in the time zone of the board', async () => {
    const { client, url, clock } = await startService();
    // 23:59 in Tokyo.
    clock.set('2026-11-17T14:59:00Z');
    await client.post('/api/boards', {
      name: 'rocket',
      time_zone: 'Asia/Tokyo',
      working_days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    });
    const sprint = { start_date: '2026-11-14', end_date: '2026-11-27' };
    await client.post('/api/boards/rocket/sprints', sprint);
    const page = await openPage('about:blank');
    await page.clock.install({ time: '2026-11-17T14:59:00Z' });
    await page.goto(`${url}/b/rocket`);
    await page.getByText('11 working days left').waitFor();
    const read = page.waitForRequest((request) => request.url().endsWith('/sprints'));
    clock.set('2026-11-17T15:00:30Z');
    await page.clock.fastForward(90_000);
    await page.getByText('10 working days left').waitFor();
    await read;
  });

  test('says that another sprint is the current one once it has begun', async () => {
    const { url, clock } = await startBeforeMidnight();
    const page = await openPage('about:blank', { timezoneId: 'America/Los_Angeles' });
    await page.clock.install({ time: '2026-11-17T14:59:00Z' });
    await page.goto(`${url}/b/rocket`);
    await page.getByRole('heading', { level: 1, name: 'Sprint 1' }).waitFor();
    clock.set('2026-11-17T15:00:30Z');
    await page.clock.fastForward(90_000);
    await page.getByRole('heading', { level: 1, name: 'Sprint 2' }).waitFor();
    await page.getByRole('status').getByText('Sprint 2 is now the current sprint').waitFor();
  });

  test.each([
    ['hours ahead', '2026-11-17T21:00:00Z'],
    ['hours behind', '2026-11-17T10:00:00Z'],
    ['years behind', '2019-01-01T00:00:00Z'],
  ])(
    'shows the sprint that has begun on the service if the clock of the browser is %s',
    async (_, time) => {
      const { url, clock } = await startBeforeMidnight();
      const page = await openPage('about:blank');
      await page.clock.install({ time });
      await page.goto(`${url}/b/rocket`);
      await page.getByRole('heading', { level: 1, name: 'Sprint 1' }).waitFor();
      await page.getByText('1 working day left').waitFor();
      clock.set('2026-11-17T15:00:30Z');
      await page.clock.fastForward(90_000);
      await page.getByRole('heading', { level: 1, name: 'Sprint 2' }).waitFor();
      await page.getByText('3 working days left').waitFor();
    },
  );

  test('shows the sprint that begins while the board is read', async () => {
    const { url, clock } = await startBeforeMidnight();
    // Requests that take 30 s would be sent again after midnight.
    clock.set('2026-11-17T14:59:50Z');
    const page = await openPage('about:blank');
    await page.clock.install({ time: '2026-11-17T14:59:50Z' });
    const release = await delay(page, '**/api/boards/rocket');
    const sprints = page.waitForResponse('**/sprints');
    await page.goto(`${url}/b/rocket`);
    await sprints;
    clock.set('2026-11-17T15:00:10Z');
    await page.clock.fastForward(20_000);
    release();
    await page.getByRole('heading', { level: 1, name: 'Sprint 2' }).waitFor();
  });

  test('shows dates in UTC if the browser does not know the time zone, and says so', async () => {
    const board = await startSmallBoard();
    await board.client.put('/api/boards/rocket', { time_zone: 'Europe/Kyiv' });
    const page = await openPage('about:blank');
    await page.addInitScript(() => {
      const Known = Intl.DateTimeFormat;
      Intl.DateTimeFormat = function (languages: string[], options?: Intl.DateTimeFormatOptions) {
        if (options?.timeZone === 'Europe/Kyiv') throw new RangeError('Invalid time zone');
        return new Known(languages, options);
      } as any;
    });
    await page.goto(board.url);
    await page.getByText('working days left').waitFor();
    await page
      .getByRole('alert')
      .getByText('This browser does not know the time zone Europe/Kyiv')
      .waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.goto(`${board.url}/backlog`);
    await page.getByRole('button', { name: 'New sprint' }).click();
    expect(await page.getByLabel('Start date').inputValue()).toBe(day(11));
  });

  test('finds a story by its whole id', async () => {
    const names = Array.from({ length: 12 }, (_, i) => 'abcdefghijkl'.charAt(i));
    const board = await startSmallBoard(names);
    const page = await openPage(board.url);
    for (const search of ['2', '#2']) {
      await page.getByLabel('Search').fill(search);
      await until(page, `document.querySelectorAll('[data-story]').length`, 1);
      expect(await titles(page, 'To do')).toEqual(['b']);
    }
  });

  test('shows the current sprint if the URL names an empty one', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}?sprint=`);
    await page.getByRole('heading', { level: 1, name: 'Sprint 1' }).waitFor();
    await card(page, 'To do', 'Ant').waitFor();
  });

  test('of a completed sprint links to its report', async () => {
    const board = await startSmallBoard();
    await made2xx(board.client.post(`/api/sprints/${board.sprint}/complete`));
    const page = await openPage(`${board.url}?sprint=${board.sprint}`);
    await page.getByRole('link', { name: 'Sprint report' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?sprint=${board.sprint}`);
  });

  test('is what Undo needs, so the list of boards has no key for it', async () => {
    const { url } = await startService();
    const page = await openPage(url);
    await page.getByRole('button', { name: 'New board' }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Command palette').waitFor();
    expect(await dialog.getByText('Undo').count()).toBe(0);
  });

  test('does not say that it connects after a response that is an error', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    // The story and its tasks are read at once, and either response would end the attempts.
    const reads = /\/api\/stories\/999(\/tasks)?$/;
    await route(page, reads, (route) => route.abort());
    await page.evaluate((url) => {
      history.pushState(null, '', url);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `${board.url}/stories/999`);
    await page.getByRole('banner').getByText('Connecting').waitFor();
    await page.unroute(reads);
    await page.getByText('There is no such story on this board').waitFor();
    await page.getByRole('banner').getByText('Connecting').waitFor({ state: 'detached' });
  });

  test('finds words in descriptions', async () => {
    const board = await startSmallBoard(['Ant', { title: 'Bee', description: 'Makes honey' }]);
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('honey');
    await card(page, 'To do', 'Bee').waitFor();
    expect(await titles(page, 'To do')).toEqual(['Bee']);
  });

  test('finds a story whose description someone else changes during the search', async () => {
    const board = await startSmallBoard(['Ant', { title: 'Bee', description: 'Makes honey' }]);
    const page = await openPage(`${board.url}?q=honey`);
    await card(page, 'To do', 'Bee').waitFor();
    await board.client.put(`/api/stories/${board.ids.Ant}`, { description: 'Likes honey' });
    await card(page, 'To do', 'Ant').waitFor();
    await board.client.put(`/api/stories/${board.ids.Bee}`, { description: null });
    await card(page, 'To do', 'Bee').waitFor({ state: 'detached' });
    expect(await titles(page, 'To do')).toEqual(['Ant']);
  });

  test('finds words in descriptions after the connection was lost during the search', async () => {
    const board = await startKillableBoard(['Ant', { title: 'Bee', description: 'Makes honey' }]);
    const page = await openPage(board.url);
    await card(page, 'To do', 'Bee').waitFor();
    await board.kill();
    await page.getByText('Connecting…').waitFor();
    await page.getByLabel('Search').fill('honey');
    await page.getByText('No story matches.').first().waitFor();
    await board.restart();
    await card(page, 'To do', 'Bee').waitFor();
  });

  test('shows hostile names as text', async () => {
    const names = [
      '<img src=x onerror=alert(1)>',
      '\u202Egnirts desrever \u2066x\u2069',
      'W'.repeat(255),
      '👩‍👩‍👧‍👦🏳️‍🌈',
      '{{constructor}} ${1} "\' javascript:alert(1)',
    ];
    const board = await startSmallBoard(
      names.map((title) => ({ title, assignee: names[0], labels: [names[0]], description: title })),
    );
    const page = await openPage(board.url, { viewport: { width: 390, height: 844 } });
    await card(page, 'To do', names[3] ?? '').waitFor();
    expect(await titles(page, 'To do')).toEqual(names);
    expect(await list(page, 'To do').locator('img').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.goto(`${board.url}/stories/${board.ids[names[0] ?? '']}`);
    await page.getByRole('heading', { name: names[0] }).waitFor();
    expect(await page.getByRole('dialog').locator('img').count()).toBe(0);
  });
});

describe('A page in the background', () => {
  /** Makes a page believe that it is in the background, until `false` is set. */
  const hide = (): void => {
    Object.assign(globalThis, { isInBackground: true });
    const get = (): boolean => (globalThis as any).isInBackground;
    Object.defineProperty(Document.prototype, 'hidden', { get });
  };

  test('leaves the connection to others, and has all changes once it is shown', async () => {
    const board = await startSmallBoard();
    const page = await openPage('about:blank');
    await page.clock.install();
    // A browser has six connections to a service.
    const tabs = [page];
    while (tabs.length < 6) tabs.push(await page.context().newPage());
    for (const tab of tabs) {
      await tab.addInitScript(hide);
      await tab.goto(board.url);
      await card(tab, 'To do', 'Ant').waitFor();
      await tab.getByRole('banner').getByText('Connecting').waitFor({ state: 'detached' });
    }
    await page.clock.fastForward(31_000);
    const seventh = await page.context().newPage();
    await seventh.goto(board.url);
    await card(seventh, 'To do', 'Ant').focus();
    await seventh.keyboard.press('2');
    await card(seventh, 'In progress', 'Ant').waitFor();
    await until(seventh, fieldOf(board.ids.Ant, 'status'), 'in_progress');

    expect(await titles(page, 'In progress')).toEqual([]);
    await page.evaluate(() => {
      Object.assign(globalThis, { isInBackground: false });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await card(page, 'In progress', 'Ant').waitFor();
    await page.clock.runFor(2000);
    await page.getByRole('status').getByText('moved “Ant” to In progress').waitFor();
    expect(await page.getByRole('status').getByText('onnect').count()).toBe(0);
  });
});
