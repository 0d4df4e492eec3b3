import type { Page } from 'playwright-core';
import { made2xx } from '../support/make';
import {
  card,
  delay,
  list,
  openPage,
  openPageWithoutStream,
  route,
  settled,
  titles,
  until,
} from './browser';
import type { SmallBoard } from './small-board';
import { createNextSprint, day, fieldOf, openStory, startSmallBoard } from './small-board';

describe('A message', () => {
  test('stays while the focus is on it', async () => {
    const board = await startSmallBoard();
    const page = await openPage('about:blank');
    await page.clock.install();
    await page.goto(board.url);
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('2');
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.focus();
    await page.clock.fastForward(7000);
    expect(await undo.count()).toBe(1);
    await card(page, 'To do', 'Bee').focus();
    await page.clock.fastForward(1000);
    await undo.waitFor({ state: 'detached' });
  });

  test('says why a move is not possible in the words of the board', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(board.url);
    await card(page, 'To do', 'Ant').focus();
    await board.client.post(`/api/stories/${board.ids.Bee}/move`, { sprint_id: null });
    await page.keyboard.press('Shift+ArrowDown');
    await page
      .getByRole('alert')
      .getByText(
        'Not saved: Move “Ant” after “Bee”. The story next to it is no longer in that list.',
      )
      .waitFor();
  });

  test('says that a story is not saved because its sprint was deleted', async () => {
    const board = await startSmallBoard();
    const next = await createNextSprint(board);
    const page = await openPageWithoutStream(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    await list(page, 'Sprint 2').waitFor({ state: 'attached' });
    await board.client.delete(`/api/sprints/${next.id}`);
    await page.keyboard.press('Shift+ArrowRight');
    await page
      .getByRole('alert')
      .getByText('Not saved: Move “Ant” to Sprint 2. That sprint was deleted.')
      .waitFor();
    await page.getByRole('textbox', { name: 'New story in Sprint 2' }).fill('Elk');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText('Not saved: Create “Elk”. That sprint was deleted.')
      .waitFor();
  });

  test('says that a key needs a card', async () => {
    const board = await startSmallBoard();
    for (const [view, text] of [
      ['', 'Choose a card first, with the arrow keys'],
      ['/backlog', 'Choose a story first, with the arrow keys'],
    ]) {
      const page = await openPage(board.url + view);
      await page.locator('[data-story]').first().waitFor();
      await page.keyboard.press('2');
      await page
        .getByRole('region', { name: 'Messages' })
        .getByText(text ?? '')
        .waitFor();
    }
  });
});

describe('Show more', () => {
  test.each(['', '/backlog'])('shows all of a long goal (%s)', async (view) => {
    const board = await startSmallBoard();
    const goal = `${'Many words. '.repeat(100)}\nThe end.`;
    await board.client.put(`/api/sprints/${board.sprint}`, { goal });
    const page = await openPage(board.url + view, { viewport: { width: 390, height: 844 } });
    const text = page.getByText('Many words.');
    const isWhole = (): Promise<boolean> =>
      text.evaluate((element) => element.scrollHeight <= element.clientHeight);
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    expect(await isWhole()).toBe(false);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('button', { name: 'Show less' }).waitFor();
    expect(await isWhole()).toBe(true);
    expect(await text.innerText()).toMatch(/\nThe end\.$/);
    await board.client.put(`/api/sprints/${board.sprint}`, { goal: 'Few words.' });
    await page.getByText('Few words.').waitFor();
    expect(await page.getByRole('button', { name: 'Show less' }).count()).toBe(0);
  });

  test.each([
    ['', 'To do'],
    ['/backlog', 'Sprint 1'],
  ])('focuses the first story that it adds (%s)', async (view, name) => {
    const board = await startSmallBoard(Array.from({ length: 201 }, (_, i) => `S${i}`));
    const page = await openPage(board.url + view);
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    await card(page, name, 'S200').waitFor();
    await until(page, 'document.activeElement.ariaLabel', 'S200');
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });
});

