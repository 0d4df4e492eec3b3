import type { Page } from 'playwright-core';
import { made2xx } from '../support/make';
import {
  card,
  delay,
  drawn,
  hold,
  list,
  openPage,
  openPageWithoutStream,
  reloadUnasked,
  route,
  settled,
  startService,
  stayOnReload,
  titles,
  until,
} from './browser';
import type { SmallBoard } from './small-board';
import {
  caughtUp,
  day,
  openStream,
  revisionOf,
  startKillableBoard,
  startSmallBoard,
  titlesOfBacklog,
} from './small-board';

/** Opens the story of a card in “To do”. */
async function openStory(page: Page, title: string) {
  await card(page, 'To do', title).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'History' }).waitFor();
  return dialog;
}

/** Opens the dialog that creates several stories in the sprint, on the plan. */
async function openNewStories(page: Page) {
  await card(page, 'Sprint 1', 'Ant').focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command or story' }).fill('New stories, one per line');
  await page.keyboard.press('Enter');
  return page.getByRole('dialog', { name: 'New stories in Sprint 1' });
}

/** Opens a page on which Ant was set to In progress, while it is done on the service. */
async function conflictOver(board: SmallBoard): Promise<Page> {
  const page = await openPageWithoutStream(board.url);
  await card(page, 'To do', 'Ant').focus();
  await board.client.put(`/api/stories/${board.ids.Ant}`, { status: 'done' });
  await page.keyboard.press('2');
  await page.getByRole('dialog').getByText('Status: To do → Done').waitFor();
  return page;
}

/** Creates a planned sprint after the current one. */
const createNextSprint = async ({ client }: SmallBoard): Promise<{ id: number }> =>
  (await client.post('/api/boards/rocket/sprints', { name: 'Sprint 2', start_date: day(11) })).body;

/** The expression that reads a field of a story from the service. */
const fieldOf = (id: number | undefined, name: string) =>
  `fetch('/api/stories/${id}').then((response) => response.json()).then((story) => story.${name})`;

const titlesOf = (sprint: number) =>
  `fetch('/api/sprints/${sprint}/stories').then((response) => response.json())
     .then((stories) => stories.map(({ title }) => title).join())`;

const focusedName = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);

const isFocused = (element: Element): boolean => element === document.activeElement;

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

/** Opens the story Ant, which has the task “Dig a well”. */
async function openTask(board: SmallBoard) {
  const { body } = await board.client.post(`/api/stories/${board.ids.Ant}/tasks`, {
    title: 'Dig a well',
  });
  const page = await openPage(board.url);
  const dialog = await openStory(page, 'Ant');
  const field = dialog.getByLabel('Title of the task');
  return {
    id: body.id as number,
    page,
    dialog,
    field,
    /** Types a new title. */
    rename: async (from: string, to: string) => {
      await dialog.getByRole('button', { name: `Rename task ${from}`, exact: true }).click();
      await field.fill(to);
    },
    /** The expression that reads a field of the task from the service. */
    task: (name: string) =>
      `fetch('/api/tasks/${body.id}').then((response) => response.json()).then((task) => task.${name})`,
  };
}

