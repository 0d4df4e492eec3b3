import type { Locator, Page } from 'playwright-core';
import type { TestApp } from '../support/app';
import { promised } from '../support/faults';
import {
  axe,
  card,
  delay,
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
  untilRead,
} from './browser';
import { day } from './small-board';

const csv = (...rows: string[]): string => `${rows.join('\n')}\n`;

const JIRA = csv(
  'Issue key,Issue id,Issue Type,Summary,Status,Sprint,Story Points,Parent id,Reporter',
  'AB-1,1,Epic,Flight,To Do,,,,Mei',
  'AB-2,2,Story,Ant,Done,Sprint 1,3,,Mei',
  'AB-3,3,Story,Bee,Waiting,Sprint 2,5,,Ben',
  'AB-4,4,Sub-task,Wing,Done,,,3,Ben',
);

const JIRA_WITH_DATES = csv(
  'Issue key,Issue id,Issue Type,Summary,Status,Resolved',
  'AB-2,2,Story,Ant,Done,03/04/2026 10:00',
);

/** A service with the board “rocket”, which has a sprint. */
async function startRocket(): Promise<TestApp> {
  const service = await startService();
  await service.client.post('/api/boards/rocket/sprints', {
    name: 'Now',
    start_date: day(-3),
    end_date: day(10),
  });
  return service;
}

async function choose(page: Page, name: string, content: string): Promise<void> {
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
}

/** The numbers of the preview: new, changed and unchanged. */
async function counts(page: Page, kind: string): Promise<string[]> {
  const row = page.getByRole('region', { name: 'Preview' }).getByRole('row', { name: kind });
  return row.getByRole('cell').allInnerTexts();
}

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });

const hasFocus = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => element === document.activeElement);

const importButton = (page: Page) => page.getByRole('button', { name: 'Import', exact: true });

const all = async ({ client }: TestApp, path: string): Promise<any[]> =>
  (await client.get(path)).body;

const timeZone = async ({ client }: TestApp, board: string): Promise<string> =>
  (await client.get(`/api/boards/${encodeURIComponent(board)}`)).body.time_zone;

