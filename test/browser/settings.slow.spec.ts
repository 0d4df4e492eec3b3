import type { Page } from 'playwright-core';
import type { TestApp } from '../support/app';
import { axe, hold, openPage, route, settled, startService, until } from './browser';

async function openSettings(options = {}): Promise<{ service: TestApp; page: Page }> {
  const service = await startService();
  await service.client.post('/api/boards', { name: 'rocket' });
  await service.client.post('/api/boards', { name: 'Team Comet' });
  const page = await openPage(`${service.url}/b/rocket/settings`, options);
  await page.getByLabel('Name').waitFor();
  return { service, page };
}

const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save' }).click();

test('each view of a board sets the title of the window, even when it is opened by a link', async () => {
  const { page } = await openSettings();
  const title = (text: string): Promise<void> => until(page, 'document.title', text);
  await title('Settings – rocket');
  await page.getByRole('link', { name: 'Plan' }).click();
  await title('Plan – rocket');
  await page.getByRole('link', { name: 'rocket' }).click();
  await title('Board – rocket');
  await page.getByRole('link', { name: 'Reports' }).click();
  await title('Reports – rocket');
  await page.goto(page.url().replace('rocket', 'comet'));
  await title('Not found – Sprintline');
});

describe('The settings of a board', () => {
  test('change its name, and the URL with it', async () => {
    const { service, page } = await openSettings();
    await page.getByLabel('Name').fill('Team Comet');
    await save(page);
    await page.getByText('Another board has this name.').waitFor();
    await page.getByLabel('Name').fill('Falcon 9');
    await page.getByText('Another board has this name.').waitFor({ state: 'detached' });
    await save(page);
    await page.waitForURL(`${service.url}/b/Falcon%209/settings`);
    await page.getByRole('status').getByText('Settings saved').waitFor();
    await page.getByRole('link', { name: 'Falcon 9' }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Falcon 9');
    expect((await service.client.get('/api/boards/Falcon 9')).status).toBe(200);
  });

  test('are saved once by a double click', async () => {
    const { service, page } = await openSettings();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Save' }).dblclick();
    await page.getByRole('status').getByText('Settings saved').waitFor();
    await settled(page);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect((await service.client.get('/api/boards/rocket')).body.version).toBe(2);
  });

  test('keep what was typed while they were saved', async () => {
    const { service, page } = await openSettings();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    const held = await hold(page, /\/api\/boards\/rocket$/, 'PATCH');
    await save(page);
    await held.arrived;
    await page.getByLabel('Name').fill('Falcon 9');
    held.release();
    await page.getByRole('status').getByText('Settings saved').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Falcon 9');
    await save(page);
    await page.waitForURL(`${service.url}/b/Falcon%209/settings`);
    const { body } = await service.client.get('/api/boards/Falcon 9');
    expect(body).toMatchObject({ time_zone: 'Europe/Berlin', version: 3 });
  });

  test('show no message that they are saved beside the error of a later attempt', async () => {
    const { page } = await openSettings();
    const message = page.getByRole('region', { name: 'Messages' }).getByText('Settings saved');
    await page.getByRole('checkbox', { name: 'Friday' }).uncheck();
    await save(page);
    await message.waitFor();
    // Otherwise the message would be closed after a few seconds.
    await message.hover();
    await page.getByLabel('Name').fill('Team Comet');
    await page.getByLabel('Name').press('Enter');
    await page.getByText('Another board has this name.').waitFor();
    expect(await message.count()).toBe(0);
  });

  test('change its time zone and working days', async () => {
    const { service, page } = await openSettings();
    await page.getByLabel('Time zone').fill('Moon/Copernicus');
    await save(page);
    const field = page.getByLabel('Time zone');
    await page.waitForFunction(() => document.querySelector('[aria-invalid=true]'));
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('alert').getByText('Choose a time zone, such as Europe/Berlin.').waitFor();
    await field.fill(' Europe/Berlin ');
    const week = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
    for (const name of week) await page.getByRole('checkbox', { name }).uncheck();
    await save(page);
    await page.getByRole('alert').getByText('Choose at least one working day.').waitFor();
    for (const name of week.slice(0, 4)) await page.getByRole('checkbox', { name }).check();
    await page.getByRole('checkbox', { name: 'Sunday' }).check();
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await save(page);
    expect((await sent).headers()['if-match']).toMatch(/^".+"$/);
    await page.getByRole('status').getByText('Settings saved').waitFor();
    const { body } = await service.client.get('/api/boards/rocket');
    expect(body).toMatchObject({
      time_zone: 'Europe/Berlin',
      working_days: ['mon', 'tue', 'wed', 'thu', 'sun'],
    });
  });

  test('say that someone else changed them while they were edited', async () => {
    const { service, page } = await openSettings();
    await page.getByRole('checkbox', { name: 'Friday' }).uncheck();
    await service.client.put('/api/boards/rocket', { time_zone: 'Asia/Tokyo' });
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[list]')?.value === 'Asia/Tokyo',
    );
    await save(page);
    await page.getByRole('alert').getByText('Someone else has changed').waitFor();
    await save(page);
    await page.getByRole('status').getByText('Settings saved').waitFor();
    expect((await service.client.get('/api/boards/rocket')).body).toMatchObject({
      time_zone: 'Asia/Tokyo',
      working_days: ['mon', 'tue', 'wed', 'thu'],
    });
  });

  test('show what was saved without the live stream', async () => {
    const page = await openPage('about:blank');
    const service = await startService();
    await service.client.post('/api/boards', { name: 'rocket' });
    await route(page, '**/stream?*', (route) => route.abort());
    await page.goto(`${service.url}/b/rocket/settings`);
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await save(page);
    await page.getByRole('status').getByText('Settings saved').waitFor();
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin');
    await service.client.put('/api/boards/rocket', { time_zone: 'Asia/Tokyo' });
    await page.getByRole('checkbox', { name: 'Friday' }).uncheck();
    await save(page);
    await page.getByRole('alert').getByText('Someone else has changed').waitFor();
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
  });

  test('keep what was typed when the view is left, for this board only', async () => {
    const { service, page } = await openSettings();
    const name = page.getByLabel('Name');
    const text = (value: string): Promise<void> =>
      until(page, 'document.querySelector("main input")?.value', value);
    await page.goto(`${service.url}/b/Team%20Comet/settings`);
    await name.waitFor();
    await page.getByRole('link', { name: 'Boards' }).click();
    await page.getByRole('main').getByRole('link', { name: 'rocket' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await name.fill('Falcon 9');
    await page.evaluate(() => history.go(-3));
    await text('Team Comet');
    await page.getByRole('status').getByText('“Settings of rocket” is not saved').waitFor();
    await service.client.put('/api/boards/rocket', { time_zone: 'Asia/Tokyo' });
    await page.getByRole('button', { name: 'Edit again' }).click();
    await text('Falcon 9');
    await save(page);
    await page.getByRole('alert').getByText('Someone else has changed').waitFor();
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await cancel.click();
    await text('rocket');
    expect(await cancel.getAttribute('aria-disabled')).toBe('true');
    expect(await cancel.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await text('rocket');
  });

  test('delete it once its name is typed', async () => {
    const { service, page } = await openSettings();
    await service.client.post('/api/boards/rocket/sprints', { start_date: '2026-01-05' });
    await page.getByRole('button', { name: 'Delete board' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete rocket?' });
    const confirm = dialog.getByRole('button', { name: 'Delete', exact: true });
    await dialog.getByLabel('Name of the board').fill('rock');
    expect(await confirm.isDisabled()).toBe(true);
    expect(await axe(page)).toEqual([]);
    await dialog.getByLabel('Name of the board').fill('rocket');
    await confirm.click();
    await page.waitForURL(`${service.url}/`);
    await page.getByRole('link', { name: 'Team Comet' }).waitFor();
    expect(await page.getByRole('link', { name: 'rocket' }).count()).toBe(0);
    expect((await service.client.get('/api/boards/rocket')).status).toBe(404);
  });

  test('delete it from a list of boards that was shown before', async () => {
    const { service, page } = await openSettings();
    await page.goto(service.url);
    await page.getByRole('link', { name: 'rocket' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete board' }).click();
    await page.getByLabel('Name of the board').fill('rocket');
    const { arrived, release } = await hold(page, /^\/api\/boards$/);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Boards' }).waitFor();
    await arrived;
    expect(await page.getByRole('link', { name: 'rocket' }).count()).toBe(0);
    release();
    await page.getByRole('link', { name: 'Team Comet' }).waitFor();
  });

  test('delete it once its name is typed as the page shows it, without its double space', async () => {
    const { service, page } = await openSettings();
    await service.client.patch('/api/boards/rocket', { name: 'rocket  two' });
    await page.waitForURL(`${service.url}/b/rocket%20%20two/settings`);
    await page.getByRole('button', { name: 'Delete board' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete rocket two?' });
    await dialog.getByLabel('Name of the board').fill('rocket two');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.waitForURL(`${service.url}/`);
    expect((await service.client.get('/api/boards')).body).toHaveLength(1);
  });

  test('are not offered again once the board is deleted', async () => {
    const { service, page } = await openSettings();
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Name').fill('Falcon 9');
    await page.getByRole('button', { name: 'Delete board' }).click();
    await dialog.getByLabel('Name of the board').fill('rocket');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('status').getByText('Deleted rocket').waitFor();
    expect(await page.getByText('is not saved').count()).toBe(0);

    await page.goto(`${service.url}/b/Team%20Comet/settings`);
    await page.getByLabel('Name').fill('Falcon 9');
    await service.client.delete('/api/boards/Team%20Comet');
    await page.getByText('This board was deleted').waitFor();
    expect(await page.getByText('is not saved').count()).toBe(0);
  });

  test('delete it without taking the user away from another board', async () => {
    const { service, page } = await openSettings();
    await page.getByRole('button', { name: 'Delete board' }).click();
    await page.getByLabel('Name of the board').fill('rocket');
    const deleted = await hold(page, /boards\/rocket/, 'DELETE');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await deleted.arrived;
    await page.keyboard.press('Escape');
    await page.getByRole('banner').getByRole('link', { name: 'Boards' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Team Comet' }).click();
    deleted.release();
    await page.getByRole('status').getByText('Deleted rocket').waitFor();
    expect(page.url()).toBe(`${service.url}/b/Team%20Comet`);
  });

  test('does not break the names of weekdays on a phone', async () => {
    const viewport = { width: 390, height: 844 };
    for (const [locale, name] of [
      ['de-DE', 'Donnerstag'],
      ['pt-BR', 'segunda-feira'],
    ] as const) {
      const { page } = await openSettings({ viewport, locale });
      const label = page.getByText(name, { exact: true });
      await label.waitFor();
      const lines = await label.evaluate((element) => {
        const range = element.ownerDocument.createRange();
        range.selectNodeContents(element.lastChild ?? element);
        return range.getClientRects().length;
      });
      expect([name, lines]).toEqual([name, 1]);
    }
  });

  test('delete it once by a double click', async () => {
    const { page } = await openSettings();
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'DELETE') requests.push(request.url());
    });
    await page.getByRole('button', { name: 'Delete board' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the board').fill('rocket');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).dblclick();
    await page.getByRole('link', { name: 'Team Comet' }).waitFor();
    expect(requests).toHaveLength(1);
  });

  test.each(['light', 'dark'] as const)('have no errors in axe (%s)', async (colorScheme) => {
    const viewport = { width: 390, height: 844 };
    const { page } = await openSettings({ colorScheme, viewport });
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

test('the error of a field is a sentence', async () => {
  const { url } = await startService();
  const page = await openPage(url);
  await page.getByRole('button', { name: 'New board' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alert').getByText('Must not be blank.', { exact: true }).waitFor();
});
