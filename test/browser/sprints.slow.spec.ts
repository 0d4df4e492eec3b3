import {
  axe,
  card,
  hold,
  openPage,
  reloadUnasked,
  route,
  startService,
  titles,
  until,
} from './browser';
import { startPlan } from './plan-board';
import { day } from './small-board';

/** Opens a plan, and in it the dialog that edits Sprint 3. */
async function editSprint3() {
  const plan = await startPlan();
  const page = await openPage(plan.url);
  await page.getByRole('button', { name: 'Change Sprint 3' }).click();
  await page.getByRole('menuitem', { name: 'Edit sprint' }).click();
  return { plan, page, dialog: page.getByRole('dialog') };
}

/** Renames Sprint 3 to Landing; the service gets the request when `held` is released. */
async function saveSprint3() {
  const { plan, page, dialog } = await editSprint3();
  await dialog.getByLabel('Name').fill('Landing');
  const held = await hold(page, /\/api\/sprints\/\d+$/, 'PUT');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await held.arrived;
  return { plan, page, dialog, held };
}

describe('Sprints in the browser', () => {
  test('are reopened with the command palette, too', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url.replace('backlog', `?sprint=${plan.sprints[0]}`));
    await card(page, 'Done', 'Yak').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command or story' }).fill('reopen');
    await page.getByRole('option', { name: 'Reopen sprint: Sprint 1' }).click();
    await page.getByRole('button', { name: 'Reopen sprint' }).click();
    await page.getByRole('status').getByText('Reopened Sprint 1').waitFor();
  });

  test('are created with suggested dates after the last one', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'New sprint' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Sprint 4');
    expect(await dialog.getByLabel('Start date').inputValue()).toBe(day(25));
    expect(await dialog.getByLabel('End date').inputValue()).toBe(day(38));
    const [start, end] = await Promise.all(
      ['Start date', 'End date'].map((name) => dialog.getByLabel(name).boundingBox()),
    );
    expect(start!.x + start!.width).toBeLessThan(end!.x);
    await dialog.getByLabel('Goal').fill('It lands.');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await dialog.getByRole('button', { name: 'Create' }).click();
    expect((await sent).headers()['idempotency-key']).toBeTruthy();
    await page.getByRole('region', { name: 'Sprint 4' }).getByText('It lands.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await plan.service.client.get('/api/boards/rocket/sprints');
    expect(body.at(-1)).toMatchObject({
      name: 'Sprint 4',
      goal: 'It lands.',
      start_date: day(25),
      end_date: day(38),
    });
  });

  test('are created once if the response is lost and the dialog is opened again', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'New sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Goal').fill('It lands.');
    await route(page, '**/batch', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.unroute('**/batch');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit again' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await plan.service.client.get('/api/boards/rocket/sprints');
    expect(body.filter(({ goal }: any) => goal === 'It lands.')).toHaveLength(1);
  });

  test('keep the suggested length when their start date is changed, until the end date is', async () => {
    const { url } = await startPlan();
    const page = await openPage(url);
    await page.getByRole('button', { name: 'New sprint' }).click();
    const dialog = page.getByRole('dialog');
    const [start, end] = [dialog.getByLabel('Start date'), dialog.getByLabel('End date')];
    await start.fill(day(30));
    expect(await end.inputValue()).toBe(day(43));
    await end.fill(day(35));
    await start.fill(day(31));
    expect(await end.inputValue()).toBe(day(35));
  });

  test('of another year show the year, and no remaining days before they start', async () => {
    const { client, url } = await startService();
    const path = '/api/boards/rocket/sprints';
    const one = { name: 'One', start_date: '2730-01-07', end_date: '2730-01-18' };
    const { body } = await client.post(path, one);
    await client.post(path, { name: 'Two', start_date: '2730-02-07' });
    const page = await openPage(`${url}/b/rocket`, { locale: 'en-US' });
    await page.getByText('One starts on January 7, 2730.').waitFor();
    await page.getByRole('link', { name: 'Open One' }).click();
    await page.getByText('Jan 7, 2730 – Jan 18, 2730').waitFor();
    await page.getByText(/^\d+ working days$/).waitFor();
    await page.getByRole('button', { name: 'All sprints' }).click();
    await page.getByRole('menuitem', { name: 'Two – Planned, from Feb 7, 2730' }).waitFor();
    await page.goto(`${url}/b/rocket/reports?sprint=${body.id}`);
    await page.getByText('The burndown begins on January 7, 2730.').waitFor();
    await page.goto(`${url}/b/rocket?sprint=77`);
    await page.getByRole('heading', { name: 'Sprint not found' }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('starts on');
  });

  test('that do not exist any more are replaced by a link to the current one', async () => {
    const { service, sprints } = await startPlan();
    await service.client.delete(`/api/sprints/${sprints[2]}`);
    const page = await openPage(`${service.url}/b/rocket?sprint=${sprints[2]}`);
    await page.getByRole('heading', { name: 'Sprint not found' }).waitFor();
    await page.getByRole('link', { name: 'Open Sprint 2' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sprint 2' }).waitFor();
    expect(page.url()).toBe(`${service.url}/b/rocket`);
  });

  test('that someone else creates or changes during a read are read once more after it', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'New sprint' }).waitFor();
    let reads = 0;
    page.on('request', (request) => (reads += Number(request.url().endsWith('/sprints'))));
    const first = await hold(page, /\/sprints$/);
    const operations = Array.from({ length: 60 }, (_, i) => ({
      op: 'create',
      type: 'sprint',
      set: { name: `Next ${i}`, start_date: day(40 + i), end_date: day(40 + i) },
    }));
    await plan.service.client.post('/api/boards/rocket/batch', { operations });
    await first.arrived;
    await page.getByRole('region', { name: 'Next 59' }).waitFor();
    expect(reads).toBe(1);
    const second = page.waitForRequest((request) => request.url().endsWith('/sprints'));
    first.release();
    await (await second).response();
    expect(reads).toBe(2);
  });

  test('that someone else completes leave a message on their board', async () => {
    const plan = await startPlan();
    const page = await openPage(`${plan.service.url}/b/rocket`);
    await card(page, 'To do', 'Ant').waitFor();
    await plan.service.client.post(`/api/sprints/${plan.sprints[1]}/complete`, {});
    await page.getByRole('heading', { name: 'No active sprint' }).waitFor();
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('Someone completed Sprint 2').waitFor();
    await page.getByText('Sprint 3 starts on').waitFor();
    // The page links to the report of the completed sprint, and to all sprints.
    await page.getByRole('button', { name: 'All sprints' }).click();
    await page.getByRole('menuitem', { name: 'Sprint 2 – Completed' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Report of Sprint 2' }).click();
    await page.getByRole('region', { name: 'Sprint 2' }).waitFor();
  });

  test('say which sprints they overlap', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'New sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Start date').waitFor();
    expect(await dialog.getByText('It overlaps').count()).toBe(0);
    await dialog.getByLabel('End date').fill(day(30));
    await dialog.getByLabel('Start date').fill(day(10));
    await dialog.getByText('It overlaps Sprint 2, Sprint 3.').waitFor();
    await dialog.getByLabel('Start date').fill(day(24));
    await dialog.getByText('It overlaps Sprint 3.').waitFor();
    await dialog.getByLabel('Start date').fill('');
    await dialog.getByText('It overlaps').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Change Sprint 3' }).click();
    await page.getByRole('menuitem', { name: 'Edit sprint' }).click();
    await dialog.getByLabel('Start date').waitFor();
    expect(await dialog.getByText('It overlaps').count()).toBe(0);
    await dialog.getByLabel('Start date').fill(day(10));
    await dialog.getByText('It overlaps Sprint 2.').waitFor();
  });

  test('are not created on a board that was deleted meanwhile', async () => {
    const { service, url } = await startPlan();
    const page = await openPage('about:blank');
    await route(page, '**/stream?*', (route) => route.abort());
    await page.goto(url);
    await page.getByRole('button', { name: 'New sprint' }).click();
    await service.client.delete('/api/boards/rocket?force=true');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('There is no board with this name.').first().waitFor();
    expect((await service.client.get('/api/boards')).body).toEqual([]);
  });

  test('show the error of a field when they are created', async () => {
    const { url } = await startPlan();
    const page = await openPage(url);
    await page.getByRole('button', { name: 'New sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Start date').fill('0900-01-01');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.waitForFunction(() => document.querySelector('[aria-invalid=true]'));
    expect(await dialog.getByLabel('Start date').getAttribute('aria-invalid')).toBe('true');
  });

  test('are not created with a date that does not exist', async () => {
    const { service, url } = await startPlan();
    const page = await openPage(url, { locale: 'en-US' });
    await page.getByRole('button', { name: 'New sprint' }).click();
    const dialog = page.getByRole('dialog');
    const end = dialog.getByLabel('End date');
    await end.click({ position: { x: 12, y: 12 } });
    await page.keyboard.type('02312130');
    await page.keyboard.press('Enter');
    await dialog.getByText('This date is incomplete or does not exist.').waitFor();
    await until(page, 'document.activeElement.getAttribute("aria-invalid")', 'true');
    expect((await service.client.get('/api/boards/rocket/sprints')).body).toHaveLength(3);
    await end.fill('2130-02-28');
    expect(await end.getAttribute('aria-invalid')).toBeNull();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await service.client.get('/api/boards/rocket/sprints');
    expect(body.at(-1)).toMatchObject({ end_date: '2130-02-28' });
  });

  test('keep what was typed when a dialog is closed with Esc, until it is cancelled', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const dialog = page.getByRole('dialog');
    const goal = dialog.getByLabel('Goal');
    await page.getByRole('button', { name: 'New sprint' }).click();
    await goal.fill('It lands.');
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('“Sprint 4” is not saved').waitFor();
    await page.getByRole('button', { name: 'Edit again' }).click();
    expect(await goal.inputValue()).toBe('It lands.');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'New sprint' }).click();
    expect(await goal.inputValue()).toBe('');
    await page.keyboard.press('Escape');

    const edit = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Change Sprint 3' }).click();
      await page.getByRole('menuitem', { name: 'Edit sprint' }).click();
      await goal.waitFor();
    };
    await edit();
    await goal.fill('It returns.');
    await page.keyboard.press('Escape');
    const { client } = plan.service;
    const { body } = await client.get('/api/boards/rocket/sprints');
    const { id } = body.find(({ name }: { name: string }) => name === 'Sprint 3');
    await client.put(`/api/sprints/${id}`, { goal: 'It burns.' });
    await edit();
    expect(await goal.inputValue()).toBe('It returns.');
    await goal.press('Control+Enter');
    await dialog.getByText('Someone else has changed this sprint.').waitFor();
    await dialog.getByRole('button', { name: 'Apply mine again' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await client.get(`/api/sprints/${id}`)).body.goal).toBe('It returns.');
  });

  test('are changed, with an error at the field that is wrong', async () => {
    const { page, dialog } = await editSprint3();
    await dialog.getByLabel('End date').fill(day(5));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The end date is before the start date.').waitFor();
    expect(await dialog.getByLabel('End date').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('End date').fill('0900-01-01');
    await dialog.getByLabel('Start date').fill('0899-01-01');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('[aria-invalid=true]').first().waitFor();
    expect(await dialog.getByLabel('Start date').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Start date').fill(day(12));
    await dialog.getByLabel('End date').fill('');
    await dialog.getByLabel('Name').fill('Landing');
    await dialog.getByLabel('Goal').focus();
    await page.keyboard.insertText('g'.repeat(2001));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('textarea[aria-invalid=true]').waitFor();
    await dialog.getByLabel('Goal').fill('');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect((await sent).headers()['if-match']).toMatch(/^".+"$/);
    expect((await sent).postDataJSON()).toEqual({
      name: 'Landing',
      start_date: day(12),
      end_date: null,
    });
    await card(page, 'Landing', 'Cat').waitFor();
  });

  test('are not overwritten if someone else has changed them', async () => {
    const { plan, page, dialog } = await editSprint3();
    await dialog.getByLabel('Name').fill('Mine');
    await dialog.getByLabel('End date').fill('2130-12-24');
    await plan.service.client.put(`/api/sprints/${plan.sprints[2]}`, { goal: 'Theirs' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Keep theirs' }).waitFor();
    // The button Save, which had the focus, is removed.
    await until(page, 'document.activeElement.textContent', 'Edit Sprint 3');
    const differences = dialog.getByRole('list', { name: 'Theirs and mine' });
    expect(await differences.getByRole('listitem').allInnerTexts()).toEqual([
      'Name: theirs Sprint 3, mine Mine',
      expect.stringMatching(/^End date: theirs [A-Z][a-z]{2} \d+, \d{4}, mine Dec 24, 2130$/),
    ]);
    expect(await dialog.getByLabel('Goal').inputValue()).toBe('Theirs');
    await dialog.getByRole('button', { name: 'Apply mine again' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await plan.service.client.get(`/api/sprints/${plan.sprints[2]}`);
    expect(body).toMatchObject({ name: 'Mine', goal: 'Theirs', end_date: '2130-12-24' });
  });

  test('keep nothing that was typed once they are deleted', async () => {
    const { plan, page, dialog } = await editSprint3();
    await dialog.getByLabel('Name').fill('Mine');
    await plan.service.client.delete(`/api/sprints/${plan.sprints[2]}`);
    await page.getByRole('region', { name: 'Sprint 3' }).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This sprint was deleted.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The page is left without a question.
    await reloadUnasked(page);
  });

  test('keep what is typed while they are saved', async () => {
    const { plan, dialog, held } = await saveSprint3();
    await dialog.getByLabel('Goal').fill('It lands.');
    held.release();
    await dialog.getByRole('heading', { name: 'Edit Landing' }).waitFor();
    expect(await dialog.getByLabel('Goal').inputValue()).toBe('It lands.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await plan.service.client.get(`/api/sprints/${plan.sprints[2]}`);
    expect(body).toMatchObject({ name: 'Landing', goal: 'It lands.' });
  });

  test('close no other dialog when they are saved after their own was closed', async () => {
    const { page, dialog, held } = await saveSprint3();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await dialog.getByLabel('Title').fill('Hen');
    held.release();
    await dialog.getByRole('status').getByText('Saved Landing').waitFor();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Hen');
  });

  test('are deleted after a question that says where their stories go', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'Change Sprint 2' }).click();
    await page.getByRole('menuitem', { name: 'Delete sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its 2 stories move to the end of the backlog').waitFor();
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await dialog.getByRole('button', { name: 'Delete sprint' }).click();
    expect((await sent).headers()['if-match']).toMatch(/^".+"$/);
    await page.getByRole('list', { name: 'Sprint 2' }).waitFor({ state: 'detached' });
    await card(page, 'Backlog', 'Bee').waitFor();
    expect(await titles(page, 'Backlog')).toEqual(['Dog', 'Eel', 'Fox', 'Gnu', 'Ant', 'Bee']);
  });

  test('are not undone, and neither is what was changed before them', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Backlog', 'Dog').focus();
    await page.keyboard.press('2');
    await page.getByRole('status').getByText('Moved “Dog” to In progress').waitFor();
    await page.getByRole('button', { name: 'Change Sprint 3' }).click();
    await page.getByRole('menuitem', { name: 'Delete sprint' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete sprint' }).click();
    await page.getByRole('list', { name: 'Sprint 3' }).waitFor({ state: 'detached' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await page.getByRole('status').getByText('Not undone: Deleted Sprint 3.').waitFor();
    await page.keyboard.press('z');
    await page.getByRole('status').getByText('Undone: Move “Dog” to In progress').waitFor();
  });

  test('start after a question that says what they commit to', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'Start sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 stories, 8 points').waitFor();
    await dialog.getByText('8 points, average 8').waitFor();
    await dialog.getByText('(average of the last sprint)').waitFor();
    const sent = page.waitForRequest((request) => /\/start$/.test(request.url()));
    await dialog.getByRole('button', { name: 'Start sprint' }).click();
    expect((await sent).headers()['if-match']).toMatch(/^".+"$/);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start sprint' }).waitFor({ state: 'detached' });
    const { body } = await plan.service.client.get(`/api/sprints/${plan.sprints[1]}`);
    expect(body.started_at).not.toBeNull();
  });

  test('start and are completed by Enter in the question, and are not deleted by it', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    const dialog = page.getByRole('dialog');
    const focusedText = 'document.activeElement.innerText';
    await page.getByRole('button', { name: 'Change Sprint 2' }).click();
    await page.getByRole('menuitem', { name: 'Delete sprint' }).click();
    await until(page, focusedText, 'Cancel');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start sprint' }).click();
    await dialog.waitFor();
    await until(page, focusedText, 'Start sprint');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Started Sprint 2').waitFor();
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    await dialog.getByText('1 story is not done').waitFor();
    await until(page, focusedText, 'Complete sprint');
    await page.keyboard.press('Enter');
    await dialog.getByText('1 unfinished story moved to Sprint 3').waitFor();
  });

  test('start and are completed by the command palette', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await card(page, 'Sprint 2', 'Ant').focus();
    const run = async (command: string, name: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByLabel('Command or story').fill(command);
      await page.getByRole('option', { name }).waitFor();
      await page.keyboard.press('Enter');
    };
    await run('start', 'Start sprint: Sprint 2');
    await page.getByRole('dialog', { name: 'Start Sprint 2' }).waitFor();
    await page.keyboard.press('Escape');
    await run('complete sprint', 'Complete sprint: Sprint 2');
    await page.getByRole('dialog', { name: 'Complete Sprint 2' }).waitFor();
  });

  test('have a button to start the next one, unless another is not completed', async () => {
    const { client, url } = await startService();
    await client.post('/api/boards/rocket/sprints', { name: 'Sprint 1', start_date: day(5) });
    await client.post('/api/boards/rocket/sprints', { name: 'Sprint 2', start_date: day(20) });
    const page = await openPage(`${url}/b/rocket/backlog`);
    await page.getByRole('button', { name: 'Change Sprint 2' }).waitFor();
    expect(await page.getByRole('button', { name: 'Start sprint' }).count()).toBe(1);
    await page.goto(`${url}/b/rocket?sprint=1`);
    await page.getByRole('button', { name: 'Start sprint' }).click();
    await page.getByRole('dialog', { name: 'Start Sprint 1' }).waitFor();
    expect(await page.getByText('is not completed').count()).toBe(0);
  });

  test('start before their date, which moves it to today', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'Change Sprint 3' }).click();
    await page.getByRole('menuitem', { name: 'Start sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('moves its start date to today').waitFor();
    await dialog.getByText(/so it has 1[789] working days instead of 10\./).waitFor();
    await dialog.getByText('is not completed. If you complete it first').waitFor();
    await dialog.getByRole('button', { name: 'Start sprint' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await plan.service.client.get(`/api/sprints/${plan.sprints[2]}`);
    expect(body).toMatchObject({ state: 'active', start_date: day(0) });
    expect(body.started_at).not.toBeNull();
  });

  test('start today by the clock of the service, even if that of the browser is a year behind', async () => {
    const plan = await startPlan();
    const page = await openPage('about:blank');
    await page.clock.install({ time: Date.now() - 365 * 86_400_000 });
    await page.goto(plan.url);
    await page.getByRole('button', { name: 'Change Sprint 3' }).click();
    await page.getByRole('menuitem', { name: 'Start sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/so it has 1[789] working days instead of 10\./).waitFor();
    await dialog.getByRole('button', { name: 'Start sprint' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await plan.service.client.get(`/api/sprints/${plan.sprints[2]}`);
    expect(body).toMatchObject({ state: 'active', start_date: day(0) });
  });

  test('that start early without more working days say only when they end', async () => {
    const { client, url } = await startService();
    const working_days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    working_days.splice(new Date().getUTCDay(), 1);
    await client.post('/api/boards', { name: 'rocket', working_days });
    const dates = { start_date: day(1), end_date: day(14) };
    await client.post('/api/boards/rocket/sprints', { name: 'Sprint 1', ...dates });
    const page = await openPage(`${url}/b/rocket/backlog`);
    await page.getByRole('button', { name: 'Start sprint' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start Sprint 1' });
    await dialog.getByText('moves its start date to today').waitFor();
    await dialog.getByText(/^The sprint ends on [^,]+, \d+\.$/).waitFor();
  });

  test('start before their date entirely or not at all, and once if the response is lost', async () => {
    const plan = await startPlan();
    const { client } = plan.service;
    const before = (await client.get('/api/boards/rocket')).body.revision;
    const page = await openPage(plan.url);
    let attempts = 0;
    await route(page, '**/batch', async (route) => {
      attempts += 1;
      // The first request does not arrive; the response to the second one is lost.
      if (attempts === 2) await route.fetch();
      return attempts > 2 ? route.continue() : route.abort();
    });
    await page.getByRole('button', { name: 'Change Sprint 3' }).click();
    await page.getByRole('menuitem', { name: 'Start sprint' }).click();
    const dialog = page.getByRole('dialog');
    const start = dialog.getByRole('button', { name: 'Start sprint' });
    await start.click();
    await dialog.getByText('The service cannot be reached').waitFor();
    const path = `/api/sprints/${plan.sprints[2]}`;
    expect((await client.get(path)).body).toMatchObject({ state: 'planned', started_at: null });
    await start.click();
    await page.waitForFunction(() => !document.querySelector('dialog [aria-disabled=true]'));
    await start.click();
    await dialog.waitFor({ state: 'detached' });
    expect(attempts).toBe(3);
    const { body } = await client.get(`/api/boards/rocket/events?after=${before}`);
    expect(body.map(({ type }: any) => type)).toEqual(['sprint.updated', 'sprint.started']);
  });

  test('are completed from the board after a question that shows what happens, and reopened', async () => {
    const plan = await startPlan();
    const page = await openPage(`${plan.service.url}/b/rocket`);
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 story is done (3 points)').waitFor();
    const unfinished = dialog.getByRole('list', { name: 'Unfinished stories' });
    expect(await unfinished.getByRole('listitem').allInnerTexts()).toEqual(['Ant\n5']);
    expect(await dialog.getByLabel('Move it to').inputValue()).toBe(String(plan.sprints[2]));
    await dialog.getByLabel('Place').selectOption('Last in the list');
    // Changes of others appear, too.
    await plan.service.client.post(`/api/sprints/${plan.sprints[1]}/stories`, { title: 'Hen' });
    await unfinished.getByText('Hen').waitFor();
    const sent = page.waitForRequest(
      (request) => /\/complete$/.test(request.url()) && !request.postDataJSON().dry_run,
    );
    const conflicts: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 409) conflicts.push(response.url());
    });
    await dialog.getByRole('button', { name: 'Complete sprint' }).click();
    expect((await sent).headers()['if-match']).toMatch(/^".+"$/);
    expect((await sent).postDataJSON()).toEqual({
      unfinished: plan.sprints[2],
      position: 'last',
    });
    await dialog.getByText('2 unfinished stories moved to Sprint 3').waitFor();
    const row = dialog.getByRole('row', { name: 'Completed' });
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['1', '3']);
    expect(conflicts).toEqual([]);
    await dialog.getByRole('link', { name: 'Reports' }).click();
    await page.getByRole('heading', { name: 'Sprint 2' }).waitFor();
    expect(new URL(page.url()).searchParams.get('sprint')).toBe(String(plan.sprints[1]));
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await card(page, 'Sprint 3', 'Hen').waitFor();
    await card(page, 'Sprint 3', 'Cat').waitFor();
    expect(await titles(page, 'Sprint 3')).toEqual(['Cat', 'Ant', 'Hen']);

    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('button', { name: 'Change Sprint 2' }).click();
    await page.getByRole('menuitem', { name: 'Reopen sprint' }).click();
    await dialog.getByRole('button', { name: 'Reopen sprint' }).click();
    await page
      .getByRole('region', { name: 'Sprint 2' })
      .getByRole('button', { name: 'Complete sprint' })
      .waitFor();
  });

  test('have names in any direction in the sentences of dialogs and messages', async () => {
    const plan = await startPlan();
    const name = 'ספרינט (2)';
    await plan.service.client.put(`/api/sprints/${plan.sprints[1]}`, { name });
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'Start sprint' }).click();
    const dialog = page.getByRole('dialog', { name: `Start \u2068${name}\u2069` });
    await dialog.getByRole('button', { name: 'Start sprint' }).click();
    await page.getByRole('status').getByText(`Started \u2068${name}\u2069`).waitFor();
    // Elsewhere the name is as it was entered.
    await page.getByRole('list', { name, exact: true }).waitFor();
  });

  test('list their unfinished stories in the order of the sprint when they are completed', async () => {
    const { service, sprints, ids, url } = await startPlan();
    const { client } = service;
    for (const title of ['Hen', 'Jay']) {
      await client.post(`/api/sprints/${sprints[1]}/stories`, { title });
    }
    await client.post(`/api/stories/${ids.Ant}/move`, { position: 'last' });
    const page = await openPage(url);
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    const unfinished = page.getByRole('dialog').getByRole('list', { name: 'Unfinished stories' });
    await unfinished.getByText('Hen').waitFor();
    expect(await unfinished.getByRole('listitem').allInnerTexts()).toEqual([
      'Hen',
      'Jay',
      'Ant\n5',
    ]);
  });

  test('offer no action on their board that a completed sprint rejects', async () => {
    const plan = await startPlan();
    const page = await openPage(`${plan.service.url}/b/rocket?sprint=${plan.sprints[0]}`);
    const yak = card(page, 'Done', 'Yak');
    await yak.focus();
    const main = page.getByRole('main');
    expect(await main.getByRole('button', { name: /^(New story|Move)/ }).count()).toBe(0);
    expect(await main.innerText()).not.toContain('Press');
    // Its unfinished stories have left it, so that all points of the board are done.
    await main.getByText('8 points done', { exact: true }).waitFor();
    expect(await main.getByRole('progressbar').count()).toBe(0);
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByRole('status').getByText('The sprint is completed').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Sprint').locator(':checked').innerText()).toBe('Backlog');
    expect(await dialog.getByLabel('Sprint').innerText()).not.toContain('Sprint 1');
  });

  test('that ended are linked from the board, the last five of them', async () => {
    const service = await startService();
    for (let i = 0; i < 8; i += 1) {
      await service.client.post('/api/boards/rocket/sprints', {
        name: `Sprint ${i + 1}`,
        start_date: day(7 * (i - 8)),
        end_date: day(7 * (i - 8) + 6),
      });
    }
    const page = await openPage(`${service.url}/b/rocket`);
    await page.getByRole('heading', { level: 1, name: 'Sprint 8' }).waitFor();
    expect(
      await page
        .getByRole('main')
        .getByRole('link', { name: /^Sprint/ })
        .allInnerTexts(),
    ).toEqual(['Sprint 3', 'Sprint 4', 'Sprint 5', 'Sprint 6', 'Sprint 7']);
    await page.getByRole('link', { name: 'Sprint 4' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sprint 4' }).waitFor();
    await page.getByRole('button', { name: 'All sprints' }).click();
    await page.getByRole('menuitem', { name: 'Sprint 1 – Ended' }).waitFor();
    const shown = page.getByRole('menuitem', { name: 'Sprint 4 – Ended' });
    expect(await shown.getAttribute('aria-current')).toBe('true');
    expect(await shown.evaluate((item) => item === document.activeElement)).toBe(true);
  });

  test('with long names make no view wider than a phone', async () => {
    const { client, url } = await startService();
    const name = 'Sprint of the long name '.repeat(4).trim();
    const ended = { name, start_date: day(-20), end_date: day(-7) };
    await client.post('/api/boards/rocket/sprints', ended);
    await client.post('/api/boards/rocket/sprints', { start_date: day(-6), end_date: day(7) });
    await client.post('/api/boards/moon/sprints', { name, start_date: day(7) });
    const page = await openPage(`${url}/b/rocket`, { viewport: { width: 390, height: 844 } });
    await page.getByRole('link', { name }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.goto(`${url}/b/moon`);
    await page.getByRole('link', { name: `Open ${name}` }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const word = 'W'.repeat(100);
    await client.post('/api/boards/sun/sprints', { name: word, start_date: day(-6) });
    await page.goto(url);
    await page.getByText(word).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('with long names are not cut off in menus', async () => {
    const { client, url } = await startService();
    const name = 'Sprint of the long name '.repeat(4).trim();
    await client.post('/api/boards/rocket/sprints', { name, start_date: day(-6) });
    const page = await openPage(`${url}/b/rocket`);
    await page.getByRole('button', { name: 'All sprints' }).click();
    const item = page.getByRole('menuitem', { name });
    expect(await item.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  });

  test('offer a new sprint if there is no next one', async () => {
    const service = await startService();
    const { client } = service;
    const sprint = await client.post('/api/boards/rocket/sprints', {
      name: 'Sprint 1',
      start_date: day(-14),
      end_date: day(-1),
    });
    await client.post(`/api/sprints/${sprint.body.id}/stories`, { title: 'Ant' });
    const page = await openPage(`${service.url}/b/rocket`);
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('There is no next sprint.').waitFor();
    await dialog.getByText('No stories are done.').waitFor();
    await dialog.getByRole('button', { name: 'New sprint' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('1 story is not done').waitFor();
    expect(await dialog.getByLabel('Move it to').locator(':checked').innerText()).toBe(
      'Sprint 2 (next sprint)',
    );
    await dialog.getByRole('button', { name: 'Complete sprint' }).click();
    await dialog.getByText('moved to Sprint 2').waitFor();
    const { body } = await client.get('/api/boards/rocket/sprints/current/stories');
    expect(body.map(({ title }: { title: string }) => title)).toEqual(['Ant']);
  });

  test('show why they cannot be completed', async () => {
    const plan = await startPlan();
    const page = await openPage(plan.url);
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 story is not done').waitFor();
    await plan.service.client.post(`/api/sprints/${plan.sprints[1]}/complete`, {});
    await dialog.getByRole('alert').getByText('The sprint is already completed.').waitFor();
  });

  test.each(['light', 'dark'] as const)('have no errors in axe (%s)', async (colorScheme) => {
    const plan = await startPlan();
    const page = await openPage(plan.url, { colorScheme });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Complete sprint' }).click();
    await dialog.getByText('1 story is not done').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Start sprint' }).click();
    await dialog.getByText('2 stories, 8 points').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New sprint' }).click();
    await dialog.getByLabel('Name').waitFor();
    expect(await axe(page)).toEqual([]);
  });
});
