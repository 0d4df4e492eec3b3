import type { Page } from 'playwright-core';
import { promised } from '../support/faults';
import { fillBacklog, insertRows, storyRow } from '../support/fill';
import { made2xx } from '../support/make';
import {
  axe,
  card,
  drawn,
  focusedName,
  hold,
  list,
  openPage,
  route,
  startService,
  titles,
  until,
} from './browser';
import type { Plan } from './plan-board';
import { startPlan } from './plan-board';
import { day, fieldOfBacklog } from './small-board';

const ONCE = { times: 1 };

const stored = async ({ service }: Plan, path: string): Promise<string[]> =>
  (await service.client.get(path)).body.map(({ title }: { title: string }) => title);

const backlog = (plan: Plan): Promise<string[]> => stored(plan, '/api/boards/rocket/backlog');

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** The response to a change that the page makes. */
const answered = (page: Page, path: RegExp) =>
  page.waitForResponse(
    (response) => response.request().method() !== 'GET' && path.test(response.url()),
  );

/** Selects the stories Dog and Eel of a plan, and opens the dialog for one of their fields by its key. */
async function openFieldOfTwo(key: string) {
  const plan = await startPlan();
  const page = await openPage(plan.url);
  await card(page, 'Backlog', 'Dog').focus();
  for (const each of ['x', 'ArrowDown', 'x', key]) await page.keyboard.press(each);
  return { plan, page, dialog: page.getByRole('dialog') };
}

async function paste(page: Page, field: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: field }).focus();
  await page.evaluate((data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', data);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
  }, text);
}

