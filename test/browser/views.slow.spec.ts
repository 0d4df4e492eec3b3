import type { Locator, Page } from 'playwright-core';
import { made2xx } from '../support/make';
import {
  axe,
  card,
  drawn,
  hold,
  list,
  openPage,
  reloadUnasked,
  route,
  startService,
  stayOnReload,
  titles,
  until,
  untilRead,
} from './browser';
import { startDemo } from './demo';
import { startPlan } from './plan-board';
import { day, startSmallBoard } from './small-board';

/** A story of the demo that is always to do; the state of the others depends on the day and the hour. */
const STORY = 'Event pages load in under a second';

/** The views: their names, paths, headings, and the elements that they show last. */
const VIEWS: [name: string, path: string, heading: string, shown: (page: Page) => Locator][] = [
  [
    'the list of boards',
    '/',
    'Boards',
    (page) => page.getByRole('link', { name: 'Demo Sprint 12' }),
  ],
  ['the board', '/b/Demo', 'Sprint 12', (page) => page.getByRole('img', { name: /burndown/i })],
  ['the plan', '/b/Demo/backlog', 'Plan', (page) => list(page, 'Backlog')],
  [
    'the reports',
    '/b/Demo/reports',
    'Reports',
    (page) => page.getByRole('img', { name: /forecast/i }),
  ],
  ['the settings', '/b/Demo/settings', 'Settings', (page) => page.getByLabel('Time zone')],
  [
    'the import',
    '/b/Demo/import',
    'Import into Demo',
    (page) => page.getByLabel('File', { exact: true }),
  ],
  ['the tokens', '/tokens', 'Tokens', (page) => page.getByRole('button', { name: 'New token' })],
];

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({ colorScheme, viewport: { width, height: 800 } })),
);

