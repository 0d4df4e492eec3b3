import type { TestApp } from '../support/app';
import { startService } from './browser';
import { day } from './small-board';

export interface Plan {
  service: TestApp;
  /** The address of the plan. */
  url: string;
  sprints: number[];
  ids: Record<string, number>;
}

/** Starts a service with the board “rocket”: a completed sprint of 8 points, an active and a planned one, a backlog. */
export async function startPlan(): Promise<Plan> {
  const service = await startService();
  const { client } = service;
  const ids: Record<string, number> = {};
  const sprints: number[] = [];
  const add = async (path: string, stories: object[]): Promise<void> => {
    for (const story of stories) {
      const { body } = await client.post(path, story);
      ids[body.title] = body.id;
    }
  };
  const lists = [
    {
      sprint: { name: 'Sprint 1', start_date: day(-17), end_date: day(-4) },
      stories: [{ title: 'Yak', points: 8, status: 'done' }],
    },
    {
      sprint: { name: 'Sprint 2', goal: 'It flies.', start_date: day(-3), end_date: day(10) },
      stories: [
        { title: 'Ant', points: 5 },
        { title: 'Bee', points: 3, status: 'done' },
      ],
    },
    {
      sprint: { name: 'Sprint 3', start_date: day(11), end_date: day(24) },
      stories: [{ title: 'Cat', points: 2 }],
    },
  ];
  for (const { sprint, stories } of lists) {
    const { body } = await client.post('/api/boards/rocket/sprints', sprint);
    sprints.push(body.id);
    await add(`/api/sprints/${body.id}/stories`, stories);
  }
  await client.post(`/api/sprints/${sprints[0]}/complete`, {});
  await add('/api/boards/rocket/backlog', [
    { title: 'Dog', points: 1 },
    { title: 'Eel', points: 8, labels: ['water'] },
    { title: 'Fox', assignee: 'Mei' },
    { title: 'Gnu' },
  ]);
  return { service, url: `${service.url}/b/rocket/backlog`, sprints, ids };
}