describe('The plan', () => {
  test('shows each open sprint as a list with its sums against the velocity, and the backlog', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').waitFor();
    await card(page, 'Sprint 2', 'Ant').waitFor();
    await card(page, 'Sprint 3', 'Cat').waitFor();
    expect(await titles(page, 'Sprint 2')).toEqual(['Ant', 'Bee']);
    expect(await titles(page, 'Sprint 3')).toEqual(['Cat']);
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Eel', 'Fox', 'Gnu']);
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Plan']);
    await region(page, 'Sprint 2').getByText('8 points, average 8').waitFor();
    await region(page, 'Sprint 2').getByText('It flies.').waitFor();
    await region(page, 'Sprint 3').getByText('2 points, average 8').waitFor();
    await page.getByText('1 completed sprint of 8 points', { exact: true }).waitFor();
    expect(await list(page, 'Sprint 1').count()).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await card(page, 'Sprint 1', 'Yak').waitFor();
    expect(await card(page, 'Sprint 1', 'Yak').getByRole('button', { name: 'Move' }).count()).toBe(
      0,
    );
  });

  test('names a sprint without a name after its start date, and shows no average without history', async () => {
    const service = await startService();
    const { client } = service;
    await client.post('/api/boards/rocket/sprints', { start_date: '2030-01-07' });
    await client.post('/api/boards/rocket/backlog', { title: 'Dog', points: 3 });
    const page = await openPage(`${service.url}/b/rocket/backlog`, { locale: 'en-US' });
    await list(page, 'Sprint of January 7, 2030').waitFor({ state: 'attached' });
    await card(page, 'Backlog', 'Dog').waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('average');
  });

  test('says how many stories of completed sprints a search finds that it does not show', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').waitFor();
    await page.getByLabel('Search').fill('yak');
    await page.getByText('1 more in a completed sprint').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await card(page, 'Sprint 1', 'Yak').waitFor();
    expect(await page.getByText('in a completed sprint').count()).toBe(0);
  });

  test('counts no points if the team does not estimate', async () => {
    const { client, url } = await startService();
    const ids = await Promise.all(
      [-17, -3].map(async (start) => {
        const end_date = day(start + 13);
        const sprint = { start_date: day(start), end_date };
        return (await client.post('/api/boards/rocket/sprints', sprint)).body.id;
      }),
    );
    await client.post(`/api/sprints/${ids[0]}/stories`, { title: 'Ant', status: 'done' });
    await client.post(`/api/sprints/${ids[0]}/complete`, {});
    await client.post('/api/boards/rocket/backlog', { title: 'Bee' });
    const page = await openPage(`${url}/b/rocket/backlog`);
    await page.getByText('0 stories, average 1').waitFor();
    await card(page, 'Backlog', 'Bee').waitFor();
    const backlog = page.getByRole('region', { name: 'Backlog' });
    await backlog.getByText('1 story').waitFor();
    expect(await backlog.innerText()).not.toContain('point');
  });

  test('moves a story dragged from the backlog to the place in a sprint where it is dropped', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const answer = answered(page, /\/move$/);
    await card(page, 'Backlog', 'Eel').dragTo(card(page, 'Sprint 2', 'Bee'), {
      targetPosition: { x: 200, y: 4 },
    });
    await card(page, 'Sprint 2', 'Eel').waitFor();
    expect(await titles(page, 'Sprint 2')).toEqual(['Ant', 'Eel', 'Bee']);
    expect((await answer).status()).toBe(200);
    const request = (await answer).request();
    expect(request.headers()['if-match']).toMatch(/^".+"$/);
    expect(request.headers()['idempotency-key']).toBeTruthy();
    expect(await stored(plan, `/api/sprints/${plan.sprints[1]}/stories`)).toEqual([
      'Ant',
      'Eel',
      'Bee',
    ]);
  });

  test('moves several selected stories by one drag in one request, and undoes it', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').click({ modifiers: ['Control'] });
    await card(page, 'Backlog', 'Fox').click({ modifiers: ['Shift'] });
    await page.getByRole('status').getByText('3 stories selected').waitFor();
    await card(page, 'Backlog', 'Eel').click({ modifiers: ['Control'] });
    await page.getByRole('toolbar').getByText('2 selected').waitFor();
    const moves: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') moves.push(new URL(request.url()).pathname);
    });
    const answer = answered(page, /\/stories\/move$/);
    await card(page, 'Backlog', 'Fox').dragTo(card(page, 'Sprint 3', 'Cat'), {
      targetPosition: { x: 200, y: 4 },
    });
    await card(page, 'Sprint 3', 'Fox').waitFor();
    expect(await titles(page, 'Sprint 3')).toEqual(['Dog', 'Fox', 'Cat']);
    expect((await answer).status()).toBe(200);
    expect((await answer).request().headers()['if-match']).toMatch(/^".+"$/);
    expect(moves).toEqual(['/api/boards/rocket/stories/move']);
    await page.keyboard.press('z');
    await card(page, 'Backlog', 'Dog').waitFor();
    await page.waitForFunction(() => document.body.innerText.includes('Undone'));
    await card(page, 'Backlog', 'Fox').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Eel', 'Fox', 'Gnu']);
  });

  test('asks for the points or the assignee of the selected stories by a key, and undoes it', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const dialog = page.getByRole('dialog');
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('e');
    await dialog.getByRole('heading', { name: 'Points of “Dog”' }).waitFor();
    expect(await dialog.getByLabel('Points').inputValue()).toBe('1');
    await dialog.getByLabel('Points').fill('many');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Points').fill('2.5');
    await page.keyboard.press('Enter');
    await card(page, 'Backlog', 'Dog').getByText('2.5 points').waitFor();
    await until(page, `document.activeElement.getAttribute('aria-label')`, 'Dog');

    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.keyboard.press('a');
    await dialog.getByRole('heading', { name: 'Assignee of 2 stories' }).waitFor();
    await dialog.getByText('They have different values now.').waitFor();
    // Without a new value, it does nothing.
    await page.keyboard.press('Enter');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Assignee').fill('Ada');
    await page.keyboard.press('Enter');
    await card(page, 'Backlog', 'Fox').getByText('Ada').waitFor();
    await page.getByRole('status').getByText('Changed assignee of 2 stories').waitFor();
    await until(page, fieldOfBacklog('assignee'), 'Ada,,Ada,');
    await page.keyboard.press('z');
    await card(page, 'Backlog', 'Fox').getByText('Mei').waitFor();
    await until(page, fieldOfBacklog('assignee'), ',,Mei,');
  });

  test('sets the points of the selected stories without a key', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    for (const title of ['Eel', 'Gnu']) {
      await card(page, 'Backlog', title).hover();
      await card(page, 'Backlog', title).getByRole('checkbox').click();
    }
    const bar = page.getByRole('toolbar', { name: 'Selected stories' });
    await bar.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('menuitem', { name: 'Points' }).click();
    await page.getByRole('dialog', { name: 'Points of 2 stories' }).getByLabel('Points').fill('13');
    await page.keyboard.press('Enter');
    await until(page, fieldOfBacklog('points'), '1,13,,13');
    await bar.getByText('2 selected').waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    const { x, width } = (await bar.boundingBox())!;
    expect([x >= 0, x + width <= 320]).toEqual([true, true]);
  });

  test('adds and removes labels of the selected stories, which keep their other ones', async () => {
    const plan = await startPlan();
    const { client } = plan.service;
    await client.put(`/api/stories/${plan.ids.Dog}`, { labels: ['pets', 'old', 'a, b'] });
    await client.put(`/api/stories/${plan.ids.Eel}`, { labels: ['old', 'a, b', 'sea'] });
    const page = await openPage(plan.url);
    const dialog = page.getByRole('dialog', { name: 'Labels of 2 stories' });
    for (const title of ['Dog', 'Eel']) {
      await card(page, 'Backlog', title).focus();
      await page.keyboard.press('x');
    }
    await page.keyboard.press('l');
    await dialog.getByText('Labels that only some of the stories have stay.').waitFor();
    expect(await dialog.getByLabel('Labels').inputValue()).toBe('old, a\\, b, ');
    // Someone else adds another one meanwhile.
    await client.put(`/api/stories/${plan.ids.Eel}`, { labels: ['old', 'a, b', 'sea', 'fish'] });
    await card(page, 'Backlog', 'Eel').getByText('fish').waitFor();
    const tooMany = Array.from({ length: 20 }, (_, i) => `label ${i}`).join(', ');
    await dialog.getByLabel('Labels').fill(tooMany);
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('At most 20 labels.').waitFor();
    await dialog.getByLabel('Labels').fill('new, a\\, b');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Changed labels of 2 stories').waitFor();
    const labels = fieldOfBacklog("labels.join('+')");
    await until(page, labels, 'pets+a, b+new,a, b+sea+fish+new,,');
    await page.keyboard.press('z');
    await until(page, labels, 'pets+old+a, b,old+a, b+sea+fish,,');
  });

  test('asks for the priority of the focused story by a key', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const field = page.getByRole('dialog', { name: 'Priority of “Dog”' }).getByLabel('Priority');
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('p');
    await field.fill('1.5');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/^An integer/)
      .waitFor();
    await field.fill('1');
    await page.keyboard.press('Enter');
    await until(page, fieldOfBacklog('priority'), '1,,,');
  });

  test('names the story whose field is changed, even if it was deleted meanwhile', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const dialog = page.getByRole('dialog');
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('e');
    await dialog.getByLabel('Points').fill('3');
    await plan.service.client.delete(`/api/stories/${plan.ids.Dog}`);
    await card(page, 'Backlog', 'Dog').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await dialog.getByText('Change points of “Dog”', { exact: true }).waitFor();
  });

  test('asks for a field without overwriting what someone else has set meanwhile', async () => {
    const { plan, page, dialog } = await openFieldOfTwo('e');
    const { client } = plan.service;
    await dialog.getByLabel('Points').fill('3');
    // Another field of one story, and the field itself of the other one.
    await client.put(`/api/stories/${plan.ids.Eel}`, { title: 'Electric eel' });
    await client.put(`/api/stories/${plan.ids.Dog}`, { points: 21 });
    await card(page, 'Backlog', 'Dog').getByText('21 points').waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    const conflict = page.getByRole('dialog', { name: 'Your change was not saved' });
    await conflict.getByText('Points: 1 → 21').waitFor();
    await conflict.getByRole('button', { name: 'Keep theirs' }).click();
    await card(page, 'Backlog', 'Electric eel').getByText('3 points').waitFor();
    await card(page, 'Backlog', 'Dog').getByText('21 points').waitFor();
  });

  test('names the story of a conflict about one of the selected stories', async () => {
    const { plan, page, dialog } = await openFieldOfTwo('e');
    await dialog.getByLabel('Points').fill('3');
    await plan.service.client.delete(`/api/stories/${plan.ids.Eel}`);
    await card(page, 'Backlog', 'Eel').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await dialog.getByText('Change points of 2 stories (1 of 2 changes)').waitFor();
    await dialog.getByText('Meanwhile, “Eel”:').waitFor();
    await dialog.getByRole('button', { name: 'Keep theirs' }).click();
    await page
      .getByRole('status')
      .getByText('Discarded: Change points of 2 stories (1 of 2 changes)')
      .waitFor();
    await card(page, 'Backlog', 'Dog').getByText('3 points').waitFor();
  });

  test('counts the labels that someone else has added meanwhile', async () => {
    const { plan, page, dialog } = await openFieldOfTwo('l');
    await dialog.getByLabel('Labels').fill('new');
    const labels = Array.from({ length: 20 }, (_, i) => `label ${i}`);
    await plan.service.client.put(`/api/stories/${plan.ids.Dog}`, { labels });
    await card(page, 'Backlog', 'Dog').getByText('label 4').waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('At most 20 labels.').waitFor();
  });

  test('asks for a field of a story that is being saved', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const points = page.getByRole('dialog').getByLabel('Points');
    await card(page, 'Backlog', 'Gnu').focus();
    const change = await hold(page, /^\/api\/stories\/\d+$/, 'PUT');
    await page.keyboard.press('3');
    await change.arrived;
    await page.keyboard.press('e');
    await points.fill('3');
    change.release();
    await page.keyboard.press('Enter');
    await card(page, 'Backlog', 'Gnu').getByText('3 points').waitFor();

    const creation = await hold(page, /\/batch$/, 'POST');
    const field = page.getByLabel('New story in Backlog');
    await field.fill('Hen');
    await field.press('Enter');
    await creation.arrived;
    await card(page, 'Backlog', 'Hen').focus();
    await page.keyboard.press('e');
    await points.fill('5');
    creation.release();
    await card(page, 'Backlog', 'Hen')
      .getByText(/^#\d+$/)
      .waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await card(page, 'Backlog', 'Hen').getByText('5 points').waitFor();
    await until(page, fieldOfBacklog('points'), '1,8,,3,5');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('moves the focus and the story by keys, across the lists', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Sprint 2', 'Ant').waitFor();
    await card(page, 'Sprint 3', 'Cat').waitFor();
    await card(page, 'Backlog', 'Dog').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focusedName(page)).toBe('Ant');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focusedName(page)).toBe('Cat');
    await page.keyboard.press('ArrowRight');
    expect(await focusedName(page)).toBe('Dog');
    await page.keyboard.press('Shift+ArrowDown');
    await page.waitForFunction(() => document.activeElement?.matches('li'));
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+ArrowUp');
    await card(page, 'Sprint 3', 'Dog').waitFor();
    expect(await titles(page, 'Sprint 3')).toEqual(['Cat', 'Dog']);
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Dog');
    await page.keyboard.press('Shift+ArrowLeft');
    await card(page, 'Sprint 2', 'Dog').waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Dog');
    await page.keyboard.press('3');
    await page.getByRole('status').getByText('“Dog” to Done').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Title').waitFor();
    expect(page.url()).toBe(`${plan.url}/stories/${plan.ids.Dog}`);
  });

  test('selects by the key x, and moves the selection by keys and by the menu', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Fox').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.getByRole('status').getByText('2 stories selected').waitFor();
    await page.keyboard.press('Shift+ArrowUp');
    await page.waitForFunction(
      () => document.querySelector('[aria-label="Eel"]')?.nextElementSibling === null,
    );
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Fox', 'Gnu', 'Eel']);
    const bar = page.getByRole('toolbar', { name: 'Selected stories' });
    await bar.getByRole('button', { name: 'Move' }).click();
    const answer = page.waitForResponse(
      (response) =>
        response.url().endsWith('/stories/move') &&
        response
          .request()
          .postData()!
          .includes('sprint_id":' + plan.sprints[2]),
    );
    await page.getByRole('menuitem', { name: 'Sprint 3' }).click();
    await card(page, 'Sprint 3', 'Gnu').waitFor();
    expect((await answer).status()).toBe(200);
    expect(await backlog(plan)).toEqual(['Dog', 'Eel']);
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
  });

  test('deselects stories that a filter hides, and keeps the focus when the selection is cleared', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const bar = page.getByRole('toolbar', { name: 'Selected stories' });
    for (const title of ['Eel', 'Gnu']) {
      await card(page, 'Backlog', title).focus();
      await page.keyboard.press('x');
    }
    await bar.getByText('2 selected').waitFor();
    await page.getByLabel('Filter by label').selectOption('water');
    await bar.getByText('1 selected').waitFor();
    await card(page, 'Backlog', 'Eel').focus();
    await page.keyboard.press('3');
    await page.getByRole('status').getByText('Moved “Eel” to Done').waitFor();
    for (const key of ['Enter', 'Escape']) {
      await bar.getByRole('button', { name: 'Clear selection' }).focus();
      await page.keyboard.press(key);
      await bar.waitFor({ state: 'detached' });
      await page.waitForFunction(
        () => document.activeElement?.getAttribute('aria-label') === 'Eel',
      );
      await page.keyboard.press('x');
      await bar.getByText('1 selected').waitFor();
    }
  });

  test('deselects stories that stay in a sprint which someone else completes', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    for (const title of ['Ant', 'Bee']) {
      await card(page, 'Sprint 2', title).focus();
      await page.keyboard.press('x');
    }
    const bar = page.getByRole('toolbar', { name: 'Selected stories' });
    await bar.getByText('2 selected').waitFor();
    // Ant is not done, so it moves to the backlog.
    await plan.service.client.post(`/api/sprints/${plan.sprints[1]}/complete`, {});
    await card(page, 'Backlog', 'Ant').waitFor();
    await bar.getByText('1 selected').waitFor();
  });

  test('deselects a story that a search no longer finds after a change of someone else', async () => {
    const plan = await startPlan();
    const { client } = plan.service;
    await client.put(`/api/stories/${plan.ids.Dog}`, { description: 'Barks' });
    const page = await openPage(`${plan.url}?q=barks`);
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('x');
    const bar = page.getByRole('toolbar', { name: 'Selected stories' });
    await bar.getByText('1 selected').waitFor();
    await client.put(`/api/stories/${plan.ids.Dog}`, { description: null });
    await card(page, 'Backlog', 'Dog').waitFor({ state: 'detached' });
    await bar.waitFor({ state: 'detached' });
  });

  test('opens the menu Move of the focused story, or of the selection, by the key m', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Eel').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Sprint 3' }).click();
    await card(page, 'Sprint 3', 'Fox').waitFor();
    expect(await titles(page, 'Sprint 3')).toEqual(['Cat', 'Eel', 'Fox']);
    await page.goto(`${plan.service.url}/b/rocket`);
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Done' }).click();
    await card(page, 'Done', 'Ant').waitFor();
  });

  test('offers everything that a drag can do in the menu Move', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const move = async (title: string, item: string): Promise<void> => {
      const row = page.getByRole('listitem', { name: title });
      await row.getByRole('button', { name: 'Move' }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await card(page, 'Backlog', 'Gnu').waitFor();
    await move('Gnu', 'First');
    await list(page, 'Backlog').getByRole('listitem').first().getByText('Gnu').waitFor();
    await move('Gnu', 'Down');
    await move('Eel', 'Last');
    await move('Fox', 'Up');
    await move('Fox', 'Sprint 2');
    await card(page, 'Sprint 2', 'Fox').waitFor();
    await move('Cat', 'Backlog');
    await card(page, 'Backlog', 'Cat').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Gnu', 'Eel', 'Cat']);
  });

  test('shows a conflict if a selected story was moved elsewhere, and moves it again on request', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').click({ modifiers: ['Control'] });
    await card(page, 'Backlog', 'Eel').click({ modifiers: ['Control'] });
    // The change of the other user arrives between the gesture and its request.
    await route(
      page,
      '**/api/boards/rocket/stories?*',
      async (route) => {
        await plan.service.client.post(`/api/stories/${plan.ids.Eel}/move`, {
          sprint_id: plan.sprints[1],
        });
        await route.continue();
      },
      ONCE,
    );
    await card(page, 'Backlog', 'Eel').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Apply mine again' }).waitFor();
    expect(await titles(page, 'Sprint 3')).toEqual(['Cat']);
    await dialog.getByRole('button', { name: 'Apply mine again' }).click();
    await card(page, 'Sprint 3', 'Eel').waitFor();
    expect(await titles(page, 'Sprint 3')).toEqual(['Cat', 'Dog', 'Eel']);
  });

  test('moves the rest of the selected stories on request if one was deleted elsewhere', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    for (const title of ['Dog', 'Eel', 'Fox']) {
      await card(page, 'Backlog', title).click({ modifiers: ['Control'] });
    }
    await page.getByText('3 selected').waitFor();
    await route(
      page,
      '**/api/boards/rocket/stories?*',
      async (route) => {
        await plan.service.client.delete(`/api/stories/${plan.ids.Eel}`);
        await route.continue();
      },
      ONCE,
    );
    await page.keyboard.press('Shift+ArrowLeft');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('deleted it').waitFor();
    const moved = page.waitForResponse(
      (response) => response.url().endsWith('/stories/move') && response.ok(),
    );
    await dialog.getByRole('button', { name: 'Apply mine again' }).click();
    await card(page, 'Sprint 3', 'Fox').waitFor();
    expect(await titles(page, 'Sprint 3')).toEqual(['Cat', 'Dog', 'Fox']);
    await moved;
    expect(await backlog(plan)).toEqual(['Gnu']);
    expect(await dialog.count()).toBe(0);
  });

  test('moves several stories although someone else changes another story meanwhile', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').click({ modifiers: ['Control'] });
    await card(page, 'Backlog', 'Eel').click({ modifiers: ['Control'] });
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/stories/move')) statuses.push(response.status());
    });
    await route(
      page,
      '**/api/boards/rocket/stories/move',
      async (route) => {
        await plan.service.client.put(`/api/stories/${plan.ids.Cat}`, { title: 'Cat 2' });
        await route.continue();
      },
      ONCE,
    );
    const moved = page.waitForResponse(
      (response) => response.url().endsWith('/stories/move') && response.ok(),
    );
    await page.keyboard.press('Shift+ArrowLeft');
    await moved;
    expect(statuses).toEqual([412, 200]);
    expect(await stored(plan, `/api/sprints/${plan.sprints[2]}/stories`)).toEqual([
      'Cat 2',
      'Dog',
      'Eel',
    ]);
  });

  test('creates stories in place, one after another, and by the key c', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('textbox', { name: 'New story in Sprint 3' }).focus();
    for (const title of ['Hen', 'Ibis']) {
      await page.keyboard.type(title);
      await page.keyboard.press('Enter');
      await card(page, 'Sprint 3', title).getByText('#').waitFor();
    }
    expect(await titles(page, 'Sprint 3')).toEqual(['Cat', 'Hen', 'Ibis']);
    await page.keyboard.press('Escape');
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('c');
    await page.getByRole('dialog').getByLabel('Title').fill('Jay');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await card(page, 'Backlog', 'Jay').getByText('#').waitFor();
  });

  test('keeps the field for new stories in view', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const field = page.getByLabel('New story in Backlog');
    await card(page, 'Backlog', 'Dog').waitFor();
    await field.focus();
    for (let i = 0; i < 20; i++) {
      await page.keyboard.type(`Bird ${i}`);
      await page.keyboard.press('Enter');
    }
    await card(page, 'Backlog', 'Bird 19').waitFor();
    await page.waitForFunction(() => {
      const { bottom } = document.activeElement!.getBoundingClientRect();
      return bottom <= innerHeight;
    });
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
  });

  test('focuses a new story, which keeps the focus when it is saved', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').focus();
    const held = await hold(page, /\/batch$/, 'POST');
    await page.keyboard.press('c');
    await page.getByRole('dialog').getByLabel('Title').fill('Jay');
    await page.keyboard.press('Enter');
    await held.arrived;
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Jay');
    await page.keyboard.press('2');
    await page.getByRole('status').getByText('Moved “Jay” to In progress').waitFor();
    await page.keyboard.press('Shift+ArrowUp');
    await page.getByRole('status').getByText('This story is not saved yet').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('New, changed').waitFor();
    await page.keyboard.press('Escape');
    const saved = answered(page, /\/stories\/\d+$/);
    held.release();
    expect((await saved).status()).toBe(200);
    await card(page, 'Backlog', 'Jay').getByText('#').waitFor();
    expect(await focusedName(page)).toBe('Jay');
  });

  test('focuses a new story that is saved before the next frame', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('c');
    await page.getByRole('dialog').getByLabel('Title').fill('Jay');
    await page.evaluate(() => {
      const requestAnimationFrame = window.requestAnimationFrame.bind(window);
      const held: FrameRequestCallback[] = [];
      window.requestAnimationFrame = (run) => held.push(run);
      const isSaved = (): boolean =>
        document.querySelector('[aria-label="Jay"]')?.textContent?.includes('#') === true;
      new MutationObserver((_changes, observer) => {
        if (!isSaved()) return;
        observer.disconnect();
        window.requestAnimationFrame = requestAnimationFrame;
        for (const run of held) requestAnimationFrame(run);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await page.keyboard.press('Enter');
    await card(page, 'Backlog', 'Jay').getByText('#').waitFor();
    await drawn(page);
    expect(await focusedName(page)).toBe('Jay');
  });

  test.each(['completed', 'deleted'])(
    'keeps the text of a new story whose sprint is %s meanwhile, and runs no command from the rest of it',
    async (end) => {
      const { url, service, sprints } = await startPlan();
      const page = await openPage(url);
      await page.getByLabel('New story in Sprint 3').fill('Hen');
      await page.keyboard.press('Enter');
      await card(page, 'Sprint 3', 'Hen').getByText('#').waitFor();
      await page.getByLabel('New story in Sprint 2').focus();
      await page.keyboard.type('A ');
      const sprint = `/api/sprints/${sprints[1]}`;
      if (end === 'deleted') await service.client.delete(sprint);
      else await service.client.post(`${sprint}/complete`, { unfinished: 'backlog' });
      await page.getByRole('status').getByText(`Sprint 2 was ${end}`).waitFor();
      await page.keyboard.type('zoo');
      await page.keyboard.press('Enter');
      await card(page, 'Backlog', 'A zoo').getByText('#').waitFor();
      expect(await titles(page, 'Sprint 3')).toEqual(['Cat', 'Hen']);
    },
  );

  test('offers to add the text of a new story whose sprint is completed, if the backlog has another text', async () => {
    const { url, service, sprints } = await startPlan();
    const page = await openPage(url);
    await page.getByLabel('New story in Backlog').fill('Ibis');
    await page.getByLabel('New story in Sprint 2').fill('Hen');
    await service.client.post(`/api/sprints/${sprints[1]}/complete`, { unfinished: 'backlog' });
    const message = page.getByRole('alert').filter({ hasText: '“Hen” is not saved' });
    await message.getByRole('button', { name: 'Add to backlog' }).click();
    await card(page, 'Backlog', 'Hen').getByText('#').waitFor();
    expect(await page.getByLabel('New story in Backlog').inputValue()).toBe('Ibis');
  });

  test('names the field if a story is rejected, and does not offer the backlog, which would reject it, too', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByLabel('New story in Sprint 2').fill('Bell\u0000');
    await page.getByLabel('New story in Sprint 2').press('Enter');
    const error = page.getByRole('alert').filter({ hasText: 'Not saved: Create “Bell' });
    await error.waitFor();
    expect(await error.innerText()).toContain('”. title must not contain NUL');
    expect(await error.getByRole('button').allInnerTexts()).not.toContain('Add to backlog');
  });

  test('creates a story from each pasted line after a confirmation', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').waitFor();
    await paste(page, 'New story in Backlog', '- Hen\n\n2. Ibis\n[ ] Jay\r\n');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Titles').inputValue()).toBe('Hen\nIbis\nJay');
    expect(await titles(page, 'Backlog')).toHaveLength(4);
    await dialog.getByRole('button', { name: 'Create 3 stories' }).click();
    await card(page, 'Backlog', 'Jay').getByText('#').waitFor();
    expect(await backlog(plan)).toEqual(['Dog', 'Eel', 'Fox', 'Gnu', 'Hen', 'Ibis', 'Jay']);
  });

  test('creates a task from each pasted line', async () => {
    const plan = await startPlan();
    const page = await openPage(`${plan.url}/stories/${plan.ids.Dog}`);
    await page.getByRole('textbox', { name: 'New task' }).waitFor();
    const saved = answered(page, /\/tasks$/);
    await paste(page, 'New task', '- Dig\n- [x] Bury\r\n\n3. Sleep\n');
    await saved;
    const tasks = page.getByRole('dialog').getByRole('checkbox');
    await tasks.nth(2).waitFor();
    const path = `/api/stories/${plan.ids.Dog}/tasks`;
    await page.getByRole('dialog').getByText('0 of 3').waitFor();
    await page.waitForFunction(async (url) => (await (await fetch(url)).json()).length === 3, path);
    expect(await stored(plan, path)).toEqual(['Dig', 'Bury', 'Sleep']);
    expect(await page.getByLabel('New task').inputValue()).toBe('');
  });

  test('does not cut off a long title', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').waitFor();
    await page.getByLabel('New story in Backlog').focus();
    await page.keyboard.insertText('W'.repeat(256));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New stories in Backlog' });
    await dialog.getByText('A title has at most 255 characters').waitFor();
    await dialog.getByLabel('Titles').press('Control+End');
    await page.keyboard.press('Backspace');
    await dialog.getByRole('button', { name: 'Create 1 story' }).click();
    await card(page, 'Backlog', 'W'.repeat(255)).getByText('#').waitFor();
    expect(await page.getByLabel('New story in Backlog').inputValue()).toBe('');
  });

  test('keeps the titles that were typed into the dialog until it is cancelled', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').waitFor();
    await paste(page, 'New story in Backlog', 'Hen\nIbis');
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('Titles');
    await field.fill('Hen\nIbis\nJay');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await paste(page, 'New story in Backlog', 'Kea\nLark');
    expect(await field.inputValue()).toBe('Hen\nIbis\nJay\nKea\nLark');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit again' }).click();
    expect(await field.inputValue()).toBe('Hen\nIbis\nJay\nKea\nLark');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await paste(page, 'New story in Backlog', 'Hen\nIbis');
    expect(await field.inputValue()).toBe('Hen\nIbis');
  });

  test('keeps search and filters in the URL', async () => {
    const plan = await startPlan();
    const page = await openPage(`${plan.url}?assignee=Mei`);
    await card(page, 'Backlog', 'Fox').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Fox']);
    await page.getByRole('region', { name: 'Backlog' }).getByText('1 of 4 stories').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('water');
    await card(page, 'Backlog', 'Dog').waitFor({ state: 'detached' });
    expect(await titles(page, 'Backlog')).toEqual(['Eel']);
    expect(new URL(page.url()).search).toBe('?q=water');
  });

  test('filters even while the browser allows no other URL, as Safari after a hundred in ten seconds', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').waitFor();
    await page.evaluate(() => {
      const replace = history.replaceState.bind(history);
      history.replaceState = () => {
        throw new DOMException('Too often', 'SecurityError');
      };
      addEventListener('allowed', () => (history.replaceState = replace));
    });
    await page.getByLabel('Search').fill('dog');
    await card(page, 'Backlog', 'Eel').waitFor({ state: 'detached' });
    expect(await titles(page, 'Backlog')).toEqual(['Dog']);
    await page.evaluate(() => dispatchEvent(new Event('allowed')));
    await until(page, 'location.search', '?q=dog');
  });

  test('suggests the assignee and the label of the filters for a new story', async () => {
    const plan = await startPlan();
    await plan.service.client.put(`/api/stories/${plan.ids.Fox}`, { labels: ['a, b'] });
    const page = await openPage(`${plan.url}?assignee=Mei&label=a,%20b`);
    await card(page, 'Backlog', 'Fox').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New story' });
    await dialog.getByLabel('Title').fill('Hen');
    await page.keyboard.press('Control+Enter');
    await card(page, 'Backlog', 'Hen').waitFor();
    await until(page, fieldOfBacklog('assignee'), ',,Mei,,Mei');
    await until(page, fieldOfBacklog('labels'), ',water,a, b,,a, b');
  });

  test('finds a story by its external_id', async () => {
    const plan = await startPlan();
    await plan.service.client.put(`/api/stories/${plan.ids.Fox}`, { external_id: 'ZOO-17' });
    const page = await openPage(`${plan.url}?q=zoo-17`);
    await card(page, 'Backlog', 'Fox').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Fox']);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command or story' }).fill('zoo-17');
    await page.getByRole('option', { name: 'Fox' }).click();
    await page.getByRole('dialog').getByText('(ZOO-17)').waitFor();
  });

  test('shows the stories that have no assignee or no label', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Fox').waitFor();
    const people = page.getByLabel('Filter by assignee');
    const found = page.waitForResponse(/\/api\/boards\/rocket\/stories\?/);
    await people.selectOption('Unassigned');
    await card(page, 'Backlog', 'Fox').waitFor({ state: 'detached' });
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Eel', 'Gnu']);
    // The service finds those that are not loaded.
    const ids = (await (await found).json()).map(({ id }: { id: number }) => id);
    expect(ids).toContain(plan.ids.Yak);
    expect(ids).not.toContain(plan.ids.Fox);
    await page.getByLabel('Filter by label').selectOption('No label');
    await card(page, 'Backlog', 'Eel').waitFor({ state: 'detached' });
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Gnu']);
    expect(new URL(page.url()).search).toBe('?assignee=&label=');
    await page.reload();
    await card(page, 'Backlog', 'Gnu').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Gnu']);
    await people.selectOption('All assignees');
    await card(page, 'Backlog', 'Fox').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Fox', 'Gnu']);
  });

  test('moves a story to the ends of its list although a filter hides the others', async () => {
    const plan = await startPlan();
    const page = await openPage(`${plan.url}?q=Fox`);
    const move = async (item: string): Promise<void> => {
      const answer = answered(page, /\/move$/);
      await card(page, 'Backlog', 'Fox').getByRole('button', { name: 'Move' }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      expect((await answer).status()).toBe(200);
    };
    await move('First');
    expect(await backlog(plan)).toEqual(['Fox', 'Dog', 'Eel', 'Gnu']);
    await move('Last');
    expect(await backlog(plan)).toEqual(['Dog', 'Eel', 'Gnu', 'Fox']);
    await card(page, 'Backlog', 'Fox').getByRole('button', { name: 'Move' }).click();
    expect(await page.getByRole('menuitem', { name: 'Last' }).isDisabled()).toBe(true);
  });

  test('says that a story was created if the filter hides it', async () => {
    const plan = await startPlan();
    const page = await openPage(`${plan.url}?q=water`);
    await card(page, 'Backlog', 'Eel').waitFor();
    await page.getByLabel('New story in Backlog').fill('Hen');
    await page.keyboard.press('Enter');
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('Created “Hen”. The filters hide it.').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Eel']);
    await messages.getByRole('button', { name: 'Clear filters' }).click();
    await card(page, 'Backlog', 'Hen').waitFor();
  });

  test('shows a change made elsewhere within a second', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').focus();
    await plan.service.client.post(`/api/stories/${plan.ids.Ant}/move`, { sprint_id: null });
    await card(page, 'Backlog', 'Ant').waitFor({ timeout: promised(1000) });
    expect(await focusedName(page)).toBe('Dog');
  });

  test('reads a backlog of thousands in pages without descriptions, and draws 200 rows at first', async () => {
    const service = await startService();
    const { body } = await service.client.post('/api/boards', { name: 'rocket' });
    await insertRows(service, 'stories', 1700, (i) =>
      storyRow(body.id as number, i, {
        title: `Story ${i + 1}`,
        search: `STORY ${i + 1}`,
        description: 'x'.repeat(50),
      }),
    );
    const page = await openPage('about:blank');
    const requests: URL[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/backlog?')) requests.push(new URL(request.url()));
    });
    await page.goto(`${service.url}/b/rocket/backlog`);
    await card(page, 'Backlog', 'Story 200').first().waitFor();
    const items = list(page, 'Backlog').getByRole('listitem');
    expect(await items.count()).toBe(200);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.searchParams.get('limit')).toBe('500');
    expect(requests[0]?.searchParams.get('fields')).not.toContain('description');
    await region(page, 'Backlog').getByText('1,700 stories').waitFor();
    await page.getByRole('textbox', { name: 'New story in Backlog' }).fill('Fresh');
    await page.keyboard.press('Enter');
    await card(page, 'Backlog', 'Fresh').getByText('#').waitFor();
    for (let i = 0; i < 3; i++) await page.getByRole('button', { name: 'Show more' }).click();
    await list(page, 'Backlog').getByRole('listitem', { name: 'Story 700', exact: true }).waitFor();
    expect(requests).toHaveLength(2);
    // A filter loads all stories.
    await page.getByRole('searchbox', { name: 'Search' }).fill('Story 1699');
    await list(page, 'Backlog').getByRole('listitem', { name: 'Story 1699' }).waitFor();
    expect(requests).toHaveLength(4);
    // The loaded stories are not all drawn, but the one that was created is.
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await list(page, 'Backlog').getByRole('listitem', { name: 'Story 700', exact: true }).waitFor();
    expect(await items.count()).toBe(801);
    await region(page, 'Backlog').getByText('1,701 stories').waitFor();
  });

  test('moves a story back to the end of a backlog that is not loaded completely', async () => {
    const service = await startService();
    await service.client.post('/api/boards/rocket/sprints', {
      start_date: day(0),
      name: 'Sprint 1',
    });
    await fillBacklog(service, '/api/boards/rocket', 501);
    const page = await openPage(`${service.url}/b/rocket/backlog`);
    await page.getByRole('button', { name: /Show more/ }).waitFor();
    await page.getByLabel('New story in Backlog').fill('Zebra');
    await page.keyboard.press('Enter');
    await card(page, 'Backlog', 'Zebra').getByText('#').waitFor();
    await card(page, 'Backlog', 'Zebra').focus();
    const moved = answered(page, /\/move$/);
    await page.keyboard.press('Shift+ArrowLeft');
    await card(page, 'Sprint 1', 'Zebra').waitFor();
    await moved;
    const undone = answered(page, /\/move$/);
    await page.keyboard.press('z');
    await undone;
    const { body } = await service.client.get('/api/boards/rocket/backlog');
    expect(body.at(-1).title).toBe('Zebra');
  });

  test('counts each story of a backlog that is not loaded completely once', async () => {
    const service = await startService();
    const { client } = service;
    const sprint = await client.post('/api/boards/rocket/sprints', { start_date: day(0) });
    const path = `/api/sprints/${sprint.body.id}/stories`;
    const ant = await client.post(path, { title: 'Ant' });
    await client.post(path, { title: 'Bee' });
    await fillBacklog(service, '/api/boards/rocket', 501);
    const page = await openPage(`${service.url}/b/rocket`);
    await card(page, 'To do', 'Bee').waitFor();
    await client.post(`/api/stories/${ant.body.id}/move`, { sprint_id: null });
    await card(page, 'To do', 'Ant').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Plan' }).click();
    const backlog = region(page, 'Backlog');
    await backlog.getByRole('button', { name: 'Show more' }).waitFor();
    await backlog.getByText('502 stories').waitFor();
    await backlog.getByRole('button', { name: 'Show more 302 stories' }).waitFor();
    const { body } = await client.get('/api/boards/rocket/backlog');
    await client.delete(`/api/stories/${body[500].id}`);
    await backlog.getByText('501 stories').waitFor();
  });

  test('offers the assignees and labels of all stories as filters', async () => {
    const service = await startService();
    await service.client.post('/api/boards', { name: 'rocket' });
    await fillBacklog(service, '/api/boards/rocket', 501);
    await service.client.post('/api/boards/rocket/backlog', {
      title: 'Zebra',
      assignee: 'Zoe',
      labels: ['zoo'],
    });
    const page = await openPage(`${service.url}/b/rocket/backlog`);
    await page.getByRole('button', { name: /Show more/ }).waitFor();
    const filter = page.getByLabel('Filter by label');
    expect(await filter.getByRole('option', { name: 'zoo' }).count()).toBe(0);
    await filter.focus();
    await filter.getByRole('option', { name: 'zoo' }).waitFor({ state: 'attached' });
    await page.getByLabel('Filter by assignee').selectOption('Zoe');
    await card(page, 'Backlog', 'Zebra').waitFor();
  });

  test('counts the stories of a filter, and keeps the labels to choose, after a change elsewhere', async () => {
    const plan = await startPlan();
    const page = await openPage(`${plan.url}?assignee=Mei`);
    await card(page, 'Backlog', 'Fox').waitFor();
    await page.getByRole('status').getByText('1 story found').waitFor();
    await page.clock.install();
    const again = await hold(page, /stories\?.*assignee=Mei/);
    await plan.service.client.put(`/api/stories/${plan.ids.Fox}`, { points: 3 });
    await card(page, 'Backlog', 'Fox').getByText('3 points').waitFor({ state: 'attached' });
    // Once the changes have ended, the service searches again.
    await page.clock.fastForward(1500);
    await page.clock.fastForward(200);
    await again.arrived;
    await page.clock.fastForward(1000);
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('0 stories found');
    expect(await page.getByLabel('Filter by label').getByRole('option').allInnerTexts()).toEqual([
      'All labels',
      'No label',
      'water',
    ]);
    again.release();
  });

  test('says how many stories “Show more” adds', async () => {
    const service = await startService();
    await service.client.post('/api/boards', { name: 'rocket' });
    await fillBacklog(service, '/api/boards/rocket', 201);
    const page = await openPage(`${service.url}/b/rocket/backlog`);
    await page.getByRole('button', { name: 'Show more 1 story', exact: true }).waitFor();
  });

  test.each(['light', 'dark'] as const)('has no errors in axe (%s)', async (colorScheme) => {
    const plan = await startPlan();
    const page = await openPage(plan.url, { colorScheme });
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('x');
    await page.getByRole('toolbar').waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test.each([390, 768, 1280])('fits a window of %d without sideways scrolling', async (width) => {
    const plan = await startPlan();
    const { client } = plan.service;
    await client.post('/api/boards/rocket/backlog', {
      title: 'A-very-long-word-without-a-space-'.repeat(4),
      labels: Array.from({ length: 20 }, (_, i) => `label-with-a-long-name-${i}`),
      assignee: 'Someone with a rather long name for such a narrow screen',
    });
    await client.post('/api/boards/rocket/backlog', { title: 'A long title '.repeat(19) });
    await client.put(`/api/sprints/${plan.sprints[2]}`, { goal: 'Many words. '.repeat(30) });
    const page = await openPage(plan.url, { viewport: { width, height: 844 } });
    await card(page, 'Backlog', 'Dog').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    // The menus are one below the other, and visible.
    const menus = list(page, 'Backlog').getByRole('button', { name: 'Move' });
    await menus.nth(5).waitFor();
    const boxes = await Promise.all((await menus.all()).map((menu) => menu.boundingBox()));
    expect(boxes).toHaveLength(6);
    expect(new Set(boxes.map((box) => Math.round(box!.x))).size).toBe(1);
    expect(boxes[0]!.x + boxes[0]!.width).toBeLessThan(width);
    // The goal is below the actions.
    const sprint = region(page, 'Sprint 3');
    for (const each of [region(page, 'Sprint 2'), sprint]) {
      await each.getByText('average 8').waitFor();
    }
    const goal = await sprint.getByText('Many words.').boundingBox();
    const actions = await sprint.getByRole('button', { name: 'Change Sprint 3' }).boundingBox();
    expect(goal!.y).toBeGreaterThanOrEqual(actions!.y + actions!.height - 4);
    await page.getByRole('button', { name: 'New sprint' }).click();
    await page.getByRole('dialog').getByLabel('Start date').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  test('has the whole text of a cut title, label and board name as a tooltip', async () => {
    const plan = await startPlan();
    const story = { title: 'Hen '.repeat(60).trim(), labels: ['feathers '.repeat(4).trim()] };
    await made2xx(plan.service.client.post('/api/boards/rocket/backlog', story));
    const page = await openPage(plan.url);
    const row = card(page, 'Backlog', story.title);
    await row.getByTitle(story.title).waitFor();
    await row.getByTitle(String(story.labels[0])).waitFor();
    await page.getByRole('banner').getByTitle('rocket').waitFor();
  });

  test('shows whole labels next to an assignee on a narrow phone', async () => {
    const plan = await startPlan();
    await plan.service.client.put(`/api/stories/${plan.ids.Gnu}`, {
      labels: ['checkout', 'payments'],
      assignee: 'Maria Gonzalez',
      points: 13,
    });
    const page = await openPage(plan.url, { viewport: { width: 360, height: 800 } });
    for (const label of ['checkout', 'payments']) {
      const shown = card(page, 'Backlog', 'Gnu').getByText(label, { exact: true });
      const isCut = await shown.evaluate((each) => each.scrollWidth > each.clientWidth);
      expect([label, isCut]).toEqual([label, false]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });
});
