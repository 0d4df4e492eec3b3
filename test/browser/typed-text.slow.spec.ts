import type { Page } from 'playwright-core';
import { made2xx } from '../support/make';
import {
  card,
  focusedName,
  list,
  openPage,
  openPageWithoutStream,
  reloadUnasked,
  settled,
  stayOnReload,
  until,
} from './browser';
import {
  createNextSprint,
  day,
  fieldOf,
  openStory,
  openTask,
  startKillableBoard,
  startSmallBoard,
  titlesOf,
  titlesOfBacklog,
} from './small-board';

/** Opens the dialog that creates several stories in the sprint, on the plan. */
async function openNewStories(page: Page) {
  await card(page, 'Sprint 1', 'Ant').focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command or story' }).fill('New stories, one per line');
  await page.keyboard.press('Enter');
  return page.getByRole('dialog', { name: 'New stories in Sprint 1' });
}

describe('Text that is typed into a story', () => {
  test('stays when others change the story, and saving it asks', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Description').fill('Six legs');
    await board.client.put(`/api/stories/${board.ids.Ant}`, { title: 'Ants', points: 3 });
    await dialog.getByRole('heading', { name: 'Ants' }).waitFor();
    await dialog.getByText('Someone else has changed this story').waitFor();
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Six legs');
    expect(await dialog.getByLabel('Points').inputValue()).toBe('3');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Title: Ant → Ants').waitFor();
    await page.getByText('Description: Six legs').waitFor();
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await until(page, fieldOf(board.ids.Ant, 'description'), 'Six legs');
    expect(await board.story('Ant')).toMatchObject({ title: 'Ants', description: 'Six legs' });
  });

  test('is not cut off if it is too long', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    for (const [label, text] of [
      ['Description', 'd'.repeat(32_768)],
      ['Assignee', '🙂'.repeat(101)],
      ['New task', 't'.repeat(256)],
    ] as const) {
      await dialog.getByLabel(label).focus();
      await page.keyboard.insertText(text);
      await dialog
        .getByText(`At most ${([...text].length - 1).toLocaleString('en')} characters.`)
        .waitFor();
    }
    await dialog.getByLabel('New task').press('Enter');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.waitForFunction(
      () => document.activeElement?.matches('textarea[aria-invalid=true]') === true,
    );
    for (const label of ['Description', 'Assignee', 'New task']) {
      await dialog.getByLabel(label).press('Control+End');
      await page.keyboard.press('Backspace');
    }
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await until(page, fieldOf(board.ids.Ant, 'assignee'), '🙂'.repeat(100));
    expect((await board.story('Ant')).description).toHaveLength(32_767);
    const tasks = await board.client.get(`/api/stories/${board.ids.Ant}/tasks`);
    expect(tasks.body[0].title).toBe('t'.repeat(255));
  });

  test('as a description is not saved if a line break at its end makes it too long', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    const description = dialog.getByLabel('Description');
    await description.fill(`${'d'.repeat(32_767)}\n`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('At most 32,767 characters.').waitFor();
    await description.press('Control+End');
    await page.keyboard.press('Backspace');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(page, fieldOf(board.ids.Ant, 'description?.length'), 32_767);
  });

  test('stays when someone deletes the story, and can become a new one', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Bee');
    await dialog.getByLabel('Description').fill('Makes honey');
    await board.client.delete(`/api/stories/${board.ids.Bee}`);
    await dialog.getByText('This story was deleted, or moved to another board.').waitFor();
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Makes honey');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await card(page, 'To do', 'Bee').getByText('#5').waitFor();
    const { body } = await board.client.get('/api/stories/5');
    expect(body).toMatchObject({ title: 'Bee', description: 'Makes honey' });
  });

  test('stays when someone moves the story to another board, and the dialog and a link say so', async () => {
    const { client, url, ids } = await startSmallBoard();
    const other = await made2xx(client.post('/api/boards/balloon/sprints', { start_date: day(0) }));
    const page = await openPage(url);
    const dialog = await openStory(page, 'Bee');
    await dialog.getByLabel('Description').fill('Makes honey');
    await client.put(`/api/stories/${ids.Bee}`, { sprint_id: other.id });
    await dialog.getByText('or moved to another board').waitFor();
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Makes honey');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await card(page, 'To do', 'Bee').getByText('#5').waitFor();
    await page.goto(`${url}/stories/${ids.Bee}`);
    await dialog.getByText('It may have been deleted, or moved to another board.').waitFor();
  });

  test('stays when someone deletes the board, and cannot be saved', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Description').fill('Six legs');
    await dialog.getByLabel('New task').fill('Dig');
    await board.client.delete('/api/boards/rocket?force=true');
    await dialog.getByText('This board was deleted.').waitFor();
    await dialog.getByLabel('New task').press('Enter');
    await dialog.getByLabel('Title').press('Enter');
    await dialog.getByLabel('Description').press('Control+Enter');
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Six legs');
    expect(await dialog.getByLabel('New task').inputValue()).toBe('Dig');
    expect(await dialog.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  test('stays as a new story when someone deletes the board', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Emu');
    await dialog.getByLabel('Description').fill('Runs');
    await board.client.delete('/api/boards/rocket?force=true');
    await dialog.getByText('This board was deleted.').waitFor();
    await dialog.getByLabel('Title').press('Enter');
    await dialog.getByLabel('Description').press('Control+Enter');
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Runs');
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
  });

  test('stays as several new stories when someone deletes the board', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    const dialog = await openNewStories(page);
    const titles = dialog.getByLabel('Titles');
    await titles.fill('Uno\nDue');
    await board.client.delete('/api/boards/rocket?force=true');
    await dialog.getByText('This board was deleted.').waitFor();
    await titles.press('Control+Enter');
    expect(await titles.inputValue()).toBe('Uno\nDue');
    expect(await dialog.getByRole('button', { name: 'Create 2 stories' }).isDisabled()).toBe(true);
  });

  test('reappears when the story is opened again after Esc, until it is discarded', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Description').fill('Six legs');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('“Ant” is not saved').waitFor();
    await page.getByRole('button', { name: 'Edit again' }).click();
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Six legs');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    expect(await dialog.getByLabel('Description').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await openStory(page, 'Ant');
    expect(await dialog.getByLabel('Description').inputValue()).toBe('');
    expect(await board.story('Ant')).toMatchObject({ description: null });
  });

  test('can be saved after the story was closed and opened again; a change of others is a conflict', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Title').fill('Red ant');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await board.client.put(`/api/stories/${board.ids.Ant}`, { title: 'Ants' });
    await card(page, 'To do', 'Ants').waitFor();
    await openStory(page, 'Ants');
    await dialog.getByText('Someone else has changed this story').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await card(page, 'To do', 'Red ant').waitFor();
    await openStory(page, 'Red ant');
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Discard' }).count()).toBe(0);
  });

  test('reappears with the sprint that was chosen for it', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New story' }).click();
    await dialog.getByLabel('Title').fill('Emu');
    await dialog.getByLabel('Sprint', { exact: true }).selectOption('Sprint 1');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit again' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await card(page, 'Sprint 1', 'Emu').waitFor();
  });

  test('as several stories is created in the backlog if their sprint was deleted', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    const dialog = await openNewStories(page);
    await dialog.getByLabel('Titles').fill('Uno\nDue');
    await board.client.delete(`/api/sprints/${board.sprint}`);
    const inBacklog = page.getByRole('dialog', { name: 'New stories in Backlog' });
    await inBacklog.getByRole('button', { name: 'Create 2 stories' }).click();
    await card(page, 'Backlog', 'Due').getByText('#').waitFor();
  });

  test('reappears in the next new story, unless the user cancels', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('c');
    await dialog.getByLabel('Title').fill('Emu');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit again' }).click();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Emu');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    expect(await dialog.getByLabel('Title').inputValue()).toBe('');
  });

  test('counts as empty once it has no more than the filters or nothing at all', async () => {
    const board = await startSmallBoard([{ title: 'Ant', assignee: 'Mei' }]);
    const page = await openPage(`${board.url}?assignee=Mei`);
    await card(page, 'To do', 'Ant').waitFor();
    const dialog = page.getByRole('dialog');
    for (const assignee of ['Mei', '']) {
      await page.keyboard.press('c');
      await dialog.getByLabel('Title').fill('Emu');
      await dialog.getByLabel('Title').fill('');
      await dialog.getByLabel('Assignee').fill(assignee);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await reloadUnasked(page);
      await card(page, 'To do', 'Ant').waitFor();
    }
  });

  test('counts as unchanged when the user restores it, even if it was saved with other line breaks', async () => {
    const board = await startSmallBoard([{ title: 'Ant', description: 'One\r\nTwo' }]);
    await board.client.put(`/api/sprints/${board.sprint}`, { goal: 'One\r\nTwo' });
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    const description = dialog.getByRole('textbox', { name: 'Description' });
    await description.fill('One\nTwo\nThree');
    await description.fill('One\nTwo');
    await dialog.getByText('changed').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change Sprint 1' }).click();
    await page.getByRole('menuitem', { name: 'Edit sprint' }).click();
    const goal = dialog.getByLabel('Goal');
    await goal.fill('One');
    await goal.fill('One\nTwo');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await reloadUnasked(page);
    await card(page, 'To do', 'Ant').waitFor();
  });

  test('as a new story can be edited again after Back has closed the dialog', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await card(page, 'Sprint 1', 'Ant').waitFor();
    await page.getByRole('button', { name: 'New story' }).click();
    const dialog = page.getByRole('dialog', { name: 'New story' });
    await dialog.getByLabel('Title').fill('Emu');
    await page.goBack();
    await card(page, 'To do', 'Ant').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit again' }).click();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Emu');
  });

  test('stays if its sprint is completed while it is typed', async () => {
    const board = await startSmallBoard();
    const next = await createNextSprint(board);
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').waitFor();
    const dialog = page.getByRole('dialog');
    const sprint = dialog.getByLabel('Sprint', { exact: true });
    await page.getByRole('button', { name: 'New story' }).click();
    await dialog.getByLabel('Title').fill('Emu');
    await sprint.selectOption('Sprint 1');
    await board.client.post(`/api/sprints/${board.sprint}/complete`, { unfinished: next.id });
    await list(page, 'Sprint 1').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('This sprint was completed or deleted.').waitFor();
    await sprint.selectOption('Sprint 2');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await card(page, 'Sprint 2', 'Emu').waitFor();
  });

  test('is saved even if the move that was chosen with it is rejected', async () => {
    const board = await startSmallBoard();
    await board.client.put(`/api/stories/${board.ids.Ant}`, { status: 'done' });
    await board.client.post(`/api/sprints/${board.sprint}/complete`, {});
    const page = await openPage(`${board.url}/stories/${board.ids.Ant}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill('A long text');
    await dialog.getByLabel('Sprint', { exact: true }).selectOption('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/^Not saved: Move “Ant”/)
      .first()
      .waitFor();
    await until(page, fieldOf(board.ids.Ant, 'description'), 'A long text');
  });

  test('stays if the sprint that it moves to is deleted while it is typed', async () => {
    const board = await startSmallBoard();
    const next = await createNextSprint(board);
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    const dialog = await openStory(page, 'Ant');
    const sprint = dialog.getByLabel('Sprint', { exact: true });
    await dialog.getByLabel('Description').fill('Six legs');
    await sprint.selectOption('Sprint 2');
    await board.client.delete(`/api/sprints/${next.id}`);
    await dialog.getByText('This sprint was completed or deleted.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await sprint.selectOption('Sprint 1');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(page, fieldOf(board.ids.Ant, 'description'), 'Six legs');
  });

  test('can be added to the backlog if its new story is rejected', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Emu');
    await dialog.getByLabel('Description').fill('Two legs');
    await board.client.post(`/api/sprints/${board.sprint}/complete`, { unfinished: 'backlog' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Add to backlog' }).click();
    await until(page, titlesOfBacklog, 'Ant,Bee,Cat,Dog,Emu');
    const { body } = await board.client.get('/api/boards/rocket/backlog');
    expect(body.at(-1)).toMatchObject({ title: 'Emu', description: 'Two legs' });
  });

  test('can be copied if the service rejects it', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Title', { exact: true }).fill('Antelope');
    // The service stores no NUL.
    await dialog.getByLabel('Description').fill('Runs \u0000 fast\nand far');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const message = page.getByRole('alert').filter({ hasText: 'Not saved: Change “Ant”' });
    await message.getByRole('button', { name: 'Show text' }).click();
    const shown = page.getByRole('dialog', { name: 'Your change was not saved' });
    await shown.getByText('Title: Antelope').waitFor();
    expect(await shown.getByText('Description').innerText()).toMatch(
      /^Description: Runs .* fast\nand far$/,
    );
  });

  test('keeps a label that contains a comma when another one is added', async () => {
    const labels = ['red, green', 'a\\b'];
    const board = await startSmallBoard([{ title: 'Ant', labels }]);
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    const field = dialog.getByLabel('Labels');
    await field.fill(`${await field.inputValue()}, blue`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await list(page, 'To do').getByText('blue').waitFor();
    await until(page, fieldOf(board.ids.Ant, 'labels.join("|")'), [...labels, 'blue'].join('|'));
  });

  test('as a new task reappears after Esc, and is created when the story is saved', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('New task').fill('Count the legs');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await openStory(page, 'Ant');
    expect(await dialog.getByLabel('New task').inputValue()).toBe('Count the legs');
    await dialog.getByLabel('Title').fill('Red ant');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card(page, 'To do', 'Red ant').waitFor();
    await openStory(page, 'Red ant');
    await dialog.getByRole('checkbox', { name: 'Count the legs' }).waitFor();
    expect(await dialog.getByLabel('New task').inputValue()).toBe('');
    await dialog.getByLabel('New task').fill('Paint it');
    await dialog.getByLabel('New task').press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    await openStory(page, 'Red ant');
    await until(page, "document.querySelectorAll('dialog [type=checkbox]').length", 2);
  });

  test('as the title of a task is saved by Enter and by leaving the field, not by Esc', async () => {
    const board = await startSmallBoard();
    const { page, dialog, field, rename, task } = await openTask(board);
    await rename('Dig a well', 'Dig deep');
    await field.press('Enter');
    expect(await focusedName(page)).toBe('Rename task Dig deep');
    await until(page, task('title'), 'Dig deep');
    await rename('Dig deep', 'Dig deeper');
    await dialog.getByLabel('New task').focus();
    await until(page, task('title'), 'Dig deeper');
    await rename('Dig deeper', 'Forgotten');
    await field.press('Escape');
    expect(await focusedName(page)).toBe('Rename task Dig deeper');
    await rename('Dig deeper', 'Dig deepest');
    await page.mouse.click(2, 2);
    await dialog.waitFor({ state: 'detached' });
    await until(page, task('title'), 'Dig deepest');
    await page.keyboard.press('z');
    await until(page, task('title'), 'Dig deeper');
    expect(await page.evaluate(task('version'))).toBe(5);
  });

  test('as the title of a task is saved by a click that renames the next one', async () => {
    const board = await startSmallBoard();
    const { page, dialog, field, rename, task } = await openTask(board);
    await made2xx(board.client.post(`/api/stories/${board.ids.Ant}/tasks`, { title: 'Fill it' }));
    await rename('Dig a well', 'Dig down');
    await dialog.getByRole('button', { name: 'Rename task Fill it' }).click();
    expect(await field.inputValue()).toBe('Fill it');
    await until(page, task('title'), 'Dig down');
  });

  test('as the title of a task goes into its field, even if selecting its text does not focus it', async () => {
    const { page, dialog, field } = await openTask(await startSmallBoard());
    await page.evaluate(() => {
      HTMLInputElement.prototype.select = function () {
        this.setSelectionRange(0, this.value.length);
      };
    });
    await dialog.getByRole('button', { name: 'Rename task Dig a well' }).click();
    await page.keyboard.type('Dig deep');
    expect(await field.inputValue()).toBe('Dig deep');
  });

  test('as the title of a task is not saved if it is too long or empty', async () => {
    const board = await startSmallBoard();
    const { page, dialog, field, rename, task } = await openTask(board);
    await rename('Dig a well', '🙂'.repeat(256));
    await field.press('Enter');
    await dialog.getByText('At most 255 characters.').waitFor();
    await dialog.getByLabel('New task').focus();
    expect(await field.inputValue()).toBe('🙂'.repeat(256));
    await page.mouse.click(2, 2);
    await page.getByText('Not saved: Rename task “Dig a well”. At most 255 characters.').waitFor();
    await openStory(page, 'Ant');
    await rename('Dig a well', ' ');
    await field.press('Enter');
    await dialog.getByRole('checkbox', { name: 'Dig a well' }).click();
    await until(page, task('status'), 'done');
    expect(await page.evaluate(task('title'))).toBe('Dig a well');
  });

  test('as the title of a task is not lost by closing the page without a question', async () => {
    const { page, field, rename } = await openTask(await startSmallBoard());
    await rename('Dig a well', 'Dig');
    await stayOnReload(page);
    expect(await field.inputValue()).toBe('Dig');
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
    await reloadUnasked(page);
  });

  test('as the title of a task is not saved yet when another window gets the focus', async () => {
    const { page, field, rename, task } = await openTask(await startSmallBoard());
    await rename('Dig a well', 'Dig');
    await field.evaluate((input) => input.dispatchEvent(new FocusEvent('blur')));
    await settled(page);
    expect(await field.inputValue()).toBe('Dig');
    expect(await page.evaluate(task('title'))).toBe('Dig a well');
    await page.keyboard.type(' deep');
    await page.keyboard.press('Enter');
    await until(page, task('title'), 'Dig deep');
  });

  test('as the title of a task does not overwrite the title that someone else has set', async () => {
    const board = await startSmallBoard();
    const { page, dialog, rename, field, task, id } = await openTask(board);
    await rename('Dig a well', 'Dig');
    await board.client.put(`/api/tasks/${id}`, { status: 'done' });
    await dialog.getByRole('checkbox', { name: 'Dig a well', checked: true }).waitFor();
    await field.press('Enter');
    await until(page, task('title'), 'Dig');
    await rename('Dig', 'Dig deep');
    await board.client.put(`/api/tasks/${id}`, { title: 'Dig wide' });
    await page.getByRole('checkbox', { name: 'Dig wide' }).waitFor();
    expect(await field.inputValue()).toBe('Dig deep');
    await field.press('Enter');
    await page.getByRole('dialog').getByText('Title: Dig → Dig wide').waitFor();
  });

  test('as the title of a task is in the message if someone else has deleted the task', async () => {
    const board = await startSmallBoard();
    const { page, rename, id } = await openTask(board);
    await rename('Dig a well', 'Dig deep');
    await board.client.delete(`/api/tasks/${id}`);
    await page
      .getByText('Not saved: Rename a task to “Dig deep”. The task was deleted.')
      .first()
      .waitFor();
  });

  test('as a description shows its links', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Description').fill('See https://example.org/ants.');
    const link = dialog.getByRole('link', { name: 'https://example.org/ants' });
    expect(await link.getAttribute('href')).toBe('https://example.org/ants');
    expect(await link.evaluate((each) => getComputedStyle(each).textDecorationLine)).toBe(
      'underline',
    );
  });

  test('as a title becomes the title of the page when it is saved', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Title').fill('Red ant');
    expect(await page.title()).toBe('Ant – rocket');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card(page, 'To do', 'Red ant').waitFor();
    expect(await page.title()).toBe('Sprint 1 – rocket');
    await openStory(page, 'Red ant');
    expect(await page.title()).toBe('Red ant – rocket');
  });

  test('as a title in the plan stays when another view is shown', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    await page.getByLabel('New story in Backlog').fill('Emu');
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    await page.getByRole('link', { name: 'Plan' }).click();
    await card(page, 'Sprint 1', 'Ant').waitFor();
    const field = page.getByLabel('New story in Backlog');
    expect(await field.inputValue()).toBe('Emu');
    await field.press('Enter');
    await card(page, 'Backlog', 'Emu').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await page.getByLabel('New story in Sprint 1').inputValue()).toBe('');
  });

  test('stays with its board when that is renamed and another one gets its name', async () => {
    const board = await startSmallBoard();
    const page = await openPage(`${board.url}/backlog`);
    const dialog = page.getByRole('dialog');
    const fields = { c: ['Title', 'Emu'], n: ['Goal', 'It lands.'] } as const;
    const open = {
      c: () => page.keyboard.press('c'),
      n: () => page.getByRole('button', { name: 'New sprint' }).click(),
    };
    await card(page, 'Sprint 1', 'Ant').waitFor();
    for (const key of ['c', 'n'] as const) {
      await open[key]();
      await dialog.getByLabel(fields[key][0]).fill(fields[key][1]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await board.client.put('/api/boards/rocket', { name: 'moon' });
    await page.waitForURL('**/b/moon/backlog');
    await board.client.post('/api/boards', { name: 'rocket' });
    const visit = async (name: string): Promise<void> => {
      await page.getByRole('link', { name: 'Boards' }).click();
      await page.getByRole('main').getByRole('link', { name }).click();
      await page.getByRole('link', { name: 'Plan', exact: true }).click();
      await page.getByRole('region', { name: 'Backlog' }).waitFor();
    };
    for (const name of ['moon', 'rocket']) {
      await visit(name);
      for (const key of ['c', 'n'] as const) {
        await open[key]();
        const value = await dialog.getByLabel(fields[key][0]).inputValue();
        expect(value).toBe(name === 'moon' ? fields[key][1] : '');
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }
    }
  });

  test('is offered again on its own board, and no dialog stays open over another one', async () => {
    const board = await startSmallBoard();
    await board.client.post('/api/boards', { name: 'moon' });
    const page = await openPage(board.url.replace('rocket', 'moon/backlog'));
    await page.getByRole('region', { name: 'Backlog' }).waitFor();
    await page.getByRole('link', { name: 'Boards' }).click();
    await page.getByRole('main').getByRole('link', { name: 'rocket' }).click();
    await card(page, 'To do', 'Ant').waitFor();
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('c');
    await dialog.getByLabel('Title').fill('Emu');
    await page.evaluate(() => history.go(-2));
    await page.getByRole('heading', { level: 1, name: 'Plan' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit again' }).click();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Emu');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await until(page, titlesOf(board.sprint), 'Ant,Bee,Cat,Dog,Emu');
  });

  test('stays when the connection drops, and is sent later', async () => {
    const board = await startKillableBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Description').fill('Six');
    await board.kill();
    await dialog.getByLabel('Description').pressSequentially(' legs');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('banner').getByText('1 unsaved change').waitFor();
    await board.restart();
    await page.getByRole('banner').getByText('unsaved change').waitFor({ state: 'detached' });
    expect(await board.story('Ant')).toMatchObject({ description: 'Six legs' });
  });
});
