import type { Page } from 'playwright-core';
import { card, hold, openPage, openPageWithoutStream, titles, until } from './browser';
import {
  createNextSprint,
  fieldOf,
  openStory,
  openTask,
  startSmallBoard,
  titlesOf,
  titlesOfBacklog,
} from './small-board';

const isFocused = (element: Element): boolean => element === document.activeElement;

describe('Undo', () => {
  test('of a change that is still being saved shows a message at once', async () => {
    const { url } = await startSmallBoard();
    const page = await openPage(url);
    const { arrived, release } = await hold(page, /\/api\/stories\/\d+$/, 'PUT');
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('2');
    await arrived;
    await page.keyboard.press('z');
    await page
      .getByRole('region', { name: 'Messages' })
      .getByText('Undone once it is saved: Move “Ant” to In progress')
      .waitFor();
    release();
    await card(page, 'To do', 'Ant').waitFor();
  });

  test('restores a deleted story with its tasks and place, and then undoes the changes before', async () => {
    const board = await startSmallBoard();
    const { client } = board;
    const task = { title: 'Fly', status: 'done', assignee: 'ada', external_id: 'jira:A-2' };
    await client.post(`/api/stories/${board.ids.Bee}/tasks`, task);
    await client.put(`/api/stories/${board.ids.Bee}`, { external_id: 'jira:A-1' });
    const page = await openPage(board.url);
    await card(page, 'To do', 'Bee').focus();
    await page.keyboard.press('2');
    await card(page, 'In progress', 'Bee').waitFor();
    await page.keyboard.press('1');
    const dialog = await openStory(page, 'Bee');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await card(page, 'To do', 'Bee').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.matches('[data-story]'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await card(page, 'To do', 'Bee').getByText('#5').waitFor();
    expect(await titles(page, 'To do')).toEqual(['Ant', 'Bee', 'Cat', 'Dog']);
    await page.keyboard.press('z');
    await card(page, 'In progress', 'Bee').waitFor();
    // The last change to the story, which was created with this status, too.
    const undone = page.waitForResponse(
      (response) =>
        response.request().method() === 'PUT' &&
        response.request().postDataJSON().status === 'todo',
    );
    await page.keyboard.press('z');
    await card(page, 'To do', 'Bee').waitFor();
    expect((await undone).ok()).toBe(true);
    expect(await page.evaluate(fieldOf(5, 'status'))).toBe('todo');
    const tasks = await client.get('/api/stories/5/tasks');
    expect(tasks.body).toMatchObject([task]);
    expect((await client.get('/api/stories/5')).body.external_id).toBe('jira:A-1');
  });

  test('deletes a story that was created again with a change', async () => {
    const board = await startSmallBoard(['Ant']);
    const page = await openPageWithoutStream(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Title').fill('Red ant');
    await board.client.delete(`/api/stories/${board.ids.Ant}`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await card(page, 'To do', 'Red ant').getByText('#2').waitFor();
    await until(page, fieldOf(2, 'title'), 'Red ant');
    await page.keyboard.press('z');
    await until(page, titlesOf(board.sprint), '');
  });

  test('of a move puts the story at the end of its list if its neighbour has left that', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Bee').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await until(page, titlesOfBacklog, 'Bee');
    await board.client.post(`/api/stories/${board.ids.Ant}/move`, { sprint_id: null });
    await card(page, 'Backlog', 'Ant').waitFor();
    await page.keyboard.press('z');
    await until(page, titlesOf(board.sprint), 'Cat,Dog,Bee');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('of a message undoes what the message says', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    await page.keyboard.press('3');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.getByLabel('New story in Backlog').fill('Emu');
    await page.getByLabel('New story in Backlog').press('Enter');
    await card(page, 'Backlog', 'Emu').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').getByText('Undone: Move “Ant” to Done').waitFor();
    await until(page, fieldOf(board.ids.Ant, 'version'), 3);
    expect(await board.story('Ant')).toMatchObject({ status: 'todo' });
    await until(page, titlesOfBacklog, 'Emu');
  });

  test('of a message is made even if another view is shown by then', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('3');
    await until(page, fieldOf(board.ids.Ant, 'status'), 'done');
    await page.getByRole('link', { name: 'Boards' }).click();
    await page.getByRole('heading', { name: 'Boards' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(page, fieldOf(board.ids.Ant, 'status'), 'todo');
  });

  test('of a created story does not delete the tasks that someone else has added', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Title').fill('Eel');
    await page.keyboard.press('Enter');
    await card(page, 'To do', 'Eel').getByText('#5').waitFor();
    await board.client.post('/api/stories/5/tasks', { title: 'Their task' });
    await page.keyboard.press('z');
    await page.getByText('It has tasks now.').first().waitFor();
    expect((await board.client.get('/api/stories/5/tasks')).body).toHaveLength(1);
  });

  test('of a removed task is offered in the dialog of its story', async () => {
    const board = await startSmallBoard();
    const { page, dialog } = await openTask(board);
    await dialog.getByRole('button', { name: 'Remove task Dig a well' }).press('Enter');
    await dialog.getByRole('checkbox', { name: 'Dig a well' }).waitFor({ state: 'detached' });
    const message = dialog.getByRole('region', { name: 'Messages' });
    await message.getByText('Deleted task “Dig a well”').waitFor();
    await until(page, 'document.activeElement.ariaLabel', 'New task');
    // Dismiss and Undo are the last controls of the dialog.
    await dialog.getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Shift+Tab');
    while (!(await message.getByRole('button', { name: 'Undo' }).evaluate(isFocused)))
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await dialog.getByRole('checkbox', { name: 'Dig a well' }).waitFor();
    const tasks = `fetch('/api/stories/${board.ids.Ant}/tasks').then((response) => response.json())
      .then((all) => all.map(({ title }) => title).join())`;
    await until(page, tasks, 'Dig a well');
  });

  test('is made by Ctrl+Z, too, even without single-character shortcuts, but not in a text field', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('2');
    await card(page, 'In progress', 'Ant').waitFor();
    await page.keyboard.press('Control+Shift+z');
    await page.getByLabel('Search').fill('a');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Escape');
    await until(page, 'document.activeElement.ariaLabel', 'Ant');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Ctrl Z').waitFor();
    await dialog.getByLabel('Single-character shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await titles(page, 'In progress')).toEqual(['Ant']);
    await page.keyboard.press('Control+z');
    await card(page, 'To do', 'Ant').waitFor();
  });

  test('removes a change that was not sent without a connection', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await page.context().setOffline(true);
    await page.keyboard.press('2');
    await page.getByRole('banner').getByText('1 unsaved change').waitFor();
    await card(page, 'To do', 'Bee').focus();
    await page.keyboard.press('3');
    await page.getByRole('banner').getByText('2 unsaved changes').waitFor();
    await page.keyboard.press('z');
    await page.getByRole('banner').getByText('1 unsaved change').waitFor();
    expect(await titles(page, 'To do')).toEqual(['Bee', 'Cat', 'Dog']);
  });

  test('undoes a created story, a task, a move and an edited field', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('c');
    await page.getByLabel('Title').fill('Eel');
    await page.keyboard.press('Enter');
    await card(page, 'To do', 'Eel').getByText('#').waitFor();
    const dialog = await openStory(page, 'Cat');
    await dialog.getByLabel('New task').fill('Purr');
    await dialog.getByLabel('New task').press('Enter');
    await dialog.getByRole('checkbox', { name: 'Purr' }).check();
    await dialog.getByLabel('Points').fill('8');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card(page, 'To do', 'Cat').getByText('8').waitFor();
    for (let i = 0; i < 5; i++) await page.keyboard.press('z');
    await card(page, 'To do', 'Eel').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.querySelector('[data-story]')?.ariaLabel === 'Ant');
    expect(await titles(page, 'To do')).toEqual(['Ant', 'Bee', 'Cat', 'Dog']);
    await until(page, titlesOf(board.sprint), 'Ant,Bee,Cat,Dog');
    // A change that was being sent when it was undone is undone after the others.
    await until(page, fieldOf(board.ids.Cat, 'points'), null);
    const { client } = board;
    expect((await client.get(`/api/stories/${board.ids.Cat}/tasks`)).body).toEqual([]);
  });
});

