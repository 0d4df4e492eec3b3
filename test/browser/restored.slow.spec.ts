import { copyFileSync, rmSync } from 'node:fs';
import { command } from '../support/command';
import { createDatabase } from '../support/databases';
import { afterwards } from '../support/faults';
import { Program } from '../support/program';
import { card, drawn, hold, openPage } from './browser';
import { day, openStream, revisionOf } from './small-board';

test('the page reads the board again after a backup was restored, with the changes made meanwhile', async () => {
  const database = await createDatabase('sqlite');
  afterwards(() => database.drop());
  const file = database.url.replace('sqlite:', '');
  const service = await Program.start(database);
  const { port, client } = service;
  const sprint = { start_date: day(-1), end_date: day(5) };
  const made = await client.post('/api/boards/rocket/sprints', sprint);
  const { body } = await client.post('/api/boards/rocket/sprints/current/stories', {
    title: 'Ant',
  });
  expect((await command(database, 'backup', `${file}.backup`)).code).toBe(0);
  afterwards(() => rmSync(`${file}.backup`));

  const page = await openPage(`${service.url}/b/rocket`);
  await card(page, 'To do', 'Ant').waitFor();
  await client.put(`/api/stories/${body.id}`, { status: 'done' });
  await client.put(`/api/sprints/${made.body.id}`, { name: 'Not in the backup' });
  await page.getByRole('heading', { level: 1, name: 'Not in the backup' }).waitFor();
  await card(page, 'Done', 'Ant').waitFor();
  await service.end('SIGTERM');
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  copyFileSync(`${file}.backup`, file);

  const sprints = await hold(page, /^\/api\/boards\/rocket\/sprints$/);
  await Program.start(database, { port });
  await sprints.arrived;
  const events = await openStream({ client });
  await events.reaches(
    revisionOf(await client.put(`/api/sprints/${made.body.id}`, { name: 'After the backup' })),
  );
  await drawn(page);
  sprints.release();
  await card(page, 'To do', 'Ant').waitFor();
  await page.getByRole('heading', { level: 1, name: 'After the backup' }).waitFor();
});
