import type { Page } from 'playwright-core';
import { card, openPage } from './browser';
import type { SmallBoard } from './small-board';
import { startSmallBoard } from './small-board';

/** Opens a page without the live stream, so that it does not get the changes of others. */
async function openPageWithoutStream(url: string): Promise<Page> {
  const page = await openPage('about:blank');
  await page.route('**/stream?*', (route) => route.abort());
  await page.goto(url);
  return page;
}

async function addToBacklog(page: Page, title: string): Promise<void> {
  await page.getByLabel('New story in Backlog').fill(title);
  await page.getByLabel('New story in Backlog').press('Enter');
}

const backlogOf = async ({ client }: SmallBoard, name: string): Promise<string[]> =>
  (await client.get(`/api/boards/${name}/backlog`)).body.map((story: any) => story.title);

describe('A board that is renamed', () => {
  test('is not created again by a story for its backlog', async () => {
    const board = await startSmallBoard();
    const page = await openPageWithoutStream(`${board.url}/backlog`);
    await card(page, 'Sprint 1', 'Ant').waitFor();
    await board.client.put('/api/boards/rocket', { name: 'moon' });
    await addToBacklog(page, 'Eel');
    await page.waitForURL('**/b/moon/backlog');
    await card(page, 'Backlog', 'Eel').getByText('#').waitFor();
    expect(await backlogOf(board, 'moon')).toEqual(['Eel']);
    expect((await board.client.get('/api/boards')).body).toMatchObject([{ name: 'moon' }]);
  });
});