describe('The command palette', () => {
  test('finds commands, sprints and stories by their names, with the arrow keys', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Command or story' });
    await input.fill('set done');
    await page.getByRole('option', { name: 'Set status to Done', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await card(page, 'Done', 'Ant').waitFor();
    await page.keyboard.press('Control+k');
    await input.fill('bee');
    await page.getByRole('option', { name: 'Bee' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: 'Bee' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await input.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('is opened by a button of the bar, which fits the narrowest phone', async () => {
    const board = await startSmallBoard();
    for (const view of ['', '/backlog', '/reports', '/settings', '/import']) {
      const viewport = { width: 320, height: 568 };
      const page = await openPage(board.url + view, { viewport });
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      await page.getByRole('button', { name: 'Commands' }).click();
      await page.getByRole('combobox', { name: 'Command or story' }).fill('bee');
      await page.getByRole('option', { name: 'Bee' }).click();
      await page.getByRole('dialog').getByRole('heading', { name: 'Bee' }).waitFor();
    }
  });

  test('selects the sprint whose whole name is typed', async () => {
    const { client, url } = await startSmallBoard();
    await client.post('/api/boards/rocket/sprints', { name: 'Sprint 10', start_date: day(11) });
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command or story' }).fill('sprint 1');
    await page.getByRole('option', { name: 'Sprint 10' }).waitFor();
    const selected = page.getByRole('dialog').getByRole('option', { selected: true });
    expect(await selected.innerText()).toMatch(/^Sprint 1\s/);
  });

  test('finds a story by its number, even if it is not loaded, but none of another board', async () => {
    const { client, url } = await startSmallBoard();
    const hidden = await made2xx(client.post('/api/boards/rocket/backlog', { title: 'Eel' }));
    const other = await made2xx(client.post('/api/boards/moon/backlog', { title: 'Emu' }));
    const page = await openPage(url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Command or story' });
    const selected = page.getByRole('dialog').getByRole('option', { selected: true });
    for (const text of [`#${hidden.id}`, `${hidden.id}`]) {
      await input.fill(text);
      await selected.getByText('Eel').waitFor();
    }
    await input.fill(`#${other.id}`);
    await page.getByRole('dialog').getByText('No results.').waitFor();
    await input.fill(`#${hidden.id}`);
    await selected.getByText(`Story #${hidden.id}`).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: 'Eel' }).waitFor();
  });

  test.each([
    ['is composed', { key: 'Enter', isComposing: true }],
    // In Safari, this key follows the end of the word, and has a code of its own.
    ['has been composed', { key: 'Enter', isComposing: false, keyCode: 229 }],
  ])('does not run a command when a word %s by an input method', async (_when, key) => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Command or story' });
    await input.fill('boards');
    await input.dispatchEvent('keydown', key);
    await settled(page);
    expect(await input.count()).toBe(1);
    await page.keyboard.press('Escape');
    const dialog = await openStory(page, 'Ant');
    const task = dialog.getByLabel('New task');
    await task.fill('Dig');
    await task.dispatchEvent('keydown', key);
    expect(await task.inputValue()).toBe('Dig');
  });

  test.each([
    ['Control+k', 'palette', 'Commands'],
    ['Enter', 'story', 'Ant'],
  ])(
    'does not run on the view while %s loads the script of a dialog',
    async (key, script, name) => {
      const board = await startSmallBoard();
      const page = await openPage(board.url);
      await card(page, 'To do', 'Ant').focus();
      const release = await delay(page, `**/assets/${script}-*.js`);
      const requested = page.waitForRequest(`**/assets/${script}-*.js`);
      await page.keyboard.press(key);
      await requested;
      await page.keyboard.press('3');
      release();
      await page.getByRole('dialog', { name }).waitFor();
      await page.keyboard.press('Escape');
      expect(await titles(page, 'To do')).toContain('Ant');
    },
  );
});

describe('A menu', () => {
  test('goes to its items by their first letters', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Bee').focus();
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Backlog' }).waitFor();
    const seen: string[] = [];
    for (const key of ['b', 'd', 'D', 'd', 'q']) {
      await page.keyboard.press(key);
      seen.push(await page.evaluate('document.activeElement.textContent'));
    }
    expect(seen).toEqual(['Backlog', 'Done', 'Down', 'Done', 'Done']);
  });

  test('stays below its button when the size of the window changes', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await page.getByRole('button', { name: 'Change Sprint 1' }).click();
    await page.getByRole('menu').waitFor();
    await page.setViewportSize({ width: 640, height: 800 });
    const place = (selector: string) =>
      `document.querySelector('${selector}').getBoundingClientRect()`;
    const gap = `${place('.menu')}.top - ${place('[aria-haspopup][aria-expanded=true]')}.bottom`;
    await until(page, gap, 4);
    await until(page, `${place('.menu')}.right <= innerWidth`, true);
  });

  test('closes when the page beside it is touched, even if the browser does not close it', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await page.evaluate(() => {
      const { prototype } = HTMLElement;
      const show = Object.getOwnPropertyDescriptor(prototype, 'showPopover')!.value;
      prototype.showPopover = function () {
        this.popover = 'manual';
        show.call(this);
      };
    });
    const button = page.getByRole('button', { name: 'All sprints' });
    const menu = page.getByRole('menu');
    await button.click();
    await menu.waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await menu.waitFor({ state: 'detached' });
    await button.click();
    await menu.waitFor();
    await button.click();
    await menu.waitFor({ state: 'detached' });
    expect(await button.getAttribute('aria-expanded')).toBe('false');
  });

  test('leaves the focus to its card if someone else moves that to another column', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const button = card(page, 'To do', 'Bee').getByRole('button', { name: 'Move' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await board.client.put(`/api/stories/${board.ids.Bee}`, { status: 'done' });
    await card(page, 'Done', 'Bee').waitFor();
    await until(page, 'document.activeElement.ariaLabel', 'Bee');
  });
});

describe('A card', () => {
  /** Grabs the card of Bee, lets `others` happen, and drops it into another list once it is gone. */
  async function dropAfter(
    page: Page,
    from: string,
    to: string,
    others: () => Promise<unknown>,
  ): Promise<void> {
    const bee = card(page, from, 'Bee');
    await bee.hover();
    await page.mouse.down();
    await page.mouse.move(0, 0);
    await others();
    await bee.waitFor({ state: 'detached' });
    await list(page, to).locator('..').hover();
    await page.mouse.up();
  }

  test('has its points as its form and its history have them, with a comma where the language has one', async () => {
    const board = await startSmallBoard([{ title: 'Ant', points: 1.5 }]);
    await board.client.put(`/api/stories/${board.ids.Ant}`, { points: 2.5 });
    const page = await openPage(board.url, { locale: 'de-DE' });
    await card(page, 'To do', 'Ant').getByText('2,5').waitFor();
    const dialog = await openStory(page, 'Ant');
    expect(await dialog.getByLabel('Points').inputValue()).toBe('2,5');
    await dialog.getByText('Points: 1,5 → 2,5').waitFor();
    await dialog.getByLabel('Title').fill('Aardvark');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(page, fieldOf(board.ids.Ant, 'title'), 'Aardvark');
    expect(await board.story('Ant')).toMatchObject({ points: 2.5, version: 3 });
  });

  test('can be dropped below the last card of a short column', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').hover();
    await page.mouse.down();
    await page.mouse.move(0, 0);
    const short = await list(page, 'In progress').boundingBox();
    const last = await card(page, 'To do', 'Dog').boundingBox();
    await page.mouse.move(short!.x + 20, last!.y + 10, { steps: 5 });
    await page.mouse.up();
    await card(page, 'In progress', 'Ant').waitFor();
  });

  test('gets the status of its column even if its place there is rejected', async () => {
    const board = await startSmallBoard(['Ant', 'Bee', { title: 'Cat', status: 'done' }]);
    const page = await openPageWithoutStream(board.url);
    const cat = card(page, 'Done', 'Cat');
    await cat.waitFor();
    await board.client.post(`/api/stories/${board.ids.Cat}/move`, {
      sprint_id: null,
      position: 'last',
    });
    await card(page, 'To do', 'Ant').hover();
    await page.mouse.down();
    await page.mouse.move(0, 0);
    const { x, y, height } = (await cat.boundingBox())!;
    // After the last card.
    await page.mouse.move(x + 20, y + height + 10, { steps: 5 });
    await page.mouse.up();
    await page
      .getByText(/^Not saved: Move “Ant” after “Cat” \(1 of 2 changes\)\./)
      .first()
      .waitFor();
    await card(page, 'Done', 'Ant').waitFor();
    expect(await board.story('Ant')).toMatchObject({ status: 'done' });
  });

  test('that someone else moves to another list while it is dragged is not changed by the drop', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const { client, ids } = board;
    await dropAfter(page, 'To do', 'In progress', () =>
      client.post(`/api/stories/${ids.Bee}/move`, { sprint_id: null, position: 'last' }),
    );
    await page.getByText('Someone else has moved or deleted this story.').first().waitFor();
    expect(await board.story('Bee')).toMatchObject({ sprint_id: null, status: 'todo' });
  });

  test.each([
    ['board', '', 'To do', 'In progress', 'Someone else has moved or deleted this story.'],
    ['plan', '/backlog', 'Sprint 1', 'Backlog', 'Someone else has deleted this story.'],
  ])(
    'that someone else deletes while it is dragged on the %s shows a message on the drop',
    async (_view, path, from, to, words) => {
      const { client, ids, url } = await startSmallBoard();
      const page = await openPage(`${url}${path}`);
      await dropAfter(page, from, to, () => client.delete(`/api/stories/${ids.Bee}`));
      await page.getByText(words).first().waitFor();
    },
  );

  test('stays checked if the range that ends at it is selected again', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    const box = (title: string) => page.getByRole('checkbox', { name: `Select ${title}` });
    await card(page, 'Sprint 1', 'Ant').hover();
    await box('Ant').click();
    await box('Bee').click({ modifiers: ['Shift'] });
    await box('Ant').click({ modifiers: ['Shift'] });
    await settled(page);
    expect(await box('Ant').isChecked()).toBe(true);
    expect(await box('Bee').isChecked()).toBe(true);
    await page.getByText('2 selected').waitFor();
  });

  /** Opens the new story Eel, types its points, and then lets the service save the story without them. */
  async function openBeforeItIsSaved(board: SmallBoard) {
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await route(page, '**/sprints/*/stories', (route) => route.abort());
    await page.keyboard.press('c');
    await page.getByLabel('Title').fill('Eel');
    await page.keyboard.press('Enter');
    await page.getByRole('banner').getByText('1 unsaved change').waitFor();
    await card(page, 'To do', 'Eel').getByRole('link').click();
    const dialog = page.getByRole('dialog', { name: 'Eel' });
    await dialog.getByLabel('Points').fill('3');
    await page.unroute('**/sprints/*/stories');
    await page.waitForURL('**/stories/5');
    await dialog.getByText('#5').waitFor();
    return { page, dialog };
  }

  test('that was opened before it was saved stays open as the saved story', async () => {
    const { page, dialog } = await openBeforeItIsSaved(await startSmallBoard());
    expect(
      await dialog.getByLabel('Points').evaluate((field) => field === document.activeElement),
    ).toBe(true);
    expect(await dialog.getByText('deleted').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(page, fieldOf(5, 'points'), 3);
  });

  test('that was opened before it was saved offers the text that was typed into it', async () => {
    const board = await startSmallBoard();
    const { page, dialog } = await openBeforeItIsSaved(board);
    await board.client.put('/api/stories/5', { title: 'Electric eel' });
    await page.getByRole('dialog', { name: 'Electric eel' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('“Electric eel” is not saved').waitFor();
    await page.getByRole('button', { name: 'Edit again' }).click();
    expect(await page.getByRole('dialog').getByLabel('Points').inputValue()).toBe('3');
  });
});

test('a key acts on a card at once after the user has gone to another view', async () => {
  const board = await startSmallBoard();
  const page = await openPage(`${board.url}/backlog`);
  await card(page, 'Sprint 1', 'Ant').focus();
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('nav .board-link')!.click();
  });
  await card(page, 'To do', 'Bee').focus();
  await page.keyboard.press('2');
  await card(page, 'In progress', 'Bee').waitFor();
});