test('every view is accessible and fits, light and dark, on a desk and on a phone', async () => {
  const { url } = await startDemo();
  for (const look of LOOKS) {
    const page = await openPage(url, { ...look, isMobile: look.viewport.width < 400 });
    for (const [name, path, heading, shown] of VIEWS) {
      await page.goto(url + path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await shown(page).first().waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([name, look, width, await axe(page)]).toEqual([name, look, look.viewport.width, []]);
      expect(await page.locator('main').count()).toBe(1);
      expect(await page.locator('h1').count()).toBe(1);
    }
  }
});

test('every view and dialog fits a phone with text of twice the size', async () => {
  const { url } = await startDemo();
  const viewport = { width: 390, height: 800 };
  const page = await openPage(url, { viewport, isMobile: true });
  const debug = await page.context().newCDPSession(page);
  // The size of text that the user has chosen in the browser.
  await debug.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
  const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
  const fits = async (element: Locator): Promise<void> => {
    const { x, width } = (await element.boundingBox())!;
    expect([x >= 0, x + width <= 390]).toEqual([true, true]);
    expect(await element.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  };
  for (const [name, path, heading, shown] of VIEWS) {
    await page.goto(url + path);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await shown(page).first().waitFor();
    expect([name, await width()]).toEqual([name, 390]);
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    for (const link of await links.all()) await fits(link);
  }
  await page.goto(`${url}/b/Demo`);
  await card(page, 'To do', STORY).waitFor();
  const tabs = page.getByRole('navigation', { name: 'Columns' }).getByRole('button');
  for (const tab of await tabs.all()) await fits(tab);
  for (const name of ['Commands', 'New story', 'Complete sprint']) {
    await page.getByRole('button', { name }).click();
    await fits(page.getByRole('dialog'));
    expect([name, await width()]).toEqual([name, 390]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

test('the list of boards shows the other active sprints if one cannot be read, or only later', async () => {
  const { client, url } = await startService();
  for (const name of ['Ant', 'Bee', 'Cat']) {
    const sprint = { name: `Sprint of ${name}`, start_date: day(-1), end_date: day(5) };
    await made2xx(client.post(`/api/boards/${name}/sprints`, sprint));
  }
  const page = await openPage('about:blank');
  await route(page, '**/api/boards/Ant/sprints*', async (route) => {
    await client.delete('/api/boards/Ant');
    return route.continue();
  });
  await route(page, '**/api/boards/Bee/sprints*', (route) => route.fulfill({ status: 503 }), {
    times: 1,
  });
  await page.goto(url);
  const boards = page.getByRole('main').getByRole('listitem');
  await boards.filter({ hasText: 'Sprint of Cat' }).waitFor();
  await boards.filter({ hasText: 'Sprint of Bee' }).waitFor();
});

test('the list of boards shows the active sprint of each board that started last', async () => {
  const { url, client } = await startService();
  const sprints = {
    many: [
      { name: 'Long', start_date: day(-9), end_date: day(20) },
      { name: 'Short', start_date: day(-2), end_date: null },
      { name: 'Later', start_date: day(30), end_date: null },
    ],
    one: [{ name: 'Last day', start_date: day(-7), end_date: day(0) }],
    planned: [{ name: 'Later', start_date: day(30), end_date: null }],
  };
  const workingDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  for (const [name, bodies] of Object.entries(sprints)) {
    await client.post('/api/boards', { name, working_days: workingDays });
    for (const body of bodies) await client.post(`/api/boards/${name}/sprints`, body);
  }
  const page = await openPage(url);
  const row = (name: string): Locator => page.getByRole('link', { name });
  await row('many Short').waitFor();
  await row('one Last day').getByText('1 working day left').waitFor();
  await row('planned No active sprint').waitFor();
  await row('one').click();
  await page.getByRole('heading', { level: 1, name: 'Last day' }).waitFor();
});

test('the list of boards shows the sprint that begins at midnight in the time zone of its board', async () => {
  const { client, url, clock } = await startService();
  const workingDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  for (const [name, time_zone] of [
    ['far', 'Asia/Tokyo'],
    ['near', 'UTC'],
  ]) {
    await client.post('/api/boards', { name, time_zone, working_days: workingDays });
    for (const sprint of [
      { name: 'First', start_date: '2026-11-16', end_date: '2026-11-17' },
      { name: 'Second', start_date: '2026-11-18', end_date: '2026-11-20' },
    ]) {
      await client.post(`/api/boards/${name}/sprints`, sprint);
    }
  }
  // 23:59 in Tokyo.
  clock.set('2026-11-17T14:59:00Z');
  const page = await openPage('about:blank', { timezoneId: 'America/Los_Angeles' });
  await page.clock.install({ time: '2026-11-17T14:59:00Z' });
  await page.goto(url);
  await page.getByRole('link', { name: 'far First' }).getByText('1 working day left').waitFor();
  // Two boards have two requests, and a new day two more.
  const read: string[] = [];
  page.on('request', (request) => read.push(request.url()));
  clock.set('2026-11-17T15:02:00Z');
  await page.clock.fastForward(180_000);
  await page.getByRole('link', { name: 'far Second' }).getByText('3 working days left').waitFor();
  await page.getByRole('link', { name: 'near First' }).getByText('1 working day left').waitFor();
  expect(read.filter((each) => each.includes('/far/'))).toHaveLength(1);
});

test('the list of boards is read again when it is shown again, with the sprints of changed boards', async () => {
  const { client, url } = await startService();
  for (const name of ['Ant', 'Bee', 'Cat', 'Dog']) {
    const sprint = { name: `Sprint of ${name}`, start_date: day(-1), end_date: day(5) };
    await made2xx(client.post(`/api/boards/${name}/sprints`, sprint));
  }
  const page = await openPage(url);
  const boards = page.getByRole('main').getByRole('listitem');
  await boards.filter({ hasText: 'Sprint of Dog' }).waitFor();
  const sprints: string[] = [];
  page.on('request', (request) => {
    const board = /boards\/(\w+)\/sprints/.exec(request.url())?.[1];
    if (board) sprints.push(board);
  });
  await client.delete('/api/boards/Ant?force=true');
  await client.put('/api/boards/Bee', { name: 'Bat' });
  await client.post('/api/boards', { name: 'Eel' });
  const cat = await client.get('/api/boards/Cat/sprints/current');
  await made2xx(client.post(`/api/sprints/${cat.body.id}/complete`, {}));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await boards.filter({ hasText: /Eel\s*No active sprint/ }).waitFor();
  expect((await boards.allInnerTexts()).map((each) => each.replace(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^Bat Sprint of Bee/),
    'Cat No active sprint',
    expect.stringMatching(/^Dog Sprint of Dog/),
    'Eel No active sprint',
  ]);
  expect(sprints).toEqual(['Bat', 'Cat', 'Eel']);
  // The focus comes back from another window.
  await client.delete('/api/boards/Eel');
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await boards.filter({ hasText: 'Eel' }).waitFor({ state: 'detached' });
});

test('Back restores the scroll position of the list of boards', async () => {
  const { client, url } = await startService();
  for (let i = 10; i < 60; i++) await made2xx(client.post('/api/boards', { name: `Board ${i}` }));
  const page = await openPage(url);
  const link = page.getByRole('link', { name: 'Board 40' });
  await link.scrollIntoViewIfNeeded();
  const y = await page.evaluate(() => scrollY);
  expect(y).toBeGreaterThan(500);
  const { arrived, release } = await hold(page, /^\/api\/boards$/);
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'No active sprint' }).waitFor();
  await page.goBack();
  await arrived;
  await link.waitFor();
  await until(page, 'scrollY', y);
  release();
});

test('nothing moves if the user prefers reduced motion', async () => {
  const { url } = await startService();
  const page = await openPage(url, { reducedMotion: 'reduce' });
  await page.getByRole('button', { name: 'New board' }).click();
  await page.getByRole('dialog').waitFor();
  const moving = await page.evaluate(
    () =>
      document.getAnimations().filter((each) => Number(each.effect?.getTiming().duration) > 1)
        .length,
  );
  expect(moving).toBe(0);
});

test('a story can be saved without scrolling to its end', async () => {
  const { url } = await startDemo();
  const page = await openPage(`${url}/b/Demo/stories/46`, {
    viewport: { width: 390, height: 600 },
  });
  const save = await page.getByRole('button', { name: 'Save' }).boundingBox();
  expect(save!.y + save!.height).toBeLessThan(600);
  // The focused field is not behind the buttons.
  await page.getByLabel('New task').focus();
  const field = await page.getByLabel('New task').boundingBox();
  expect(field!.y + field!.height).toBeLessThan(save!.y);
  for (const height of [560, 600, 640, 680, 720, 760]) {
    await page.setViewportSize({ width: 390, height });
    expect(await axe(page)).toEqual([]);
  }
});

test.each([320, 390])('a window of %d pixels shows when a story was changed', async (width) => {
  const { url } = await startDemo();
  const viewport = { width, height: 600 };
  const page = await openPage(`${url}/b/Demo/stories/46`, { viewport });
  const time = page.getByRole('dialog').getByText(/^#46, changed/);
  await time.waitFor();
  const isCut = await time.evaluate(
    (each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight,
  );
  expect(isCut).toBe(false);
});

test('a dialog has no scrollbar if it fits, and a click on its scrollbar does not close it', async () => {
  const { url } = await startPlan();
  const page = await openPage(url);
  const dialog = page.getByRole('dialog');
  await card(page, 'Backlog', 'Dog').waitFor();
  await page.keyboard.press('c');
  await dialog.getByRole('button', { name: 'Create' }).waitFor();
  expect(await dialog.evaluate((each) => each.scrollHeight - each.clientHeight)).toBe(0);
  // Headless browsers have no scrollbars; a click on one has the dialog as its target.
  const { x, y, width } = (await dialog.boundingBox())!;
  const clickAt = (clientX: number): Promise<void> =>
    dialog.dispatchEvent('mousedown', { clientX, clientY: y + 50 });
  await clickAt(x + width - 5);
  expect(await dialog.count()).toBe(1);
  await clickAt(x + width + 5);
  await dialog.waitFor({ state: 'detached' });
});

test('a dialog is not covered by the message about the change before', async () => {
  const { url } = await startDemo();
  const page = await openPage(`${url}/b/Demo`);
  await card(page, 'To do', STORY).focus();
  await page.keyboard.press('3');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
});

/** The lower edge of the message that offers Undo, and the space below it that its shadow has. */
async function placeOfMessage(page: Page): Promise<{ bottom: number; space: number }> {
  const messages = page.getByRole('region', { name: 'Messages' });
  const undo = messages.locator('div', { has: page.getByRole('button', { name: 'Undo' }) });
  const [area, message] = [await messages.boundingBox(), await undo.boundingBox()];
  const bottom = message!.y + message!.height;
  return { bottom, space: area!.y + area!.height - bottom };
}

test('the buttons of a story are not covered by the message about a removed task', async () => {
  const { url } = await startDemo();
  for (const width of [390, 1280]) {
    const page = await openPage(`${url}/b/Demo/stories/46`, { viewport: { width, height: 600 } });
    const remove = page.getByRole('dialog').getByRole('button', { name: /^Remove task/ });
    await remove.first().press('Enter');
    const { bottom, space } = await placeOfMessage(page);
    const save = await page.getByRole('button', { name: 'Save' }).boundingBox();
    expect(bottom).toBeLessThan(save!.y);
    expect(space).toBeGreaterThanOrEqual(40);
  }
});

test.each([
  [1024, 768],
  [390, 844],
])(
  'the buttons of a dialog are not covered by many messages about rejected changes (%i px)',
  async (width, height) => {
    const names = ['Ant', 'Bee', 'Cat', 'Dog', 'Elk', 'Fox', 'Gnu', 'Hen', 'Ibex', 'Jay'];
    const { url } = await startSmallBoard(names);
    for (const key of ['c', 'Enter']) {
      const page = await openPage(url, { viewport: { width, height } });
      let reject = (): void => undefined;
      const rejected = new Promise<void>((resolve) => (reject = resolve));
      await route(page, '**/api/stories/*', async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        await rejected;
        const problem = { code: 'invalid_request', detail: 'The service rejects it.' };
        return route.fulfill({ status: 400, body: JSON.stringify(problem) });
      });
      for (const name of names) {
        await card(page, 'To do', name).focus();
        await page.keyboard.press('2');
      }
      await page.keyboard.press(key);
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Title').waitFor();
      reject();
      const messages = dialog.getByRole('region', { name: 'Messages' });
      const last = messages.getByRole('alert').filter({ hasText: 'Jay' });
      await last.waitFor();
      const [area, message] = [await dialog.boundingBox(), await last.boundingBox()];
      // The new message is in view, below the dialog.
      expect(message!.y).toBeGreaterThanOrEqual(area!.y + area!.height);
      expect(message!.y + message!.height).toBeLessThanOrEqual(height);
      // Fails if another element is above the button.
      for (const button of await dialog.getByRole('button').all()) {
        if (await button.isEnabled()) await button.click({ trial: true });
      }
    }
  },
);

test('the bar of the selected stories is not covered by a message', async () => {
  const { url } = await startPlan();
  const page = await openPage(url, { viewport: { width: 390, height: 800 } });
  await card(page, 'Backlog', 'Dog').focus();
  await page.keyboard.press('2');
  await page.keyboard.press('x');
  const { bottom, space } = await placeOfMessage(page);
  const bar = await page.getByRole('toolbar', { name: 'Selected stories' }).boundingBox();
  expect(bottom).toBeLessThanOrEqual(bar!.y);
  expect(space).toBeGreaterThanOrEqual(40);
});

test('the points of a story with a long word stay in one line when its sprint is completed', async () => {
  const { service, url, sprints } = await startPlan();
  const title = 'x'.repeat(200);
  await service.client.post(`/api/sprints/${sprints[1]}/stories`, { title, points: 100 });
  const page = await openPage(url, { viewport: { width: 390, height: 800 } });
  await page.getByRole('button', { name: 'Complete sprint' }).click();
  const unfinished = page.getByRole('list', { name: 'Unfinished stories' });
  const [one, other] = await Promise.all(
    ['5', '100'].map((points) => unfinished.getByText(points, { exact: true }).boundingBox()),
  );
  expect(other!.height).toBe(one!.height);
});

test('Hebrew and Arabic titles are laid out from right to left in every list', async () => {
  const { service, url, sprints } = await startPlan();
  const { client } = service;
  const title = 'תשלום!';
  const { body } = await client.post(`/api/sprints/${sprints[1]}/stories`, { title });
  await client.post(`/api/stories/${body.id}/tasks`, { title: 'עוד!' });
  await client.put(`/api/stories/${body.id}`, { assignee: 'דנה!' });
  await client.put(`/api/sprints/${sprints[1]}`, { goal: 'שלום!' });
  const page = await openPage(url);
  /** Whether the exclamation mark is drawn on the left of the first letter. */
  const isRightToLeft = (element: Element): boolean => {
    const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() as Text;
    const leftOf = (at: number): number => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().left;
    };
    return leftOf(text.length - 1) < leftOf(0);
  };
  const check = async (shown: Locator): Promise<void> => {
    expect(await shown.evaluate(isRightToLeft)).toBe(true);
  };
  await check(page.getByText('שלום!', { exact: true }));
  await check(card(page, 'Sprint 2', title).getByRole('link'));
  await page.getByRole('button', { name: 'Complete sprint' }).click();
  await check(list(page, 'Unfinished stories').getByText(title));
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByLabel('Command or story').fill(title);
  await check(page.getByRole('option', { name: title }));
  await page.keyboard.press('Enter');
  await check(page.getByRole('dialog').getByText('עוד!'));
  await check(page.getByRole('dialog').getByRole('insertion').filter({ hasText: 'דנה!' }));
  await page.goto(`${service.url}/b/rocket/reports`);
  await check(page.getByRole('main').getByRole('link', { name: title }).first());
});

test('the browser asks before it closes the page with typed text', async () => {
  const { url, ids } = await startPlan();
  const page = await openPage(`${url}/stories/${ids.Dog}`);
  const description = page.getByLabel('Description');
  await description.click();
  await page.keyboard.type('Barks');
  await stayOnReload(page);
  expect(await description.inputValue()).toBe('Barks');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await reloadUnasked(page);
});

/** Opens the demo board from the list of boards. */
async function openDemo(): Promise<{ url: string; page: Page }> {
  const { url } = await startDemo();
  const page = await openPage(url);
  await page.getByRole('link', { name: 'Demo' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sprint 12' }).waitFor();
  return { url, page };
}

test('a closed story is not opened again by the browser’s Back', async () => {
  const { url, page } = await openDemo();
  const dialog = page.getByRole('dialog');
  await card(page, 'To do', STORY).focus();
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  await page.goForward();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(`${url}/b/Demo`);
  await page.goBack();
  expect(page.url()).toBe(`${url}/`);
  expect(await dialog.count()).toBe(0);
});

test('the browser’s Back leads to a board that was renamed meanwhile', async () => {
  const plan = await startPlan();
  const page = await openPage(`${plan.service.url}/b/rocket`);
  await card(page, 'To do', 'Ant').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Name').fill('moon');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL('**/b/moon/settings');
  await page.goBack();
  await card(page, 'To do', 'Ant').waitFor();
  expect(new URL(page.url()).pathname).toBe('/b/moon');
});

test('the palette leads to other boards and to the tokens', async () => {
  const plan = await startPlan();
  await plan.service.client.post('/api/boards/moon/backlog', { title: 'Rock' });
  const page = await openPage(plan.url);
  await card(page, 'Backlog', 'Dog').waitFor();
  for (const [words, url] of [
    ['moon', '/b/moon'],
    ['tokens', '/tokens'],
    ['rocket', '/b/rocket'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByLabel('Command or story').fill(words);
    await page
      .getByRole('option', { name: words === 'tokens' ? 'Tokens' : `${words} Board` })
      .click();
    await page.waitForURL(`**${url}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
});

test('the browser’s Back leaves a board at once, however many stories were opened', async () => {
  const { url, page } = await openDemo();
  const dialog = page.getByRole('dialog', { name: STORY });
  await card(page, 'To do', STORY).focus();
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await until(page, 'document.activeElement.ariaLabel', STORY);
  }
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await page.reload();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(`${url}/b/Demo`);
  await page.goBack();
  expect(page.url()).toBe(`${url}/`);
});

test('a story that is opened while the browser goes back from another one stays open', async () => {
  const { url, page } = await openDemo();
  await card(page, 'To do', STORY).getByRole('link').click();
  await page.getByRole('dialog', { name: STORY }).getByLabel('Title').waitFor();
  const path = await page.evaluate(() => {
    document.querySelector<HTMLElement>('dialog [aria-label=Close]')!.click();
    const other = [...document.querySelectorAll('li a')].at(-1) as HTMLAnchorElement;
    other.click();
    return other.pathname;
  });
  await page.waitForURL(url + path);
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.waitForURL(`${url}/b/Demo`);
  await page.goBack();
  expect(page.url()).toBe(`${url}/`);
});

test('a closed story stays in view even if stories were added above it meanwhile', async () => {
  const { service, url, sprints } = await startPlan();
  const page = await openPage(url, { viewport: { width: 1280, height: 400 } });
  const story = card(page, 'Backlog', 'Gnu');
  await story.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Gnu' }).getByLabel('Title').waitFor();
  for (let i = 0; i < 20; i++) {
    await service.client.post(`/api/sprints/${sprints[1]}/stories`, { title: `Hen ${i}` });
  }
  await card(page, 'Sprint 2', 'Hen 19').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(url);
  const { y } = (await story.boundingBox())!;
  expect([y > 0, y < 400]).toEqual([true, true]);
});

test('the browser shows another board when it goes back over several pages', async () => {
  const { service, url } = await startPlan();
  const sprint = { name: 'Launch', start_date: day(-3), end_date: day(10) };
  await service.client.post('/api/boards/comet/sprints', sprint);
  const page = await openPage(url.replace('/backlog', ''));
  await card(page, 'To do', 'Ant').waitFor();
  await page.getByRole('link', { name: 'Boards' }).click();
  await page.getByRole('link', { name: 'comet' }).click();
  await page.getByRole('heading', { level: 1, name: 'Launch' }).waitFor();
  await page.evaluate('history.go(-2)');
  await page.getByRole('heading', { level: 1, name: 'Sprint 2' }).waitFor();
  await card(page, 'To do', 'Ant').waitFor();
});

test('a new board keeps its typed name when another tab is opened', async () => {
  const { url } = await startService();
  const page = await openPage(url);
  await page.getByRole('button', { name: 'New board' }).click();
  const name = page.getByRole('dialog', { name: 'New board' }).getByLabel('Name');
  await name.fill('Moon');
  await page.evaluate(
    "addEventListener('storage', ({ key }) => { isTold = key === 'sprintline.session' }); isTold = false",
  );
  const other = await page.context().newPage();
  await other.goto(url);
  await until(page, 'isTold', true);
  await page.evaluate('new Promise(requestAnimationFrame)');
  expect(await name.inputValue()).toBe('Moon');
});

test('a board that is created late does not take the user away from another one', async () => {
  const { url } = await startDemo();
  const page = await openPage(url);
  await page.getByRole('button', { name: 'New board' }).click();
  const created = await hold(page, /^\/api\/boards$/, 'POST');
  await page.getByLabel('Name').fill('comet');
  await page.keyboard.press('Enter');
  await created.arrived;
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Demo' }).click();
  await card(page, 'To do', STORY).focus();
  await page.keyboard.press('c');
  await page.getByLabel('Title').fill('Sell a ticket');
  created.release();
  await page.getByRole('status').getByText('Created comet').waitFor();
  expect(page.url()).toBe(`${url}/b/Demo`);
  expect(await page.getByLabel('Title').inputValue()).toBe('Sell a ticket');
});

test('a dialog has a border in forced colours', async () => {
  const { url } = await startDemo();
  const page = await openPage(`${url}/b/Demo/stories/46`, { forcedColors: 'active' });
  const border = page.getByRole('dialog').evaluate((each) => getComputedStyle(each).borderTopWidth);
  expect(await border).toBe('1px');
});

test.each([
  [
    'blocks',
    `for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
      Object.defineProperty(window, name, { get: () => { throw new DOMException('', 'SecurityError'); } });
    }`,
  ],
  [
    'has no space in',
    "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };",
  ],
])('a board opens and is changed in a browser that %s its storage', async (_, script) => {
  const board = await startSmallBoard();
  const page = await openPage('about:blank');
  await page.addInitScript(script);
  await page.goto(board.url);
  await card(page, 'To do', 'Ant').focus();
  await page.keyboard.press('3');
  await untilRead(async () => (await board.story('Ant')).status, 'done');
  await page.keyboard.press('?');
  await page.getByRole('checkbox').uncheck();
  await page.reload();
  await card(page, 'Done', 'Ant').waitFor();
});

test('a board that does not exist offers none of its views', async () => {
  const { url } = await startService();
  const page = await openPage(`${url}/b/nowhere`);
  await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  expect(await page.getByRole('banner').getByRole('link').allInnerTexts()).toEqual(['Boards']);
});

test('a link to a story of a board that does not exist shows the error and no dialog', async () => {
  const { url } = await startService();
  const page = await openPage(`${url}/b/nowhere/stories/1`);
  await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  await page.getByRole('link', { name: 'Boards', exact: true }).last().click();
  await until(page, 'location.pathname', '/');
});

describe('The focus', () => {
  /** The keys after which the focused card is not in view as a whole. */
  async function hiddenCards(page: Page, modifier = ''): Promise<string[]> {
    const hidden: string[] = [];
    for (const key of [`${modifier}ArrowDown`, `${modifier}ArrowUp`]) {
      for (let i = 0; i < 23; i += 1) {
        await page.keyboard.press(key);
        // A card that is moved gets the focus in the next frame.
        if (modifier) await drawn(page);
        const isHidden = await page.evaluate(() => {
          const card = document.activeElement as HTMLElement;
          const { left, top, bottom } = card.getBoundingClientRect();
          return [top + 2, bottom - 2].some(
            (y) => !card.contains(document.elementFromPoint(left + 20, y)),
          );
        });
        if (isHidden) hidden.push(`${key} ${i}`);
      }
    }
    return hidden;
  }

  test.each([
    ['board', 1280, ''],
    ['board', 390, ''],
    ['plan', 1280, '/backlog'],
    ['plan', 390, '/backlog'],
  ])('is never hidden by what stays in view of the %s, %i pixels wide', async (_, width, path) => {
    const board = await startSmallBoard(Array.from({ length: 25 }, (_, i) => `Story ${i}`));
    const page = await openPage(`${board.url}${path}`, { viewport: { width, height: 500 } });
    const first = page.locator('[data-story]').first();
    await first.waitFor();
    await first.focus();
    if (path) {
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor();
    }
    expect(await hiddenCards(page)).toEqual([]);
  });

  test.each(['board', 'plan'])(
    'scrolls to a card of the %s even if the browser does not because a part of it is in view',
    async (view) => {
      const board = await startSmallBoard(Array.from({ length: 25 }, (_, i) => `Story ${i}`));
      const page = await openPage('about:blank', { viewport: { width: 1280, height: 500 } });
      await page.addInitScript(`
        const { focus } = HTMLElement.prototype;
        HTMLElement.prototype.focus = function () { focus.call(this, { preventScroll: true }); };
      `);
      await page.goto(view === 'plan' ? `${board.url}/backlog` : board.url);
      const first = page.locator('[data-story]').first();
      await first.waitFor();
      await first.focus();
      expect(await hiddenCards(page, 'Shift+')).toEqual([]);
      expect(await hiddenCards(page)).toEqual([]);
    },
  );

  const isKept = (page: Page): Promise<void> =>
    until(page, 'document.activeElement !== document.body', true);

  test('stays in the page when a link opens another view', async () => {
    const { url } = await startDemo();
    const page = await openPage(url);
    await page.getByRole('link', { name: 'Demo' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sprint 12' }).waitFor();
    await isKept(page);
  });

  test('stays in the page when someone else deletes the board', async () => {
    const { client, url } = await startSmallBoard();
    const page = await openPage(`${url}/settings`);
    await page.getByLabel('Name').focus();
    await client.delete('/api/boards/rocket?force=true');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await until(page, 'document.activeElement.localName', 'main');
  });

  test('moves to a card when a button clears the filters', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo?q=ticket`);
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await card(page, 'To do', STORY).waitFor();
    const [first] = await list(page, 'To do')
      .getByRole('listitem')
      .evaluateAll((all) => all.map((each) => each.ariaLabel));
    await until(page, 'document.activeElement.ariaLabel', first);
  });

  test('moves to a card when Esc leaves the search', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo`);
    await card(page, 'To do', STORY).focus();
    await page.getByLabel('Search').fill('zzz');
    await page.getByText('No story matches.').first().waitFor();
    await page.getByLabel('Search').press('Escape');
    await until(page, 'document.activeElement.ariaLabel', STORY);
    expect(await page.getByLabel('Search').inputValue()).toBe('');
  });

  test('moves to a card when Esc leaves the field for a new story', async () => {
    const { url } = await startPlan();
    const page = await openPage(url);
    await card(page, 'Backlog', 'Gnu').focus();
    await page.getByLabel('New story in Backlog').fill('Hen');
    await page.getByLabel('New story in Backlog').press('Escape');
    await until(page, 'document.activeElement.ariaLabel', 'Gnu');
    expect(await page.getByLabel('New story in Backlog').inputValue()).toBe('');
  });

  test('moves to the first story that was found when Enter leaves the search', async () => {
    const { url } = await startPlan();
    const page = await openPage(url);
    await card(page, 'Backlog', 'Fox').focus();
    await page.getByLabel('Search').fill('o');
    await page.getByLabel('Search').press('Enter');
    await until(page, 'document.activeElement.ariaLabel', 'Dog');
    expect(await page.getByLabel('Search').inputValue()).toBe('o');
  });

  test('returns to the card when a message is closed', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo`);
    await card(page, 'To do', STORY).focus();
    await page.keyboard.press('3');
    const undo = page.getByRole('button', { name: 'Undo' });
    // A message stays while it has the focus.
    await undo.focus();
    expect(await axe(page)).toEqual([]);
    await undo.press('Enter');
    await until(page, 'document.activeElement.ariaLabel', STORY);
    await page.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await until(page, 'document.activeElement.ariaLabel', STORY);
  });

  test('moves to the next card when a story is deleted in its dialog', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo/backlog`);
    const rows = list(page, 'Backlog').getByRole('listitem');
    await rows.nth(2).waitFor();
    const names = await rows.evaluateAll((all) => all.map((each) => each.ariaLabel));
    await rows.nth(1).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await until(page, 'document.activeElement.ariaLabel', names[2]);
  });

  test('moves to the next task when one is removed, and after the last one to the field for a new task', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo/stories/46`);
    const remove = page.getByRole('dialog').getByRole('button', { name: /^Remove task/ });
    await remove.first().waitFor();
    const names = await remove.evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(names).toHaveLength(3);
    await remove.nth(1).press('Enter');
    await until(page, 'document.activeElement.ariaLabel', names[2]);
    await page.keyboard.press('Enter');
    await until(page, 'document.activeElement.ariaLabel', names[0]);
    await page.keyboard.press('Enter');
    await until(page, 'document.activeElement.ariaLabel', 'New task');
  });

  test('moves to the heading of a story when someone else removes the focused task', async () => {
    const { client, url, ids } = await startSmallBoard();
    const task = await made2xx(client.post(`/api/stories/${ids.Ant}/tasks`, { title: 'Dig' }));
    const page = await openPage(`${url}/stories/${ids.Ant}`);
    await page.getByRole('button', { name: 'Rename task Dig' }).focus();
    await client.delete(`/api/tasks/${task.id}`);
    await until(page, 'document.activeElement.textContent', 'Ant');
  });

  test('stays in a story when someone else deletes the story while its button Delete has the focus', async () => {
    const { client, url, ids } = await startSmallBoard();
    const page = await openPage(`${url}/stories/${ids.Ant}`);
    await page.getByRole('button', { name: 'Delete' }).focus();
    await client.delete(`/api/stories/${ids.Ant}`);
    await page.getByRole('button', { name: 'Create' }).waitFor();
    await until(page, 'document.activeElement.textContent', 'Ant');
  });

  test('moves to a story when someone else removes the focused button or link of the plan', async () => {
    const { service, url, sprints, ids } = await startPlan();
    const { client } = service;
    const page = await openPage(url);
    const focusedStory = 'document.activeElement.ariaLabel';
    await card(page, 'Backlog', 'Eel').focus();
    await page.getByRole('button', { name: 'Start sprint' }).focus();
    await client.post(`/api/sprints/${sprints[1]}/start`, {});
    await until(page, focusedStory, 'Eel');
    await page.getByRole('link', { name: 'Sprint 3' }).focus();
    await client.delete(`/api/sprints/${sprints[2]}`);
    await until(page, focusedStory, 'Eel');
    await card(page, 'Backlog', 'Fox').focus();
    await page.keyboard.press('x');
    await card(page, 'Backlog', 'Eel').focus();
    await page.getByRole('button', { name: 'Clear selection' }).focus();
    await client.delete(`/api/stories/${ids.Fox}`);
    await until(page, focusedStory, 'Eel');
  });

  test('moves to Close when a sprint was completed', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo`);
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Complete sprint' }).click();
    await dialog.getByRole('heading', { name: 'Sprint 12 is completed' }).waitFor();
    await until(page, 'document.activeElement.textContent', 'Close');
  });

  test('stays on the button of a form whose request was rejected', async () => {
    const { url } = await startDemo();
    const page = await openPage(url);
    const dialog = page.getByRole('dialog');
    const reject = async (form: Locator, name: string, error: string): Promise<void> => {
      const button = form.getByRole('button', { name, exact: true });
      // Waits until it is enabled.
      await button.click({ trial: true });
      await button.press('Enter');
      await page.getByRole('alert').getByText(error).waitFor();
      await until(page, 'document.activeElement.textContent', name);
    };
    await page.getByRole('button', { name: 'New board' }).click();
    await dialog.getByLabel('Name').fill('Demo');
    await reject(dialog, 'Create', 'Another board has this name.');
    await page.goto(`${url}/b/Demo/settings`);
    await page.getByLabel('Time zone').fill('Moon/Copernicus');
    await reject(page.getByRole('main'), 'Save', 'Choose a time zone');
    await route(page, '**/api/**/complete', (route) =>
      route.request().postDataJSON().dry_run ? route.continue() : route.abort(),
    );
    await page.goto(`${url}/b/Demo`);
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    await reject(dialog, 'Complete sprint', 'The service cannot be reached.');
  });

  test('does not move to a field that was corrected after the service had rejected it', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo/settings`);
    await page.getByLabel('Name').fill('Falcon\u0000');
    await page.getByLabel('Time zone').fill('Moon/Copernicus');
    const save = page.getByRole('button', { name: 'Save' });
    await save.press('Enter');
    await page.getByRole('alert').getByText('Choose a time zone').waitFor();
    await page.getByLabel('Name').fill('Falcon');
    await page.getByLabel('Time zone').fill('Asia/Tokyo');
    const saved = await hold(page, /boards\/Demo$/, 'PATCH');
    await save.press('Enter');
    await saved.arrived;
    await until(page, 'document.activeElement.textContent', 'Save');
    saved.release();
    await page.getByRole('status').getByText('Settings saved').waitFor();
    await until(page, 'document.activeElement.textContent', 'Save');
  });

  test('is on no button when a dialog opens, so that Enter does not close it', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo/stories/46`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await dialog.getByLabel('Title').fill('Draft');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await until(page, 'document.activeElement.value', 'Draft');
  });

  test('must be on a card for a key to change it', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo`);
    for (const path of ['', '/backlog']) {
      await page.goto(`${url}/b/Demo${path}`);
      await page.getByRole('listitem', { name: STORY }).focus();
      await page.getByRole('heading', { level: 1 }).click();
      await page.keyboard.press('3');
      await page
        .getByText(/^Choose a (card|story) first/)
        .first()
        .waitFor();
    }
    await page.goto(`${url}/b/Demo`);
    await card(page, 'To do', STORY).waitFor();
  });

  test('on a card of a completed sprint changes nothing with a key', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo?sprint=1`);
    await list(page, 'Done').getByRole('listitem').first().focus();
    await page.keyboard.press('2');
    await page.getByText('The sprint is completed').first().waitFor();
    expect(await titles(page, 'In progress')).toEqual([]);
  });

  test('moves to the first field with an error', async () => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo/stories/46`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('');
    await dialog.getByLabel('Points').fill('many');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(page, 'document.activeElement.labels?.[0]?.textContent', 'Title');
    await dialog.getByLabel('Title').fill('Scan');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(page, 'document.activeElement.labels?.[0]?.textContent', 'Points');
  });
});