describe('Undo after a change of someone else', () => {
  const undone = (page: Page, text: string) =>
    page.getByRole('alert').getByText(`Not undone: ${text} has been changed since.`);

  test('is not made if the same field was changed, and is made if another one was', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    const page = await openPage(board.url);
    for (const [title, fields, list] of [
      ['Ant', { status: 'done' }, 'Done'],
      ['Bee', { points: 5 }, 'In progress'],
    ] as const) {
      await card(page, 'To do', title).focus();
      await page.keyboard.press('2');
      await until(page, fieldOf(ids[title], 'status'), 'in_progress');
      await client.put(`/api/stories/${ids[title]}`, fields);
      await card(page, list, title).waitFor();
    }
    await card(page, 'In progress', 'Bee').getByText('5').waitFor();
    await page.keyboard.press('z');
    await card(page, 'To do', 'Bee').waitFor();
    await page.keyboard.press('z');
    await undone(page, 'Move “Ant” to In progress. “Ant”').waitFor();
    await until(page, fieldOf(ids.Bee, 'status'), 'todo');
    expect(await board.story('Ant')).toMatchObject({ status: 'done' });
    expect(await board.story('Bee')).toMatchObject({ points: 5 });
  });

  test('says which of several stories someone else has deleted', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.keyboard.press('3');
    await until(page, fieldOf(ids.Bee, 'status'), 'done');
    await client.delete(`/api/stories/${ids.Bee}`);
    await card(page, 'Sprint 1', 'Bee').waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await page
      .getByRole('alert')
      .getByText(`Not undone: Move 2 stories to Done. #${ids.Bee} is no longer on the board.`)
      .waitFor();
  });

  test('is not made if a moved story was moved on, or a created one was changed', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await until(page, fieldOf(ids.Ant, 'sprint_id'), null);
    await page.getByLabel('New story in Backlog').fill('Eel');
    await page.getByLabel('New story in Backlog').press('Enter');
    await card(page, 'Backlog', 'Eel').getByText('#5').waitFor();
    await client.put('/api/stories/5', { title: 'Electric eel' });
    const next = await createNextSprint(board);
    await client.post(`/api/stories/${ids.Ant}/move`, { sprint_id: next.id });
    await card(page, 'Sprint 2', 'Ant').focus();
    await page.keyboard.press('z');
    await undone(page, 'Create “Eel”. “Electric eel”').waitFor();
    await page.keyboard.press('z');
    await undone(page, 'Move “Ant” to the backlog. “Ant”').waitFor();
    expect((await client.get('/api/stories/5')).status).toBe(200);
    expect(await board.story('Ant')).toMatchObject({ sprint_id: next.id });
  });
});
