import type { Locator, Page } from 'playwright-core';
import { axe, list, openPage, startService } from './browser';
import { startDemo } from './demo';

/** The views, their headings, and what they show last. */
const VIEWS: [name: string, path: string, heading: string, shown: (page: Page) => Locator][] = [
  ['the list of boards', '/', 'Boards', (page) => page.getByRole('link', { name: 'Demo' })],
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
}, 120_000);

test('nothing moves where the user asks for less motion', async () => {
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
