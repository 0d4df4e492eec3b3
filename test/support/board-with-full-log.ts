import type { TestApp } from './app';
import { made2xx, Workspace } from './make';

/**
 * Creates a board whose log has every type of event but `board.deleted`: sprints in all states, stories moved
 * within and between lists and boards, deleted rows of each kind, and a new name and time zone.
 */
export async function boardWithFullLog(service: TestApp): Promise<Workspace> {
  const { client, clock } = service;
  const post = (path: string, body?: object): Promise<any> => made2xx(client.post(path, body));
  const put = (path: string, body: object): Promise<any> => made2xx(client.put(path, body));
  const remove = (path: string): Promise<any> => made2xx(client.delete(path));
  const day = (date: string, hour = '10'): void => clock.set(`2026-${date}T${hour}:00:00.123Z`);

  day('08-28');
  // Other rows, so that the ids of the board have gaps.
  const other = await Workspace.create(client);
  const otherSprint = await other.sprint('2026-08-31');
  const board = await Workspace.create(client, 'Europe/Berlin', 'Full log');
  const deleted = await board.sprint('2026-08-24', { name: 'Deleted' });
  await board.story(deleted, { title: 'its sprint is deleted' });
  const sprints: any[] = [];
  for (const [i, start] of ['08-31', '09-14', '09-28', '10-12', '10-26'].entries()) {
    const end = new Date(Date.parse(`2026-${start}`) + 11 * 86_400_000).toISOString().slice(0, 10);
    const dates = i === 4 ? {} : { end_date: end };
    sprints.push(await board.sprint(`2026-${start}`, { name: `Sprint ${i + 1}`, ...dates }));
    await other.story(null);
  }
  await remove(`/api/sprints/${deleted.id}`);
  for (const [i, sprint] of sprints.slice(0, 4).entries()) {
    day(sprint.start_date.slice(5), '08');
    const stories: any[] = [];
    for (let k = 0; k < 6; k += 1) {
      const fields = { points: k + 0.5, labels: [`l${k}`], external_id: `X-${i}-${k}` };
      const story = await board.story(sprint, { title: `Story ${i}.${k}`, ...fields });
      await board.task(story, { title: `Task of ${i}.${k}` });
      stories.push(story);
    }
    // All but one are started explicitly; that one commits to its stories at the end of its first day.
    if (i !== 1) await post(`/api/sprints/${sprint.id}/start`, {});
    await post(`/api/stories/${stories[4].id}/move`, { position: { after: stories[0].id } });
    const later = Date.parse(sprint.start_date) + 3 * 86_400_000;
    day(new Date(later).toISOString().slice(5, 10));
    await board.story(sprint, { title: `added ${i}`, points: 2 });
    await put(`/api/stories/${stories[0].id}`, { status: 'done', points: 8 });
    await put(`/api/stories/${stories[1].id}`, { status: 'in_progress', assignee: 'Ada' });
    await put(`/api/stories/${stories[2].id}`, { sprint_id: null });
    const [task] = await made2xx<any[]>(client.get(`/api/stories/${stories[1].id}/tasks`));
    await put(`/api/tasks/${task.id}`, { status: 'done' });
    await remove(`/api/stories/${stories[3].id}`);
    if (i === 0) {
      await put(`/api/stories/${stories[5].id}`, { sprint_id: otherSprint.id });
      await put(`/api/stories/${stories[5].id}`, { sprint_id: sprints[1].id });
      const away = await board.story(sprint, { title: 'stays away' });
      await board.task(away);
      await put(`/api/stories/${away.id}`, { sprint_id: otherSprint.id });
      const foreign = await other.story(null, { title: 'from elsewhere' });
      await other.task(foreign, { title: 'comes along' });
      await put(`/api/stories/${foreign.id}`, { sprint_id: sprint.id });
      await remove(`/api/tasks/${task.id}`);
    }
    day(sprint.end_date.slice(5), '16');
    const unfinished = i === 1 ? 'backlog' : 'next';
    await post(`/api/sprints/${sprint.id}/complete`, { unfinished });
    if (i === 2) await post(`/api/sprints/${sprint.id}/reopen`, {});
    if (i === 2) await post(`/api/sprints/${sprint.id}/complete`, { unfinished: 'backlog' });
  }
  // A sprint that was completed and is open again.
  await post(`/api/sprints/${sprints[1].id}/reopen`, {});
  // A list without gaps, so that others are shifted.
  const backlog = await made2xx<any[]>(client.get(`${board.path}/backlog`));
  const [first, second] = backlog;
  await put(`/api/stories/${first.id}`, { seq: second.seq });
  await post(`/api/stories/${backlog.at(-1).id}/move`, { position: { after: first.id } });
  await put(board.path, { time_zone: 'America/New_York', working_days: ['mon', 'tue', 'sat'] });
  await put(`/api/sprints/${sprints[4].id}`, { goal: 'Ship', start_date: '2026-10-27' });
  day('11-20');
  await put(board.path, { name: `${board.name} again` });
  return Workspace.named(client, `${board.name} again`);
}