describe('On paper', () => {
  const CONTROLS = [
    'banner',
    'button',
    'combobox',
    'textbox',
    'checkbox',
    'menu',
    'dialog',
  ] as const;

  test.each(VIEWS.filter(([name]) => ['the board', 'the plan', 'the reports'].includes(name)))(
    '%s has no controls, and no message',
    async (_name, path, heading, shown) => {
      const { url } = await startDemo();
      const page = await openPage(`${url}${path}`);
      await shown(page).waitFor();
      // Shows a message.
      await page.keyboard.press('z');
      await page.getByRole('region', { name: 'Messages' }).waitFor();
      await page.emulateMedia({ media: 'print' });
      await page.getByRole('banner').waitFor({ state: 'hidden' });
      for (const role of CONTROLS)
        expect([role, await page.getByRole(role).count()]).toEqual([role, 0]);
      expect(await page.getByRole('region', { name: 'Messages' }).count()).toBe(0);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await shown(page).waitFor();
    },
  );

  test('no dialog covers the board, and its columns are side by side even on a narrow page', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage(url, { viewport: { width: 560, height: 800 } });
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('c');
    await page.getByRole('dialog').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const ends = await page
      .locator('.column')
      .evaluateAll((columns) => columns.map((each) => each.getBoundingClientRect().right));
    expect(ends).toHaveLength(3);
    expect(Math.max(...ends)).toBeLessThanOrEqual(560);
  });

  test('a long plan has no empty rows', async () => {
    const stories = Array.from({ length: 60 }, (_, i) => `Story ${i}`);
    const { url } = await startSmallBoard(stories);
    const page = await openPage(`${url}/backlog`);
    await card(page, 'Sprint 1', 'Story 59').waitFor({ state: 'attached' });
    await page.emulateMedia({ media: 'print' });
    await until(
      page,
      `[...document.querySelectorAll('.row .card-title')].every((each) => each.checkVisibility({
        contentVisibilityAuto: true }))`,
      true,
    );
  });

  test('the report of a sprint has all stories', async () => {
    const stories = Array.from({ length: 9 }, (_, i) => `Story ${i}`);
    const { client, sprint, url } = await startSmallBoard(stories);
    await made2xx(client.post(`/api/sprints/${sprint}/start`));
    const page = await openPage(`${url}/reports`);
    const committed = page.getByRole('region', { name: 'Committed' });
    await committed.getByRole('button', { name: 'Show more: 3' }).waitFor();
    expect(await committed.getByRole('listitem').count()).toBe(6);
    await page.emulateMedia({ media: 'print' });
    await untilRead(() => committed.getByRole('listitem').count(), 9);
  });
});

describe('Without a connection', () => {
  const WORDS = 'The service cannot be reached. Trying again…';

  test.each([
    ['Boards', (page: Page) => page.getByRole('main').getByRole('link', { name: 'Demo' })],
    ['Plan', (page: Page) => card(page, 'Backlog', 'Pay by bank transfer')],
    ['Reports', (page: Page) => page.getByRole('img', { name: 'Burndown of Sprint 12' })],
  ])('%s says so, and is loaded once there is a connection', async (name, shown) => {
    const { url } = await startDemo();
    const page = await openPage(`${url}/b/Demo`);
    await card(page, 'To do', STORY).waitFor();
    // Loads the script of the view.
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.goto(`${url}/b/Demo`);
    await card(page, 'To do', STORY).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name }).click();
    await page.getByText(WORDS).first().waitFor();
    await page.context().setOffline(false);
    await shown(page).waitFor();
    // Other parts of the view may still be loading.
    await page.getByText(WORDS).first().waitFor({ state: 'detached' });
    expect(await page.getByText('Failed to fetch').count()).toBe(0);
  });
});
