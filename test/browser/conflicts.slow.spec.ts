import type { Page } from 'playwright-core';
import { made2xx } from '../support/make';
import {
  card,
  delay,
  list,
  openPage,
  openPageWithoutStream,
  route,
  titles,
  until,
} from './browser';
import type { SmallBoard } from './small-board';
import { createNextSprint, fieldOf, openStory, openTask, startSmallBoard } from './small-board';

/** Opens a page on which Ant was set to In progress, while it is done on the service. */
async function conflictOver(board: SmallBoard): Promise<Page> {
  const page = await openPageWithoutStream(board.url);
  await card(page, 'To do', 'Ant').focus();
  await board.client.put(`/api/stories/${board.ids.Ant}`, { status: 'done' });
  await page.keyboard.press('2');
  await page.getByRole('dialog').getByText('Status: To do → Done').waitFor();
  return page;
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
