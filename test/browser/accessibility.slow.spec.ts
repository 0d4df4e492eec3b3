import type { Page } from 'playwright-core';
import { card, hold, openPage, route, until, untilRead } from './browser';
import { startPlan } from './plan-board';
import { day, startKillableBoard, startSmallBoard } from './small-board';

const announced = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('status').getByText(text).first().waitFor();

/** Waits until the browser passes a description of a card to screen readers; it computes it after drawing the card. */
async function described(page: Page, column: string, title: string, text: string): Promise<void> {
  const element = card(page, column, title);
  await element.focus();
  const debug = await page.context().newCDPSession(page);
  const { result } = await debug.send('Runtime.evaluate', { expression: 'document.activeElement' });
  const read = async (): Promise<string> => {
    const { objectId } = result;
    const { nodes } = await debug.send('Accessibility.getPartialAXTree', { objectId });
    const description: unknown = nodes.find(({ name }) => name?.value === title)?.description
      ?.value;
    return String(description).replace(/\s+/g, ' ');
  };
  await untilRead(read, text);
}

describe('With the keyboard', () => {
  test('single-character shortcuts can be turned off, and stay off after a reload', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage(url);
    const dialog = page.getByRole('dialog');
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('?');
    await dialog.getByText('New story').waitFor();
    await dialog.getByLabel('Single-character shortcuts').uncheck();
    // They are no longer listed, because they do nothing.
    await dialog.getByText('New story').waitFor({ state: 'detached' });
    await dialog.getByText('Open story').waitFor();
    await page.keyboard.press('Escape');
    for (const reloaded of [false, true]) {
      if (reloaded) await page.reload();
      await card(page, 'To do', 'Ant').focus();
      for (const key of ['3', 'z', '/', 'm', '?', 'c']) await page.keyboard.press(key);
      expect(await dialog.count()).toBe(0);
      await page.keyboard.press('ArrowDown');
      await until(page, `document.activeElement.getAttribute('aria-label')`, 'Bee');
      await page.keyboard.press('Enter');
      await dialog.getByRole('heading', { name: 'Bee' }).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await page.keyboard.press('Control+k');
    await dialog.getByLabel('Command or story').fill('keyboard');
    // The palette does not show a key that does nothing.
    const option = dialog.getByRole('option', { name: 'Keyboard shortcuts' });
    expect(await option.innerText()).toBe('Keyboard shortcuts');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Single-character shortcuts').check();
    await page.keyboard.press('Escape');
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('3');
    await card(page, 'Done', 'Ant').waitFor();
  });

  test('arrow keys scroll a focused table', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage(url, { viewport: { width: 320, height: 500 } });
    await page.getByRole('button', { name: 'Show as table' }).click();
    const table = page.getByRole('region', { name: 'Numbers of the burndown' });
    await table.evaluate((element) => {
      element.style.width = '150px';
      element.focus();
    });
    await page.keyboard.press('ArrowRight');
    await until(page, `document.activeElement.scrollLeft > 0`, true);
    expect(await table.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Control+k');
    await page.getByLabel('Command or story').waitFor();
  });

  test('Esc in a menu returns the focus to the card whose key opened it', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage(url);
    await card(page, 'To do', 'Bee').focus();
    await page.keyboard.press('m');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: 'Bee' }).waitFor();
  });

  test('a column tab on a phone moves the focus to the first card of its column', async () => {
    const { url } = await startSmallBoard(['Ant', { title: 'Bee', status: 'done' }]);
    const page = await openPage(url, { viewport: { width: 390, height: 800 } });
    await card(page, 'Done', 'Bee').waitFor();
    await page.getByRole('button', { name: 'Done 1' }).press('Enter');
    await until(page, `document.activeElement.getAttribute('aria-label')`, 'Bee');
    // A column without cards has nothing to focus.
    await page.getByRole('button', { name: 'In progress 0' }).press('Enter');
    await until(page, `document.activeElement.textContent`, 'In progress 0');
  });

  test('the focused field of the plan is visible at a zoom of 200 %', async () => {
    const { service, url } = await startPlan();
    for (let i = 0; i < 30; i += 1) {
      await service.client.post('/api/boards/rocket/backlog', { title: `Story ${i}`, points: 1 });
    }
    const page = await openPage(url, { viewport: { width: 640, height: 400 } });
    const field = page.getByLabel('New story in Backlog');
    // While the lists are loading, they are hidden and cannot have the focus.
    await field.waitFor();
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await until(
      page,
      `(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      })()`,
      true,
    );
  });
});

