import { card, openPage, titles } from './browser';
import { startSmallBoard } from './small-board';

describe('Without a connection', () => {
  test('keeps the changes, says so in one place and on the cards, and sends them later in their order', async () => {
    const board = await startSmallBoard();
    const page = await openPage(board.url);
    await card(page, 'To do', 'Ant').focus();
    await board.kill();
    await page.keyboard.press('3');
    await card(page, 'Done', 'Ant').waitFor();
    await card(page, 'To do', 'Bee').focus();
    await page.keyboard.press('2');
    await page.keyboard.press('3');
    await page.getByRole('banner').getByText('3 unsaved changes').waitFor();
    await card(page, 'Done', 'Bee').getByText('Unsaved').waitFor();
    await board.restart();
    await page.getByText('unsaved change').waitFor({ state: 'detached' });
    expect(await titles(page, 'Done')).toEqual(['Ant', 'Bee']);
    const { body } = await board.service.client.get('/api/boards/rocket/events?after=6');
    expect(body.map(({ type, id, after }: any) => [type, id, after.status])).toEqual([
      ['story.updated', board.ids.Ant, 'done'],
      ['story.updated', board.ids.Bee, 'in_progress'],
      ['story.updated', board.ids.Bee, 'done'],
    ]);
  });
});
