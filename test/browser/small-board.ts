import { createDatabase } from '../support/databases';
import { afterwards } from '../support/faults';
import { Program } from '../support/program';

const DAY = 86_400_000;
export const day = (offset: number): string =>
  new Date(Date.now() + offset * DAY).toISOString().slice(0, 10);

/** A service that can be killed and started again at the same address. */
export interface SmallBoard {
  service: Program;
  /** The address of the board. */
  url: string;
  sprint: number;
  /** The ids of the stories by their titles. */
  ids: Record<string, number>;
  kill(): Promise<void>;
  restart(): Promise<void>;
  story(title: string): Promise<any>;
}

/** The board “rocket” with an active sprint that has these stories to do. */
export async function startSmallBoard(
  stories: (string | { title: string; [field: string]: unknown })[] = ['Ant', 'Bee', 'Cat', 'Dog'],
): Promise<SmallBoard> {
  const database = await createDatabase('sqlite');
  afterwards(() => database.drop());
  let service = await Program.start(database);
  const { port } = service;
  const { body } = await service.client.post('/api/boards/rocket/sprints', {
    name: 'Sprint 1',
    start_date: day(-3),
    end_date: day(10),
  });
  const ids: Record<string, number> = {};
  for (const each of stories) {
    const story = typeof each === 'string' ? { title: each } : each;
    const made = await service.client.post(`/api/sprints/${body.id}/stories`, story);
    ids[story.title] = made.body.id;
  }
  return {
    get service() {
      return service;
    },
    url: `${service.url}/b/rocket`,
    sprint: body.id,
    ids,
    kill: async () => void (await service.end('SIGKILL')),
    restart: async () => void (service = await Program.start(database, { port })),
    story: async (title) => (await service.client.get(`/api/stories/${ids[title]}`)).body,
  };
}