describe('For screen readers', () => {
  test('the description of a card has its number, labels, assignee and points, but not its title', async () => {
    const { url } = await startSmallBoard([
      { title: 'Ant', labels: ['red'], assignee: 'Mei', points: 3 },
      { title: 'Bee', points: 1 },
    ]);
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').waitFor();
    await described(page, 'To do', 'Ant', '#1 red Mei 3 points');
    await described(page, 'To do', 'Bee', '#2 1 point');
    await page.goto(`${url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').waitFor();
    await described(page, 'Sprint 1', 'Ant', 'To do. #1 red Mei 3 points');
  });

  test('the description of a row has all labels, of which it shows the first ones', async () => {
    const labels = Array.from({ length: 20 }, (_, i) => `label-${i + 10}`);
    const { url } = await startSmallBoard([{ title: 'Ant', labels }]);
    const page = await openPage(`${url}/backlog`);
    const row = card(page, 'Sprint 1', 'Ant');
    await row.getByText('+15').waitFor();
    expect((await row.boundingBox())!.height).toBeLessThan(100);
    const more = labels.slice(5).join(', ');
    expect(await row.getByTitle(more).count()).toBe(1);
    await described(page, 'Sprint 1', 'Ant', `To do. #1 ${labels.slice(0, 5).join(' ')} ${more}`);
  });

  test('the page announces the title of each view that a link opens', async () => {
    const board = await startSmallBoard();
    const planned = { name: 'Sprint 2', start_date: day(11) };
    await board.client.post('/api/boards/rocket/sprints', planned);
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    expect(await page.getByRole('status').first().innerText()).toBe('');
    await page.getByRole('link', { name: 'Plan' }).press('Enter');
    await announced(page, 'Plan – rocket');
    await page.goBack();
    await announced(page, 'Sprint 1 – rocket');
    await page.getByRole('button', { name: 'All sprints' }).click();
    await page.getByRole('menuitem', { name: 'Sprint 2' }).click();
    await announced(page, 'Sprint 2 – rocket');
    await page.getByRole('link', { name: 'Boards' }).press('Enter');
    await announced(page, 'Boards – Sprintline');
    await board.client.delete('/api/boards/rocket?force=true');
    await page.goBack();
    await announced(page, 'Not found – Sprintline');
  });

  test('the page announces that someone else has deleted the board', async () => {
    const { client, url } = await startSmallBoard();
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').waitFor();
    await client.delete('/api/boards/rocket?force=true');
    await page.getByRole('status').getByText('Not found – Sprintline').waitFor();
  });

  test('the palette announces “No results” after the service has searched', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('Control+k');
    const { arrived, release } = await hold(page, /stories\?q=no/);
    await page.getByLabel('Command or story').fill('no such command');
    await arrived;
    expect(await page.getByText('No results').count()).toBe(0);
    release();
    await announced(page, 'No results');
  });

  test('the page says how many stories a search has found after the service has searched', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.clock.install();
    const { arrived, release } = await hold(page, /stories\?q=no/);
    await page.getByLabel('Search').fill('no');
    await page.clock.fastForward(200);
    await arrived;
    await page.getByText('Searching…').first().waitFor();
    await page.clock.fastForward(1000);
    expect(await page.getByText('No story matches.').count()).toBe(0);
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('0 stories found');
    release();
    await page.getByText('No story matches.').first().waitFor();
    await page.clock.fastForward(1000);
    await announced(page, '0 stories found');
    // It searches again for the same text, because another one was typed meanwhile.
    const again = await hold(page, /stories\?q=no&/);
    await page.getByLabel('Search').fill('nob');
    await page.getByLabel('Search').fill('no');
    await page.clock.fastForward(200);
    await again.arrived;
    await page.getByText('Searching…').first().waitFor();
    again.release();
    await page.getByText('No story matches.').first().waitFor();
  });

  test('the page announces that the connection is lost, and that it is restored', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await board.kill();
    await announced(page, 'The connection is lost');
    await board.restart();
    await announced(page, 'Connected again');
  });

  test('the page does not announce a loss of the connection while it opens a board on a slow network', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage('about:blank');
    await page.clock.install();
    await route(page, '**/stream?*', (route) => route.abort());
    await page.goto(url);
    await page.getByText('Connecting…').waitFor();
    await page.clock.fastForward(1100);
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('The connection is lost');
    await page.unrouteAll();
    await page.getByText('Connecting…').waitFor({ state: 'detached' });
    await page.clock.fastForward(1100);
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('Connected again');
  });

  test('the page does not announce after the last unsaved change that the connection is lost', async () => {
    const board = await startKillableBoard();
    const page = await openPage('about:blank');
    await page.clock.install();
    await page.goto(board.url);
    await card(page, 'To do', 'Ant').focus();
    await board.kill();
    await page.keyboard.press('3');
    await announced(page, 'No connection: 1 unsaved change');
    // The stream is connected later than the change is saved.
    await route(page, '**/stream?*', (route) => route.abort());
    await board.restart();
    await announced(page, 'No unsaved changes');
    await page.clock.fastForward(1100);
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('The connection is lost');
    await page.unrouteAll();
    await announced(page, 'Connected again');
  });

  test('the page does not announce “No unsaved changes” while a change is in conflict', async () => {
    const { client, ids, url } = await startSmallBoard();
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').focus();
    await route(page, '**/api/**', (route) => route.abort());
    await page.keyboard.press('3');
    await announced(page, 'No connection: 1 unsaved change');
    await client.put(`/api/stories/${ids.Ant}`, { status: 'in_progress' });
    await page.unrouteAll();
    await page.evaluate(() => dispatchEvent(new Event('online')));
    const dialog = page.getByRole('dialog', { name: 'Your change was not saved' });
    await dialog.getByRole('button', { name: 'Keep theirs' }).waitFor();
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('No unsaved changes');
  });

  test('the alternative text of a picture has its result, and the button beside it has no state', async () => {
    const { url } = await startSmallBoard([{ title: 'Ant', points: 3 }]);
    const page = await openPage(url);
    const picture = page.getByRole('img', { name: /^Burndown of Sprint 1: .*3 of 3 points left/ });
    await picture.waitFor();
    const button = page.getByRole('button', { name: 'Show as table' });
    await button.click();
    // With a name that changes, a state would say the opposite.
    expect(
      await page.getByRole('button', { name: 'Show as picture' }).getAttribute('aria-pressed'),
    ).toBeNull();
  });

  test('the reports announce the forecast for the points that the user enters', async () => {
    const { service, url } = await startPlan();
    const { client } = service;
    for (const month of ['01', '02', '03']) {
      const sprint = { name: month, start_date: `2026-${month}-01`, end_date: `2026-${month}-14` };
      const { body } = await client.post('/api/boards/rocket/sprints', sprint);
      const story = { title: month, points: 5, status: 'done' };
      await client.post(`/api/sprints/${body.id}/stories`, story);
      await client.post(`/api/sprints/${body.id}/complete`, {});
    }
    const page = await openPage(url.replace('backlog', 'reports'));
    await page.getByLabel('Points').fill('50');
    await announced(page, /With 85 % confidence 50 points of work are done/);
  });
});

test('the table of a burndown marks days off with words, not only with a colour', async () => {
  const { client, url } = await startSmallBoard();
  const tomorrow = new Date(day(1)).toLocaleDateString('en', { weekday: 'short' }).toLowerCase();
  await client.put('/api/boards/rocket', { working_days: [tomorrow] });
  const page = await openPage(url);
  await page.getByRole('button', { name: 'Show as table' }).click();
  const days = page.getByRole('rowheader');
  await days.first().waitFor();
  for (const text of await days.allInnerTexts()) expect(text).toMatch(/ \(day off\)$/);
});

test('the heading of a column has the number of its stories', async () => {
  const { url } = await startSmallBoard();
  const page = await openPage(url);
  await card(page, 'To do', 'Ant').waitFor();
  await page.getByRole('heading', { name: 'To do 4 stories 0 points' }).waitFor();
});
