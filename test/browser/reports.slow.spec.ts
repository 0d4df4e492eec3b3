import type { Page } from 'playwright-core';
import type { TestApp } from '../support/app';
import { axe, openPage, route, startService } from './browser';
import { startDemo } from './demo';
import { day } from './small-board';

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const PICTURES = [
  'Burndown of Sprint 12',
  'Burn-up of Sprint 12',
  'Velocity of Demo',
  'Forecast of Demo',
];

async function openReports(service: TestApp, search = '', options = {}): Promise<Page> {
  const page = await openPage(`${service.url}/b/Demo/reports${search}`, options);
  for (const name of PICTURES) await page.getByRole('img', { name: `${name}: ` }).waitFor();
  await part(page, 'Unfinished').waitFor();
  return page;
}

describe('The reports', () => {
  test('show the pictures of the current sprint, of the velocity and of the forecast, and their tables', async () => {
    const service = await startDemo();
    const page = await openReports(service);
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Reports']);
    const { body: velocity } = await service.client.get('/api/boards/Demo/velocity');
    await page
      .getByText(`A sprint completes ${velocity.average_points} points on average`)
      .waitFor();
    await page.getByText(`the median is ${velocity.median_points}`).waitFor();
    const tables = { Burndown: 7, 'Burn-up': 7, Velocity: 7, Forecast: 4 };
    const { body: burndown } = await service.client.get(
      '/api/boards/Demo/sprints/current/burndown',
    );
    tables.Burndown = tables['Burn-up'] = burndown.days.length + 1;
    for (const [name, rows] of Object.entries(tables)) {
      await part(page, name).getByRole('button', { name: 'Show as table' }).click();
      await part(page, name).getByRole('row').nth(1).waitFor();
      expect(await part(page, name).getByRole('row').count()).toBe(rows);
    }
  });

  test('count points in the velocity, as in its picture, even if none was completed', async () => {
    const { client, url } = await startService();
    const sprint = { name: 'Sprint 1', start_date: day(-1), end_date: day(5) };
    const { body } = await client.post('/api/boards/rocket/sprints', sprint);
    await client.post(`/api/sprints/${body.id}/stories`, { title: 'Ant', points: 3 });
    await client.post(`/api/sprints/${body.id}/complete`, {});
    const page = await openPage(`${url}/b/rocket/reports`);
    await part(page, 'Velocity').getByText('A sprint completes 0 points on average').waitFor();
  });

  test('count stories in the tables, as in the pictures, if none has points', async () => {
    const { client, url } = await startService();
    const sprint = { name: 'Sprint 1', start_date: day(-1), end_date: day(5) };
    const { body } = await client.post('/api/boards/rocket/sprints', sprint);
    const stories = `/api/sprints/${body.id}/stories`;
    await client.post(stories, { title: 'Ant', status: 'done' });
    await client.post(stories, { title: 'Bee', status: 'done' });
    await client.post(stories, { title: 'Cat' });
    await client.post(`/api/sprints/${body.id}/complete`, {});
    const page = await openPage(`${url}/b/rocket/reports`);
    const last = async (name: string): Promise<string[]> => {
      await part(page, name).getByRole('button', { name: 'Show as table' }).click();
      await part(page, name).getByRole('row').nth(1).waitFor();
      return part(page, name).getByRole('row').last().getByRole('cell').allInnerTexts();
    };
    expect(await last('Burndown')).toEqual(['3', '2', '1']);
    expect(await last('Burn-up')).toEqual(['3', '2']);
    expect(await last('Velocity')).toEqual(['3', '2', '1']);
  });

  test('have a table of the burn-up with the lines of its picture', async () => {
    const { client, url, clock } = await startService();
    clock.set('2026-11-16T10:00:00Z');
    const sprint = { name: 'S1', start_date: '2026-11-16', end_date: '2026-11-17' };
    const { body } = await client.post('/api/boards/rocket/sprints', sprint);
    const stories = `/api/sprints/${body.id}/stories`;
    await client.post(stories, { title: 'Ant', points: 2, status: 'done' });
    await client.post(stories, { title: 'Bee', points: 1.3 });
    clock.set('2026-11-17T10:00:00Z');
    const page = await openPage(`${url}/b/rocket/reports`);
    const table = async (name: string): Promise<string[][]> => {
      await part(page, name).getByRole('button', { name: 'Show as table' }).click();
      await part(page, name).getByRole('row').nth(1).waitFor();
      const rows = await part(page, name).getByRole('row').all();
      return Promise.all(rows.map(async (row) => (await row.innerText()).split('\t').slice(1)));
    };
    expect(await table('Burndown')).toEqual([
      ['Scope', 'Completed', 'Remaining', 'Ideal'],
      ['3.3', '2', '1.3', '1.65'],
      ['3.3', '2', '1.3', '0'],
    ]);
    expect(await table('Burn-up')).toEqual([
      ['Scope', 'Completed', 'Ideal'],
      ['3.3', '2', '1.65'],
      ['3.3', '2', '3.3'],
    ]);
  });

  test('show the new day after midnight in the time zone of the board', async () => {
    const { client, url, clock } = await startService();
    await client.post('/api/boards', { name: 'rocket', time_zone: 'Asia/Tokyo' });
    // 23:59 in Tokyo.
    clock.set('2026-11-17T14:59:00Z');
    const sprint = { name: 'S1', start_date: '2026-11-16', end_date: '2026-11-20' };
    const { body } = await client.post('/api/boards/rocket/sprints', sprint);
    await client.post(`/api/sprints/${body.id}/stories`, { title: 'Ant' });
    const page = await openPage('about:blank');
    await page.clock.install({ time: '2026-11-17T14:59:00Z' });
    await page.goto(`${url}/b/rocket/reports`);
    await part(page, 'Burn-up').getByRole('img').waitFor();
    await part(page, 'Burndown').getByRole('button', { name: 'Show as table' }).click();
    const row = (day: string) => part(page, 'Burndown').getByRole('row', { name: day });
    await row('Nov 17').waitFor();
    expect(await row('Nov 18').count()).toBe(0);
    const picture = page.waitForRequest(/kind=burnup/);
    clock.set('2026-11-17T15:00:30Z');
    await page.clock.fastForward(90_000);
    await row('Nov 18').waitFor();
    await picture;
  });

  test('name the day of the commitment and its time in the time zone of the board', async () => {
    const { client, url, clock } = await startService();
    await client.post('/api/boards', { name: 'rocket', time_zone: 'Asia/Tokyo' });
    clock.set('2026-11-16T10:00:00Z');
    const sprint = { name: 'S1', start_date: '2026-11-16', end_date: '2026-11-27' };
    const { body } = await client.post('/api/boards/rocket/sprints', sprint);
    // On the next day in Tokyo.
    clock.set('2026-11-19T20:00:00Z');
    await client.post(`/api/sprints/${body.id}/stories`, { title: 'Ant' });
    const options = { locale: 'en-US', timezoneId: 'Europe/Berlin' };
    const page = await openPage(`${url}/b/rocket/reports`, options);
    await page.getByText('in the sprint so far today, November 20').waitFor();
    clock.set('2026-11-21T10:00:00Z');
    await page.reload();
    await page.getByText('in the sprint at the end of November 20').waitFor();
    await client.post(`/api/sprints/${body.id}/start`, {});
    await page.reload();
    await page.getByText(/started, Nov 21, 2026, 7:00\sPM \(Asia\/Tokyo\)\./).waitFor();
    const there = await openPage(page.url(), { ...options, timezoneId: 'Asia/Tokyo' });
    await there.getByText(/started, Nov 21, 2026, 7:00\sPM\./).waitFor();
  });

  test('list the committed, added, removed, re-estimated, completed and unfinished stories', async () => {
    const service = await startDemo();
    const page = await openReports(service);
    const { body: report } = await service.client.get('/api/boards/Demo/sprints/current/report');
    const names = {
      Committed: report.committed,
      Added: report.added,
      Removed: report.removed,
      'Re-estimated': report.re_estimated,
      Completed: report.completed,
      Unfinished: report.unfinished,
    };
    for (const [name, { count, points, stories }] of Object.entries<any>(names)) {
      const group = part(page, name);
      expect(await group.innerText()).toContain(`${points} point`);
      expect(await group.innerText()).toContain(`${count} stor`);
      const more = group.getByRole('button', { name: 'Show more' });
      if (await more.count()) await more.click();
      expect(await group.getByRole('link').allInnerTexts()).toEqual(
        stories.map(({ title }: any) => title),
      );
    }
    const [first] = report.completed.stories;
    await part(page, 'Completed').getByRole('link', { name: first.title }).click();
    await page.getByRole('dialog', { name: first.title }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/b/Demo/reports/stories/${first.id}`);
  });

  test('show the forecast as text, for the work in the URL', async () => {
    const service = await startDemo();
    const page = await openReports(service, '', { locale: 'en-GB' });
    const forecast = async (search: string): Promise<any> => {
      const { body } = await service.client.get(`/api/boards/Demo/forecast${search}`);
      const day = new Intl.DateTimeFormat('en-GB', {
        day: 'numeric',
        month: 'long',
        timeZone: 'UTC',
      });
      const [, { date, sprints }] = body.when;
      return { done: `done by ${day.format(new Date(date))}`, sprints, next: body.next_sprint[1] };
    };
    const whole = await forecast('');
    await part(page, 'Forecast').getByText('With 85 % confidence the backlog is').waitFor();
    const words = await part(page, 'Forecast').innerText();
    expect(words).toContain(whole.done);
    expect(words).toContain(`(${whole.sprints} sprints)`);
    expect(words).toContain(`the next sprint completes at least ${whole.next.points} points`);
    await page.getByLabel('Stories', { exact: true }).fill('3');
    await page.getByLabel('Points', { exact: true }).fill('400');
    await page.getByLabel('Sprint days', { exact: true }).fill('7');
    await part(page, 'Forecast').getByText('confidence 400 points of work are').waitFor();
    expect(new URL(page.url()).search).toBe('?points=400&sprint_days=7');
    const asked = await forecast('?points=400&sprint_days=7');
    expect(asked.sprints).toBeGreaterThan(whole.sprints);
    await part(page, 'Forecast').getByText(`(${asked.sprints} sprints)`).waitFor();
    await page.reload();
    await part(page, 'Forecast').getByText(`(${asked.sprints} sprints)`).waitFor();
    await page.getByLabel('Points', { exact: true }).fill('1,000');
    const wrong = 'Digits with at most two decimals. Write 1000 without a separator.';
    await part(page, 'Forecast').getByText(wrong).waitFor();
    expect(await page.getByLabel('Points', { exact: true }).getAttribute('aria-invalid')).toBe(
      'true',
    );
    await part(page, 'Forecast').getByText('confidence').waitFor({ state: 'detached' });
  });

  test('say that a forecast needs three completed sprints', async () => {
    const service = await startService();
    await service.client.post('/api/boards', { name: 'Empty' });
    const page = await openPage('about:blank');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(`${service.url}/b/Empty/reports`);
    await part(page, 'Forecast').getByText('needs at least three').waitFor();
    await part(page, 'Velocity').getByText('the first completed sprint').waitFor();
    expect(await page.getByRole('img').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    // The service would reject the requests.
    expect(requested.filter((url) => url.includes('/forecast'))).toEqual([]);
  });

  test('show a forecast as soon as three sprints are completed', async () => {
    const { client, url } = await startService();
    const page = await openPage('about:blank');
    for (let i = 1; i <= 3; i += 1) {
      const sprint = {
        name: `Sprint ${i}`,
        start_date: day(-28 + 7 * i),
        end_date: day(-22 + 7 * i),
      };
      const { body } = await client.post('/api/boards/rocket/sprints', sprint);
      const story = { title: `Story ${i}`, points: 5, status: 'done' };
      await client.post(`/api/sprints/${body.id}/stories`, story);
      if (i === 3) {
        await page.goto(`${url}/b/rocket/reports`);
        await part(page, 'Forecast').getByText('needs at least three').waitFor();
      }
      await client.post(`/api/sprints/${body.id}/complete`, {});
    }
    await page.getByRole('img', { name: 'Forecast of rocket: ' }).waitFor();
  });

  test('show another sprint, which is in the URL', async () => {
    const service = await startDemo();
    const page = await openReports(service);
    await page.getByLabel('Sprint', { exact: true }).selectOption('Sprint 9');
    await page.getByRole('img', { name: 'Burndown of Sprint 9' }).waitFor();
    await page.reload();
    await page.getByRole('img', { name: 'Burndown of Sprint 9' }).waitFor();
    await part(page, 'Unfinished').getByText('→').first().waitFor();
  });

  test('show nothing of another sprint if the connection is lost', async () => {
    const service = await startDemo();
    const page = await openReports(service);
    await part(page, 'Burndown').getByRole('button', { name: 'Show as table' }).click();
    await part(page, 'Burndown').getByRole('row').nth(1).waitFor();
    await route(page, /\/(report|burndown)(\?|$)/, (route) => route.abort());
    await page.getByLabel('Sprint', { exact: true }).selectOption('Sprint 9');
    const sprint = part(page, 'Sprint 9');
    for (const name of ['Burndown', 'Burn-up', 'Sprint report']) {
      await sprint
        .getByRole('region', { name, exact: true })
        .getByText('The service cannot be reached. Trying again…')
        .waitFor();
    }
    expect(await sprint.getByRole('img').count()).toBe(0);
    expect(await sprint.getByRole('table').count()).toBe(0);
    await page.unroute(/\/(report|burndown)(\?|$)/);
    await page.getByRole('img', { name: 'Burn-up of Sprint 9' }).waitFor();
  });

  test('move the focus to the stories that “Show more” adds', async () => {
    const service = await startDemo();
    const page = await openReports(service);
    const group = part(page, 'Committed');
    const { body } = await service.client.get('/api/boards/Demo/sprints/current/report');
    await group.getByRole('button', { name: 'Show more' }).click();
    await page.waitForFunction(
      (title) => document.activeElement?.textContent === title,
      body.committed.stories[6].title,
    );
  });

  test('show an error for points that are no number or have a thousands separator', async () => {
    const page = await openReports(await startDemo());
    const points = page.getByLabel('Points', { exact: true });
    for (const text of ['1,000', '1e2']) {
      await points.fill(text);
      await page.locator('[aria-invalid=true]').waitFor();
      expect(await points.getAttribute('aria-invalid')).toBe('true');
      await points.fill('1,5');
      await page.getByText('1.5 points of work').waitFor();
    }
  });

  test('show why the forecast was rejected', async () => {
    const service = await startDemo();
    const page = await openReports(service);
    await route(page, '**/forecast?points=4', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'forbidden', detail: 'The token is for other boards.' }),
      }),
    );
    await page.getByLabel('Points', { exact: true }).fill('4');
    await page.getByRole('alert').getByText('The token is for other boards.').waitFor();
  });

  test('offer files to download', async () => {
    const service = await startDemo();
    const page = await openReports(service);
    for (const format of ['CSV', 'SVG', 'PNG']) {
      const started = page.waitForEvent('download');
      await part(page, 'Burn-up').getByRole('link', { name: format }).click();
      const download = await started;
      expect(await download.failure()).toBeNull();
      expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${format.toLowerCase()}$`));
    }
  });

  test('follow the changes of the board', async () => {
    const service = await startDemo();
    const page = await openReports(service);
    const { body: report } = await service.client.get('/api/boards/Demo/sprints/current/report');
    const [{ id, points }] = report.unfinished.stories;
    await service.client.put(`/api/stories/${id}`, { status: 'done' });
    // The story itself may be behind “Show more”: the demo has more completed stories each day.
    await part(page, 'Completed')
      .getByText(`${report.completed.points + points} points`)
      .waitFor();
  });

  test.each([
    ['light', { width: 1280, height: 800 }],
    ['dark', { width: 390, height: 844 }],
  ] as const)('have no errors in axe (%s) and fit the window', async (colorScheme, viewport) => {
    const service = await startDemo();
    const page = await openReports(service, '', { colorScheme, viewport });
    expect(await axe(page)).toEqual([]);
    await part(page, 'Burndown').getByRole('button', { name: 'Show as table' }).click();
    await part(page, 'Burndown').getByRole('row').nth(1).waitFor();
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    const src = await page.getByRole('img', { name: 'Velocity of Demo' }).getAttribute('src');
    const { text } = await service.client.get(
      `/api/boards/Demo/velocity?format=svg&width=360&theme=${colorScheme}`,
    );
    const [background] = /fill="#\w+"/.exec(text) ?? [];
    expect(decodeURIComponent(src ?? '')).toContain(background);
  });
});