describe('An import', () => {
  test('shows a preview, asks for what the file does not say, and is made once', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/settings`);
    await page.getByRole('link', { name: 'Import file' }).click();
    await page.getByRole('heading', { level: 1, name: 'Import into rocket' }).waitFor();
    await choose(page, 'jira.csv', JIRA);
    await preview(page).waitFor();
    expect(await counts(page, 'Stories')).toEqual(['2', '0', '0']);
    expect(await counts(page, 'Tasks')).toEqual(['1', '0', '0']);
    await preview(page).getByText('Skipped: 1 epic, which becomes a label').click();
    await preview(page).getByText('Line 2: AB-1 is an epic').waitFor();
    await preview(page).getByText('1 column is ignored: Reporter').waitFor();
    await page.getByText('Columns', { exact: true }).click();
    const columnOf = (field: string): Promise<string> =>
      page
        .getByLabel(`Column of ${field}`)
        .evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text ?? '');
    expect(await columnOf('Title')).toBe('Summary');
    expect(await columnOf('Assignee')).toBe('No column');
    // An unknown status, missing dates, and the choice for sub-tasks.
    await page.getByText('unknown, 1×').waitFor();
    await page.getByLabel('Status Waiting').selectOption('In progress');
    await page.getByText('unknown, 1×').waitFor({ state: 'detached' });
    await page.getByLabel('Start date of Sprint 2').fill(day(20));
    await page.getByLabel('End date of Sprint 2').fill(day(30));
    await page.getByLabel('Sub-tasks').selectOption('Stories of their own');
    await page.getByText('Creates 2 sprints and 3 stories.').waitFor();
    expect(await all(service, '/api/boards/rocket/stories')).toEqual([]);
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await page.getByText('Created: 2 sprints and 3 stories. Skipped: 1.').waitFor();
    await page.getByRole('link', { name: 'Go to the plan' }).click();
    await card(page, 'Sprint 2', 'Bee').waitFor();
    const stories = await all(service, '/api/boards/rocket/stories');
    expect(stories.map(({ title, status, points }) => [title, status, points]).sort()).toEqual([
      ['Ant', 'done', 3],
      ['Bee', 'in_progress', 5],
      ['Wing', 'done', null],
    ]);
    const sprints = await all(service, '/api/boards/rocket/sprints');
    expect(sprints.find(({ name }) => name === 'Sprint 2')).toMatchObject({
      start_date: day(20),
      end_date: day(30),
    });
    // The second time there is nothing to do.
    await page.goto(`${service.url}/b/rocket/import`);
    await choose(page, 'jira.csv', JIRA.replace('Waiting', 'In Progress'));
    await page.getByLabel('Sub-tasks').selectOption('Stories of their own');
    await page.getByText('Nothing new to import.').waitFor();
    expect(await importButton(page).isDisabled()).toBe(true);
  });

  test('makes the browser ask before it closes the page', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await choose(page, 'jira.csv', JIRA.replace('Waiting', 'Done'));
    await preview(page).waitFor();
    const send = await delay(page, '**/import?*dry_run=false');
    await importButton(page).click();
    await stayOnReload(page);
    send();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await reloadUnasked(page);
    await page.getByRole('heading', { name: 'Import into rocket' }).waitFor();
  });

  test('maps the priorities of the file to the numbers that the user enters', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    const rows = ['AB-1,1,Ant,High', 'AB-2,2,Bee,Showstopper', 'AB-3,3,Cat,Showstopper'];
    const file = csv('Issue key,Issue id,Summary,Priority', ...rows, 'AB-4,4,Dog,7');
    await choose(page, 'jira.csv', file);
    await page.getByText('unknown, 2×').waitFor();
    const priority = (name: string) => page.getByLabel(`Priority ${name}`, { exact: true });
    expect(await priority('Showstopper').inputValue()).toBe('');
    expect(await priority('High').inputValue()).toBe('2');
    // A number needs no mapping.
    expect(await priority('7').count()).toBe(0);
    await priority('Showstopper').fill('0');
    await priority('High').fill('10');
    await page.getByText('unknown, 2×').waitFor({ state: 'detached' });
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    const stories = await all(service, '/api/boards/rocket/stories');
    expect(stories.map(({ title, priority }) => [title, priority])).toEqual([
      ['Ant', 10],
      ['Bee', 0],
      ['Cat', 0],
      ['Dog', 7],
    ]);
    // A cleared priority is unknown again.
    await page.goto(`${service.url}/b/rocket/import`);
    await choose(page, 'jira.csv', file);
    await priority('Showstopper').fill('3');
    await page.getByText('unknown, 2×').waitFor({ state: 'detached' });
    await priority('Showstopper').fill('');
    await page.getByText('unknown, 2×').waitFor();
  });

  test('lets the user replace the number of a priority', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    const row = 'AB-2,2,Bee,Showstopper';
    await choose(page, 'jira.csv', csv('Issue key,Issue id,Summary,Priority', row));
    const number = page.getByLabel('Priority Showstopper');
    await number.fill('5');
    await page.getByText('unknown, 1×').waitFor({ state: 'detached' });
    await number.press('End');
    await number.press('Backspace');
    await number.press('7');
    expect(await number.inputValue()).toBe('7');
  });

  test('does not move a sprint while its date is typed', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`, { locale: 'en-US' });
    const rows = [1, 2, 3].map((n) => `AB-${n},${n},Story,Ant,To Do,Sprint ${n}`);
    await choose(
      page,
      'jira.csv',
      csv('Issue key,Issue id,Issue Type,Summary,Status,Sprint', ...rows),
    );
    const date = page.getByLabel('Start date of Sprint 3');
    await date.click({ position: { x: 12, y: 12 } });
    await page.keyboard.type('01022020', { delay: 20 });
    expect(await date.inputValue()).toBe('2020-01-02');
    const first = page.getByRole('group', { name: 'Sprint dates' }).locator('input').first();
    expect(await first.getAttribute('aria-label')).toBe('Start date of Sprint 1');
    // Its year is before the start until it is complete.
    const end = page.getByLabel('End date of Sprint 3');
    await end.click({ position: { x: 12, y: 12 } });
    await page.keyboard.type('12312027', { delay: 20 });
    expect(await end.inputValue()).toBe('2027-12-31');
    // A date that does not exist is not used, and does not stay.
    await end.blur();
    await end.click({ position: { x: 12, y: 12 } });
    await page.keyboard.type('0231', { delay: 20 });
    expect(await end.inputValue()).toBe('');
    await end.blur();
    expect(await end.inputValue()).toBe('2027-12-31');
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    const sprints = await all(service, '/api/boards/rocket/sprints');
    const sprint = sprints.find(({ name }: { name?: string }) => name === 'Sprint 3');
    expect(sprint).toMatchObject({ start_date: '2020-01-02', end_date: '2027-12-31' });
  });

  test('reads the same file again when it is chosen again', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await choose(page, 'wrong.csv', csv('title,points', 'Ant,many'));
    const file = page.getByLabel('File', { exact: true });
    expect(await file.inputValue()).toContain('wrong.csv');
    // A browser reports no change of a field that has the file already.
    const value = await file.evaluate((field: HTMLInputElement) => {
      field.click();
      return field.value;
    });
    expect(value).toBe('');
  });

  test('names the file that it reads after another one was dropped, or none was chosen', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    const file = page.getByLabel('File', { exact: true });
    await choose(page, 'two.csv', csv('title', 'Ant', 'Bee'));
    await untilRead(async () => (await counts(page, 'Stories'))[0], '2');
    const dropped = await page.evaluateHandle(
      (text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], 'one.csv'));
        return data;
      },
      csv('title', 'Cat'),
    );
    await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: dropped });
    await untilRead(async () => (await counts(page, 'Stories'))[0], '1');
    expect(await file.inputValue()).toContain('one.csv');
    await file.dispatchEvent('click');
    await file.dispatchEvent('cancel');
    expect(await file.inputValue()).toContain('one.csv');
  });

  test('stays when someone else renames the board', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await choose(page, 'stories.csv', csv('title', 'Ant', 'Bee'));
    await preview(page).waitFor();
    await service.client.put('/api/boards/rocket', { name: 'moon' });
    await page.waitForURL('**/b/moon/import');
    expect(await counts(page, 'Stories')).toEqual(['2', '0', '0']);
    await importButton(page).click();
    await page.getByText('Imported').first().waitFor();
    expect(await all(service, '/api/boards/moon/backlog')).toHaveLength(2);
  });

  test('keeps the file that is chosen before the board is loaded', async () => {
    const service = await startRocket();
    const page = await openPage('about:blank');
    const release = await delay(page, '**/api/boards/rocket');
    await page.goto(`${service.url}/b/rocket/import`);
    await choose(page, 'stories.csv', csv('title', 'Ant'));
    await preview(page).waitFor();
    // The stream is opened once the board is loaded.
    const stream = page.waitForRequest('**/stream?*');
    release();
    await stream;
    await importButton(page).click();
    await page.getByText('Created: 1 story.').waitFor();
  });

  test('shows its result in a message after the user has left its view', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    const messages = page.getByRole('region', { name: 'Messages' });
    const leave = async (): Promise<void> => {
      await page.getByRole('link', { name: 'Plan' }).click();
      await page.getByRole('heading', { level: 1, name: 'Plan' }).waitFor();
    };
    for (const isLost of [true, false]) {
      await choose(page, 'stories.csv', csv('title', 'Ant'));
      await preview(page).waitFor();
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      await route(page, '**/import?*dry_run=false', async (route) => {
        await answered;
        await (isLost ? route.abort() : route.continue());
      });
      await importButton(page).click();
      await leave();
      answer();
      if (isLost) await messages.getByText('“stories.csv” was not imported.').waitFor();
      else await messages.getByText('Imported 1 story').waitFor();
      await page.unrouteAll();
      await page.goBack();
    }
  });

  test('does not create its board again after someone else has deleted it', async () => {
    const service = await startRocket();
    const page = await openPageWithoutStream(`${service.url}/b/rocket/import`);
    await choose(page, 'stories.csv', csv('title', 'Ant'));
    await preview(page).waitFor();
    await service.client.delete('/api/boards/rocket?force=true');
    await importButton(page).click();
    await page.getByRole('alert').getByText('this board was renamed or deleted').waitFor();
    expect(await all(service, '/api/boards')).toEqual([]);
  });

  test('reads the file that was chosen last, even if the former one is read later', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await page.evaluate(() => {
      const { prototype } = Blob;
      const read = Object.getOwnPropertyDescriptor(prototype, 'arrayBuffer')!.value;
      prototype.arrayBuffer = async function () {
        const bytes = await read.call(this);
        if ((this as File).name === 'former.csv') {
          await new Promise((resolve) => ((globalThis as any).release = resolve));
        }
        return bytes;
      };
    });
    await choose(page, 'former.csv', csv('title', 'Ant', 'Bee'));
    await choose(page, 'last.csv', csv('title', 'Cat'));
    await preview(page).waitFor();
    await page.evaluate(() => (globalThis as any).release());
    await settled(page);
    expect(await counts(page, 'Stories')).toEqual(['1', '0', '0']);
  });

  test('asks for the order of ambiguous dates', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await choose(page, 'jira.csv', JIRA_WITH_DATES);
    await page.getByRole('alert').getByText('Choose the date order').waitFor();
    await page.getByText('"03/04/2026 10:00" is 2026-04-03 or 2026-03-04').waitFor();
    expect(await importButton(page).isDisabled()).toBe(true);
    const order = page.getByLabel('Date order');
    await order.focus();
    await order.selectOption('Day, month, year');
    await preview(page).waitFor();
    // Otherwise a user of the keyboard would have to find it again.
    expect(await hasFocus(order)).toBe(true);
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    const [story] = await all(service, '/api/boards/rocket/stories');
    expect(story.done_at).toBe('2026-04-03T10:00:00.000Z');
  });

  test.each([
    ['is empty', ''],
    ['is binary', '\u0001\u0002\0'.repeat(20)],
  ])('asks nothing about a file that %s', async (words, content) => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await choose(page, 'stories.csv', content);
    await page.getByRole('alert').getByText(`The file ${words}`).waitFor();
    expect(await page.getByRole('region', { name: 'How the file is read' }).count()).toBe(0);
  });

  test('lists the lines with errors, and imports nothing', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await choose(page, 'stories.csv', csv('title,points', 'Ant,3', ',4', 'Bee,x'));
    const errors = page.getByRole('region', { name: 'Errors by line' });
    await errors.getByRole('row', { name: '3 title is required' }).waitFor();
    await errors.getByRole('row', { name: '4 points must be a number' }).waitFor();
    await page.getByRole('alert').getByText('There are 2 errors').waitFor();
    expect(await importButton(page).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await all(service, '/api/boards/rocket/stories')).toEqual([]);
    await choose(page, 'stories.csv', csv('title,points', 'Ant,3'));
    await page.getByText('Creates 1 story.').waitFor();
    expect(await errors.count()).toBe(0);
  });

  test('asks for the meaning of unknown statuses and priorities in a spreadsheet', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    const rows = ['Ant,Begonnen,Eilig', 'Bee,Wartet,01', 'Cat,begonnen,2', 'Dog,done,'];
    await choose(page, 'stories.csv', csv('title,status,priority', ...rows));
    await page.getByRole('alert').getByText('Choose what they mean').waitFor();
    await page.getByText('unknown, 2×').waitFor();
    expect(await page.getByRole('region', { name: 'Errors by line' }).count()).toBe(0);
    expect(await importButton(page).isDisabled()).toBe(true);
    await page.getByLabel('Status Begonnen').selectOption('In progress');
    await page.getByLabel('Status Wartet').selectOption('To do');
    await page.getByLabel('Priority Eilig').fill('2');
    await page.getByLabel('Priority 01').fill('1');
    await page.getByText('Creates 4 stories.').waitFor();
    expect(await page.getByLabel('Priority 01').inputValue()).toBe('1');
    expect(await page.getByLabel('Status Begonnen').inputValue()).toBe('in_progress');
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    const stories = await all(service, '/api/boards/rocket/stories');
    expect(stories.map(({ title, status, priority }) => [title, status, priority])).toEqual([
      ['Ant', 'in_progress', 2],
      ['Bee', 'todo', 1],
      ['Cat', 'in_progress', 2],
      ['Dog', 'done', null],
    ]);
  });

  test('reads the columns that the user chooses, of any table', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await choose(page, 'sheet.csv', csv('"What, in short";Weight', 'Ant;3', 'Bee;5'));
    await page.getByRole('alert').waitFor();
    const column = page.getByLabel('Column of Title');
    await column.focus();
    await column.selectOption('What, in short');
    await page.getByText('Creates 2 stories.').waitFor();
    // The columns stay open, because others may have to be chosen, too.
    expect(await hasFocus(column)).toBe(true);
    await page.getByLabel('Column of Points').selectOption('Weight');
    await page.getByText('Creates 2 stories.').waitFor();
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    const stories = await all(service, '/api/boards/rocket/stories');
    expect(stories.map(({ title, points }) => [title, points])).toEqual([
      ['Ant', 3],
      ['Bee', 5],
    ]);
  });

  test.each([
    { width: 1280, height: 800 },
    { width: 320, height: 480 },
  ])('does not cover the focused field with its buttons ($width px)', async (viewport) => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`, { viewport });
    await choose(page, 'jira.csv', JIRA);
    await preview(page).waitFor();
    await page.getByText('Columns', { exact: true }).click();
    await page.getByLabel('Column of Title').focus();
    const footer = await importButton(page).evaluateHandle((button) => button.closest('footer')!);
    // The other columns, and the fields below them.
    for (let i = 0; i < 11; i++) {
      await page.keyboard.press('Tab');
      const isCovered = await footer.evaluate((element) => {
        const { bottom } = document.activeElement!.getBoundingClientRect();
        return bottom > element.getBoundingClientRect().top;
      });
      expect(isCovered).toBe(false);
    }
    expect(await hasFocus(page.getByLabel('Archived stories'))).toBe(true);
  });

  test('creates a board from the list of boards, in the time zone of the browser', async () => {
    const service = await startRocket();
    const page = await openPage(service.url, { timezoneId: 'Asia/Tokyo' });
    await page.getByRole('link', { name: 'Import' }).click();
    await choose(page, 'Team Comet.csv', csv('title,status', 'Ant,todo'));
    await page.getByText('Creates 1 story.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Team Comet');
    await page.getByLabel('Name').fill('rocket');
    await page.getByText('There is a board with this name').waitFor();
    await page.getByLabel('Name').fill('Comet / 彗星');
    await page.getByText('Creates 1 story.').waitFor();
    expect(await all(service, '/api/boards')).toHaveLength(1);
    await importButton(page).click();
    await page.getByRole('link', { name: 'Go to the plan' }).click();
    await card(page, 'Backlog', 'Ant').waitFor();
    const { body } = await service.client.get(`/api/boards/${encodeURIComponent('Comet / 彗星')}`);
    expect(body.time_zone).toBe('Asia/Tokyo');
  });

  test('is made once if the response is lost, and shows that the service cannot be reached', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    await choose(page, 'stories.csv', csv('title', 'Ant', 'Bee'));
    await page.getByText('Creates 2 stories.').waitFor();
    const debug = await page.context().newCDPSession(page);
    await debug.send('Fetch.enable', {
      patterns: [{ urlPattern: '*/import?*', requestStage: 'Response' }],
    });
    debug.once('Fetch.requestPaused', ({ requestId }) => {
      void debug.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' });
    });
    await importButton(page).click();
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await debug.send('Fetch.disable');
    expect(await all(service, '/api/boards/rocket/stories')).toHaveLength(2);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await page.getByText('Created: 2 stories.').waitFor();
    expect(await all(service, '/api/boards/rocket/stories')).toHaveLength(2);
  });

  test('can be tried again if there is no response', async () => {
    const service = await startRocket();
    const page = await openPage('about:blank');
    await page.addInitScript(() => {
      const { prototype } = XMLHttpRequest;
      const timeout = Object.getOwnPropertyDescriptor(prototype, 'timeout')!;
      let isFirst = true;
      Object.defineProperty(prototype, 'timeout', {
        set(this: XMLHttpRequest, milliseconds: number) {
          timeout.set?.call(this, isFirst ? 500 : milliseconds);
          isFirst = false;
        },
      });
    });
    await page.goto(`${service.url}/b/rocket/import`);
    let count = 0;
    await route(page, '**/import?*', (route) => ((count += 1) > 1 ? route.continue() : undefined));
    await choose(page, 'list.csv', csv('title', 'Ant'));
    await page.getByRole('button', { name: 'Try again' }).click();
    await preview(page).waitFor();
  });

  test('sets no time zone on a board that exists, even if its name is composed differently', async () => {
    const service = await startRocket();
    await service.client.post('/api/boards', { name: 'Caf\u00e9', time_zone: 'Europe/Berlin' });
    const page = await openPage(`${service.url}/import`, { timezoneId: 'Asia/Tokyo' });
    await choose(page, 'Cafe\u0301.csv', csv('title', 'Ant'));
    await page.getByText('There is a board with this name').waitFor();
    await page.getByText('Creates 1 story.').waitFor();
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    expect(await timeZone(service, 'Caf\u00e9')).toBe('Europe/Berlin');
  });

  test('as a new board changes no board that someone else has created meanwhile, before the user agrees', async () => {
    const service = await startService();
    const page = await openPage(`${service.url}/import`, { timezoneId: 'Asia/Tokyo' });
    await choose(page, 'comet.csv', csv('title', 'Ant'));
    await page.getByText('The name of the new board.').waitFor();
    await page.getByText('Creates 1 story.').waitFor();
    await service.client.post('/api/boards', { name: 'comet', time_zone: 'Europe/Berlin' });
    await importButton(page).click();
    await page.getByRole('alert').getByText('there is now a board with this name').waitFor();
    await until(page, 'document.activeElement.labels?.[0]?.innerText', 'Name');
    expect(await all(service, '/api/boards/comet/stories')).toEqual([]);
    await page.getByText('Creates 1 story.').waitFor();
    await importButton(page).click();
    await page.getByText('Created: 1 story.').waitFor();
    expect(await timeZone(service, 'comet')).toBe('Europe/Berlin');
  });

  test('as a new board previews the board that someone else has created meanwhile', async () => {
    const service = await startService();
    const page = await openPage(`${service.url}/import`);
    await page.getByLabel('Name').fill('comet');
    await page.getByText('The name of the new board.').waitFor();
    const story = { title: 'Ant', external_id: 'A-1' };
    await service.client.post('/api/boards/comet/backlog', story);
    await choose(page, 'stories.csv', csv('external_id,title', 'A-1,Ant', 'A-2,Bee'));
    await page.getByText('There is a board with this name').waitFor();
    await preview(page).waitFor();
    expect(await counts(page, 'Stories')).toEqual(['1', '0', '1']);
  });

  test('into an existing board does not create it again after someone else has deleted it, before the user agrees', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/import`, { timezoneId: 'Asia/Tokyo' });
    await choose(page, 'rocket.csv', csv('title', 'Ant'));
    await page.getByText('There is a board with this name').waitFor();
    await page.getByText('Creates 1 story.').waitFor();
    await service.client.delete('/api/boards/rocket?force=true');
    await importButton(page).click();
    await page.getByRole('alert').getByText('there is no board with this name now').waitFor();
    await until(page, 'document.activeElement.labels?.[0]?.innerText', 'Name');
    expect(await all(service, '/api/boards')).toEqual([]);
    await page.getByText('Creates 1 story.').waitFor();
    await importButton(page).click();
    await page.getByText('Created: 1 story.').waitFor();
    expect(await timeZone(service, 'rocket')).toBe('Asia/Tokyo');
  });

  test('says that the time zone of its new board could not be set', async () => {
    const service = await startService();
    const page = await openPage(`${service.url}/import`);
    await choose(page, 'comet.csv', csv('title', 'Ant'));
    await page.getByText('Creates 1 story.').waitFor();
    await route(page, '**/api/boards/comet', (route) => route.abort());
    await importButton(page).click();
    await page.getByText('Created: 1 story.').waitFor();
    await page
      .getByRole('alert')
      .getByText('The time zone of the board could not be set')
      .waitFor();
  });

  test('previews a file once it is known whether its board exists', async () => {
    const service = await startRocket();
    await service.client.put('/api/boards/rocket', { time_zone: 'Europe/Berlin' });
    const page = await openPage(`${service.url}/b/rocket/settings`, { timezoneId: 'Asia/Tokyo' });
    const release = await delay(page, '**/api/boards');
    const seen: string[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/api/boards')) seen.push('list of boards');
    });
    page.on('request', (request) => {
      if (request.url().includes('/import?')) seen.push('preview');
    });
    await page.goto(`${service.url}/import`);
    await choose(page, 'rocket.csv', csv('title', 'Ant'));
    await page.getByText('Reading the file').waitFor();
    release();
    await page.getByText('Creates 1 story.').waitFor();
    expect(seen).toEqual(['list of boards', 'preview']);
    // Without the list of boards, no board counts as new.
    await route(page, '**/api/boards', (route) => route.abort());
    await page.goto(`${service.url}/import`);
    await choose(page, 'rocket.csv', csv('title', 'Ant'));
    await page.getByText('Creates 1 story.').waitFor();
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    expect(await timeZone(service, 'rocket')).toBe('Europe/Berlin');
  });

  test('can be followed by an import of another file into the board that it has created', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/import`, { timezoneId: 'Asia/Tokyo' });
    await choose(page, 'comet.csv', csv('title', 'Ant'));
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    expect(await timeZone(service, 'comet')).toBe('Asia/Tokyo');
    await service.client.put('/api/boards/comet', { time_zone: 'Europe/Berlin' });
    await page.getByRole('button', { name: 'Import another file' }).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor({ state: 'detached' });
    await until(page, 'document.activeElement.type', 'file');
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    await choose(page, 'comet.csv', csv('title', 'Bee'));
    await page.getByText('There is a board with this name').waitFor();
    await importButton(page).click();
    await page.getByText('Created: 1 story.').waitFor();
    expect(await timeZone(service, 'comet')).toBe('Europe/Berlin');
  });

  test('can be retried after a temporary error', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    let status = 429;
    await route(page, '**/import?*', (route) => {
      if (status === 200) return route.continue();
      const contentType = 'application/problem+json';
      const body = JSON.stringify({ status, code: 'some_code', detail: `Error ${status}` });
      return route.fulfill({ status, contentType, body });
    });
    await choose(page, 'stories.csv', csv('title', 'Ant'));
    for (const next of [408, 503, 401, 200]) {
      await page.getByRole('alert').getByText(`Error ${status}`).waitFor();
      if (status === 401) {
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      status = next;
      await page.getByRole('button', { name: 'Try again' }).click();
    }
    await page.getByText('Creates 1 story.').waitFor();
    status = 503;
    await importButton(page).click();
    await page.getByRole('alert').getByText('Error 503').waitFor();
    await until(page, 'document.activeElement.ariaLabel', 'Errors');
    status = 200;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Created: 1 story.').waitFor();
  });

  test('reads no file while the board has no name', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/import`);
    const release = await delay(page, '**/import?*');
    await choose(page, 'comet.csv', csv('title', 'Ant'));
    await page.getByText('Reading the file').waitFor();
    await page.getByLabel('Name').fill('');
    await page.getByText('Reading the file').waitFor({ state: 'detached' });
    release();
    expect(await importButton(page).isDisabled()).toBe(true);
  });

  test('names the new board after the file until the user types a name', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/import`);
    const name = (value: string): Promise<void> =>
      until(page, 'document.querySelector("main input:not([type=file])").value', value);
    await choose(page, 'jira.csv', csv('title', 'Ant'));
    await name('jira');
    await choose(page, 'comet.csv', csv('title', 'Bee'));
    await name('comet');
    await page.getByLabel('Name').fill('Falcon');
    await choose(page, 'jira.csv', csv('title', 'Ant', 'Bee'));
    await preview(page).getByRole('cell', { name: '2' }).waitFor();
    await name('Falcon');
  });

  test('cannot be changed while it is sent', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/import`);
    await choose(page, 'comet.csv', JIRA);
    await preview(page).waitFor();
    const release = await delay(page, '**/import?*');
    await importButton(page).click();
    await page.getByText('Importing').waitFor();
    for (const name of ['File', 'Name', 'Format', 'Status Waiting', 'Sub-tasks']) {
      expect([name, await page.getByLabel(name, { exact: true }).isDisabled()]).toEqual([
        name,
        true,
      ]);
    }
    expect(await page.getByRole('link', { name: 'Cancel' }).count()).toBe(0);
    // The key has no effect, and the focus stays until the result is shown.
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Import');
    release();
    await until(page, 'document.activeElement.textContent', 'Imported');
    expect(await all(service, '/api/boards/comet/stories')).toHaveLength(2);
  });

  test('counts the values that it cuts, and the sprints whose dates it assumes', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`);
    const row = ['AB-1', '1', 'Ant', 'S'.repeat(120), 'y'.repeat(120)].join(',');
    await choose(page, 'jira.csv', csv('Issue key,Issue id,Summary,Sprint,Assignee', row));
    await preview(page).getByText('1 name of a sprint is too long and is cut').waitFor();
    await preview(page).getByText('1 assignee is too long and is cut').waitFor();
    await preview(page)
      .getByText('1 sprint has no start date in the file; its dates are assumed')
      .waitFor();
  });

  test('appears at once in another browser', async () => {
    const service = await startRocket();
    const other = await openPage(`${service.url}/b/rocket/backlog`);
    await list(other, 'Backlog').waitFor({ state: 'attached' });
    const page = await openPage(`${service.url}/b/rocket/import`);
    const rows = Array.from({ length: 150 }, (_, i) => `Story ${i}`);
    await choose(page, 'stories.csv', csv('title', ...rows));
    await page.getByText('Creates 150 stories.').waitFor();
    await importButton(page).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await card(other, 'Backlog', 'Story 149').waitFor({
      state: 'attached',
      timeout: promised(2000),
    });
    expect(await titles(other, 'Backlog')).toEqual(rows);
  });

  test('is not offered to a token that only reads', async () => {
    const service = await startRocket();
    const { client } = service;
    const admin = await client.post('/api/tokens', { name: 'admin', scope: 'admin' });
    const headers = { Authorization: `Bearer ${admin.body.token}` };
    const { body } = await client.post('/api/tokens', { name: 'eve', scope: 'read' }, { headers });
    const page = await openPage(`${service.url}/b/rocket/import`);
    await page.getByLabel('Token').fill(body.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your token can only read.').waitFor();
    expect(await page.getByLabel('File', { exact: true }).count()).toBe(0);
    await page.goto(`${service.url}/b/rocket/settings`);
    await page.getByRole('link', { name: 'Export board', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Import file' }).count()).toBe(0);
    await page.goto(service.url);
    await page.getByRole('link', { name: 'rocket' }).waitFor();
    expect(await page.getByRole('link', { name: 'Import' }).count()).toBe(0);
  });

  test('of a new board is not offered to a token for certain boards', async () => {
    const service = await startRocket();
    const { client } = service;
    const admin = await client.post('/api/tokens', { name: 'admin', scope: 'admin' });
    const headers = { Authorization: `Bearer ${admin.body.token}` };
    const token = { name: 'eve', scope: 'write', boards: ['rocket'] };
    const { body } = await client.post('/api/tokens', token, { headers });
    const page = await openPage(`${service.url}/import`);
    await page.getByLabel('Token').fill(body.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your token is for certain boards only.').waitFor();
    await page.goto(`${service.url}/b/rocket/settings`);
    await page.getByRole('link', { name: 'Import file' }).click();
    await page.getByLabel('File', { exact: true }).waitFor();
  });

  test.each(['light', 'dark'] as const)(
    'works by keyboard, and has no errors in axe (%s)',
    async (colorScheme) => {
      const service = await startRocket();
      const page = await openPage(`${service.url}/b/rocket/import`, { colorScheme });
      await page.getByLabel('File', { exact: true }).waitFor();
      expect(await axe(page)).toEqual([]);
      await choose(page, 'jira.csv', JIRA_WITH_DATES);
      await page.getByRole('alert').waitFor();
      expect(await axe(page)).toEqual([]);
      await choose(page, 'jira.csv', JIRA);
      await preview(page).waitFor();
      await page.getByText('Columns', { exact: true }).click();
      expect(await axe(page)).toEqual([]);
      await page.getByLabel('Format').focus();
      const name = 'document.activeElement.ariaLabel ?? document.activeElement.textContent';
      for (let i = 0; (await page.evaluate(name)) !== 'Import'; i++) {
        if (i > 60) throw new Error('Tab does not reach Import');
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await until(page, 'document.activeElement.textContent', 'Imported');
      expect(await axe(page)).toEqual([]);
    },
  );

  test('fits a phone without sideways scrolling', async () => {
    const service = await startRocket();
    const page = await openPage(`${service.url}/b/rocket/import`, {
      viewport: { width: 390, height: 844 },
    });
    const long = `Sprint ${'W'.repeat(80)}`;
    await choose(
      page,
      'jira.csv',
      JIRA.replace('Sprint 2', long).replace('Waiting', 'W'.repeat(90)),
    );
    await preview(page).waitFor();
    await page.getByText('Columns', { exact: true }).click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

describe('An export', () => {
  async function download(page: Page, name: string): Promise<{ file: string; text: string }> {
    const started = page.waitForEvent('download');
    await page.getByRole('link', { name, exact: true }).click();
    const file = await started;
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
    return { file: file.suggestedFilename(), text: Buffer.concat(chunks).toString() };
  }

  test('contains the board, with or without its history, or a table for a spreadsheet', async () => {
    const service = await startRocket();
    await service.client.post('/api/boards/rocket/backlog', { title: 'Ant' });
    const page = await openPage(`${service.url}/b/rocket/settings`);
    const board = await download(page, 'Export board');
    expect(board.file).toBe('rocket.ndjson');
    const lines = board.text.trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ sprintline_export: 1, log: false });
    expect(lines).toHaveLength(4);
    const whole = await download(page, 'Export board with its history');
    expect(whole.file).toBe('rocket-with-history.ndjson');
    expect(JSON.parse(whole.text.split('\n')[0] ?? '')).toMatchObject({ log: true });
    expect(whole.text).toContain('story.created');
    const stories = await download(page, 'Export stories as CSV');
    expect(stories.file).toBe('rocket-stories.csv');
    expect(stories.text).toContain('Ant');
    const events = await download(page, 'Export events as CSV');
    expect(events.text.split('\n')[0]).toContain('revision');
  });

  test('with its history can be imported as a new board, whose reports are the same', async () => {
    const service = await startRocket();
    const { client } = service;
    const { body: sprint } = await client.get('/api/boards/rocket/sprints/current');
    await client.post(`/api/sprints/${sprint.id}/stories`, { title: 'Ant', points: 3 });
    await client.post(`/api/sprints/${sprint.id}/start`, {});
    await client.post(`/api/sprints/${sprint.id}/stories`, { title: 'Bee', points: 2 });
    const page = await openPage(`${service.url}/b/rocket/settings`);
    const whole = await download(page, 'Export board with its history');
    await page.goto(`${service.url}/import`);
    await choose(page, 'copy.ndjson', whole.text);
    await page.getByText('Creates 1 sprint and 2 stories.').waitFor();
    await importButton(page).click();
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    const { body } = await client.get('/api/boards/copy/sprints/current/report');
    expect(body).toMatchObject({
      commitment_rule: 'started',
      committed: { count: 1, points: 3 },
      added: { count: 1, points: 2 },
    });
    // It does not replace a board.
    await page.goto(`${service.url}/b/rocket/import`);
    await choose(page, 'rocket.ndjson', whole.text);
    await page.getByText('can only be imported as a new board').waitFor();
    // A file that was cut off is rejected, and nothing of it is imported.
    await page.goto(`${service.url}/import`);
    await choose(page, 'cut.ndjson', whole.text.slice(0, -40));
    await page.getByRole('alert').waitFor();
    expect(await all(service, '/api/boards')).toHaveLength(2);
  });

  test('can be imported as a new board', async () => {
    const service = await startRocket();
    const { body } = await service.client.get('/api/boards/rocket/sprints/current');
    await service.client.post(`/api/sprints/${body.id}/stories`, { title: 'Ant' });
    const page = await openPage(`${service.url}/b/rocket/settings`);
    const stories = await download(page, 'Export stories as CSV');
    await page.goto(`${service.url}/import`);
    await choose(page, 'copy.csv', stories.text);
    await page.getByText('Creates 1 sprint and 1 story.').waitFor();
    await importButton(page).click();
    await page.getByRole('link', { name: 'Go to the plan' }).click();
    await card(page, 'Now', 'Ant').waitFor();
  });
});