describe('A conflict', () => {
  test('shows the change of the other user, and makes the own change again on request', async () => {
    const board = await startSmallBoard();
    const page = await conflictOver(board);
    expect(await titles(page, 'Done')).toEqual(['Ant']);
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(await page.getByRole('dialog').innerText()).toContain('Someone changed it');
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await card(page, 'In progress', 'Ant').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await until(page, fieldOf(board.ids.Ant, 'version'), 3);
    expect(await board.story('Ant')).toMatchObject({ status: 'in_progress' });
  });

  test('can be decided later, and ends with “Keep theirs”', async () => {
    const board = await startSmallBoard();
    const page = await conflictOver(board);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('banner').getByRole('button', { name: '1 conflict' }).click();
    await page.getByRole('button', { name: 'Keep theirs' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('banner').getByRole('button', { name: 'conflict' }).count()).toBe(
      0,
    );
    expect(await titles(page, 'Done')).toEqual(['Ant']);
    expect(await board.story('Ant')).toMatchObject({ status: 'done', version: 2 });
    await until(page, 'document.activeElement.ariaLabel', 'Ant');
  });

  test('whose own change was discarded by mistake can still be decided', async () => {
    const board = await startSmallBoard();
    const page = await conflictOver(board);
    await page.getByRole('button', { name: 'Keep theirs' }).click();
    await page.getByRole('status').getByText('Discarded: Move “Ant” to In progress').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await card(page, 'In progress', 'Ant').waitFor();
    await until(page, fieldOf(board.ids.Ant, 'version'), 3);
  });

  test('shows long texts completely, and the history the part of them that changed', async () => {
    const text = `${'It is a long description. '.repeat(8)}\n\nIt ends`;
    const board = await startSmallBoard([{ title: 'Ant', description: text }]);
    const page = await openPageWithoutStream(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByLabel('Description').fill(`${text} here.`);
    await board.client.put(`/api/stories/${board.ids.Ant}`, { description: `${text} there.` });
    await dialog.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('dialog', { name: 'Your change was not saved' });
    const mine = conflict.getByRole('list', { name: 'Your change' });
    const theirs = conflict.getByRole('list', { name: 'Their changes' });
    await theirs.getByRole('listitem').waitFor();
    expect(await mine.innerText()).toBe(`Description: ${text} here.`);
    expect(await theirs.innerText()).toContain(`Description: ${text} → ${text} there.`);
    await conflict.getByRole('button', { name: 'Apply mine again' }).click();
    await until(page, fieldOf(board.ids.Ant, 'description'), `${text} here.`);
    await openStory(page, 'Ant');
    const change = page
      .getByRole('dialog')
      .getByText(/^Description: …/)
      .first();
    expect(await change.innerText()).toMatch(
      /^Description: ….*It ends there\. → ….*It ends here\.$/,
    );
  });

  test('is not covered by messages about rejected changes, which are beside its dialog', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    const next = await createNextSprint(board);
    const page = await openPageWithoutStream(`${board.url}/backlog`);
    await list(page, 'Sprint 2').waitFor({ state: 'attached' });
    const send = await delay(page, '**/api/stories/*/move');
    await card(page, 'Sprint 1', 'Bee').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await card(page, 'Sprint 2', 'Bee').waitFor();
    await card(page, 'Sprint 1', 'Ant').focus();
    await page.keyboard.press('2');
    await client.put(`/api/stories/${ids.Ant}`, { status: 'done' });
    await client.delete(`/api/sprints/${next.id}`);
    send();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Status: To do → Done').waitFor();
    const message = dialog.getByRole('alert').filter({ hasText: 'Not saved: Move “Bee”' });
    const right = await dialog.evaluate((each) => each.getBoundingClientRect().right);
    expect((await message.boundingBox())!.x).toBeGreaterThan(right);
  });

  test('survives a reload', async () => {
    const board = await startSmallBoard();
    const page = await conflictOver(board);
    const load = await delay(page, '**/history');
    await page.reload();
    const again = page.getByRole('button', { name: 'Apply mine again' });
    // The user cannot decide before the changes of the other user are shown.
    expect(await again.isDisabled()).toBe(true);
    load();
    await again.click();
    await card(page, 'In progress', 'Ant').waitFor();
  });

  test('asks again before a change is overwritten that came after those it has shown', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    const send = await delay(page, '**/api/stories/*');
    await page.keyboard.press('2');
    await board.client.put(`/api/stories/${board.ids.Ant}`, { status: 'done' });
    send();
    await page.getByText('Status: To do → Done').waitFor();
    await board.client.put(`/api/stories/${board.ids.Ant}`, { status: 'todo' });
    await card(page, 'To do', 'Ant').waitFor();
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await page.getByText('Status: Done → To do').waitFor();
    expect(await board.story('Ant')).toMatchObject({ status: 'todo', version: 3 });
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await card(page, 'In progress', 'Ant').waitFor();
    await until(page, fieldOf(board.ids.Ant, 'version'), 4);
  });

  test('about a task asks again, too, before a later change is overwritten', async () => {
    const board = await startSmallBoard();
    const { page, id, task } = await openTask(board);
    const send = await delay(page, '**/api/tasks/*');
    await page.getByRole('checkbox', { name: 'Dig a well' }).click();
    await board.client.put(`/api/tasks/${id}`, { title: 'Dig' });
    send();
    await page.getByText('Title: Dig a well → Dig').waitFor();
    await board.client.put(`/api/tasks/${id}`, { title: 'Dig deeper' });
    await page.getByRole('checkbox', { name: 'Dig deeper' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await page.getByText('Title: Dig → Dig deeper').waitFor();
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await until(page, task('status'), 'done');
  });

  test('about a task shows who changed it, even after a thousand changes of other tasks', async () => {
    const board = await startSmallBoard();
    const { client } = board;
    const task = await client.post(`/api/stories/${board.ids.Ant}/tasks`, { title: 'Dig' });
    const page = await openPageWithoutStream(board.url);
    const dialog = await openStory(page, 'Ant');
    await dialog.getByRole('checkbox', { name: 'Dig' }).waitFor();
    const operations = Array.from({ length: 1000 }, (_, i) => {
      const set = { title: `Task ${i}`, story_id: board.ids[i % 2 ? 'Bee' : 'Cat'] };
      return { op: 'create', type: 'task', set };
    });
    await made2xx(client.post('/api/boards/rocket/batch', { operations }));
    await client.put(`/api/tasks/${task.body.id}`, { title: 'Dig deeper' });
    await dialog.getByRole('checkbox', { name: 'Dig' }).click();
    const conflict = page.getByRole('dialog', { name: 'Your change was not saved' });
    await conflict.getByText('Title: Dig → Dig deeper').waitFor();
    await conflict.getByRole('button', { name: 'Apply mine again' }).click();
    await dialog.getByRole('checkbox', { name: 'Dig deeper', checked: true }).waitFor();
  });

  test('applies each change separately, so that a rejected move does not drop the others', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    const page = await openPageWithoutStream(board.url);
    await card(page, 'To do', 'Ant').focus();
    const send = await delay(page, '**/api/stories/*/move');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('2');
    await card(page, 'In progress', 'Ant').waitFor();
    await client.post(`/api/sprints/${board.sprint}/complete`, { unfinished: 'backlog' });
    send();
    await page.getByRole('dialog').getByText('Sprint: Sprint 1 → Backlog').waitFor();
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await page.getByRole('alert').getByText('Not saved: Move “Ant” after “Bee”. ').waitFor();
    await until(page, fieldOf(ids.Ant, 'status'), 'in_progress');
  });

  test('names the sprint into which the user moved the story even if it was deleted since', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    const next = await createNextSprint(board);
    const page = await openPage(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').focus();
    const send = await delay(page, '**/api/stories/*/move');
    await page.keyboard.press('Shift+ArrowRight');
    await card(page, 'Sprint 2', 'Ant').waitFor();
    await client.put(`/api/stories/${ids.Ant}`, { points: 5 });
    send();
    await page.getByRole('dialog').getByText('Points: none → 5').waitFor();
    await client.delete(`/api/sprints/${next.id}`);
    await list(page, 'Sprint 2').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Apply mine again' }).click();
    await page
      .getByRole('alert')
      .getByText('Not saved: Move “Ant” to Sprint 2. That sprint was deleted.')
      .waitFor();
  });

  test('does not occur if only other stories were moved', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    const dialog = await openStory(page, 'Dog');
    await dialog.getByLabel('Title').fill('Dog and puppies');
    for (const position of ['first', { before: board.ids.Bee }, 'last']) {
      await board.client.post(`/api/stories/${board.ids.Cat}/move`, { position });
    }
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('Changed “Dog”').waitFor();
    await card(page, 'To do', 'Dog and puppies').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await until(page, fieldOf(board.ids.Dog, 'title'), 'Dog and puppies');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('does not occur if other stories are moved while the change is sent', async () => {
    const board = await startSmallBoard();
    const { client, ids } = board;
    const page = await openPageWithoutStream(board.url);
    /** Moves Bee to the place before Dog, where there is no gap, which shifts Dog. */
    const shiftDog = async (): Promise<void> => {
      const { seq, version } = await board.story('Dog');
      await client.put(`/api/stories/${ids.Cat}`, { seq: seq - 1 });
      await client.post(`/api/stories/${ids.Bee}/move`, { position: { before: ids.Dog } });
      expect((await board.story('Dog')).version).toBe(version + 1);
    };
    let shifts = 0;
    await route(page, `**/api/stories/${ids.Dog}`, async (request) => {
      if (request.request().method() === 'PUT' && shifts < 3) {
        shifts += 1;
        await shiftDog();
      }
      return request.continue();
    });
    await card(page, 'To do', 'Dog').focus();
    await page.keyboard.press('2');
    await until(page, fieldOf(ids.Dog, 'status'), 'in_progress');
    expect(shifts).toBe(3);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

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

describe('A request without a response', () => {
  /** Opens a page whose requests end without a response when the test says so. */
  async function openPatiently(url: string): Promise<Page> {
    const page = await openPage('about:blank');
    await page.addInitScript(() => {
      const controllers: AbortController[] = [];
      AbortSignal.timeout = () => {
        const controller = new AbortController();
        controllers.push(controller);
        return controller.signal;
      };
      addEventListener('timeout', () => {
        const reason = new DOMException('The request took too long', 'TimeoutError');
        for (const controller of controllers.splice(0)) controller.abort(reason);
      });
    });
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

  test('is repeated with its key, if it is a change', async () => {
    const board = await startSmallBoard();
    const page = await openPatiently(board.url);
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
  });

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
    const { client, url, clock } = await startService();
    await client.post('/api/boards', { name: 'rocket', time_zone: 'Asia/Tokyo' });
    // 23:59 in Tokyo.
    clock.set('2026-11-17T14:59:00Z');
    for (const sprint of [
      { name: 'Sprint 1', start_date: '2026-11-16', end_date: '2026-11-17' },
      { name: 'Sprint 2', start_date: '2026-11-18', end_date: '2026-11-20' },
    ]) {
      await client.post('/api/boards/rocket/sprints', sprint);
    }
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
      const { client, url, clock } = await startService();
      await client.post('/api/boards', { name: 'rocket', time_zone: 'Asia/Tokyo' });
      // 23:59 in Tokyo.
      clock.set('2026-11-17T14:59:00Z');
      for (const sprint of [
        { name: 'Sprint 1', start_date: '2026-11-16', end_date: '2026-11-17' },
        { name: 'Sprint 2', start_date: '2026-11-18', end_date: '2026-11-20' },
      ]) {
        await client.post('/api/boards/rocket/sprints', sprint);
      }
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
    const { client, url, clock } = await startService();
    clock.set('2026-11-17T23:59:50Z');
    for (const sprint of [
      { name: 'Sprint 1', start_date: '2026-11-16', end_date: '2026-11-17' },
      { name: 'Sprint 2', start_date: '2026-11-18', end_date: '2026-11-20' },
    ]) {
      await client.post('/api/boards/rocket/sprints', sprint);
    }
    const page = await openPage('about:blank');
    await page.clock.install({ time: '2026-11-17T23:59:50Z' });
    const release = await delay(page, '**/api/boards/rocket');
    const sprints = page.waitForResponse('**/sprints');
    await page.goto(`${url}/b/rocket`);
    await sprints;
    clock.set('2026-11-18T00:00:10Z');
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

  test('does not run a command while a word is composed by an input method', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Command or story' });
    await input.fill('boards');
    await input.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await settled(page);
    expect(await input.count()).toBe(1);
    await page.keyboard.press('Escape');
    const dialog = await openStory(page, 'Ant');
    const task = dialog.getByLabel('New task');
    await task.fill('Dig');
    await task.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
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
