import { createDatabase } from '../support/databases';
import { made2xx, Workspace } from '../support/make';
import { Program } from '../support/program';

const SPRINTS = 10;
/** Stories of each sprint; only one is done, so the forecast is as long as possible. */
const STORIES = 100;
/** The maximum number of sprints of a forecast: ten million draws with 10,000 trials. */
const WORK = 1000;
const FORECASTS = 16;

it('sixteen of the longest forecasts let other requests run in between', async () => {
  const database = await createDatabase();
  const filled = await Program.start(database);
  const board = await Workspace.create(filled.client);
  for (let i = 0; i < SPRINTS; i += 1) {
    const sprint = await board.sprint(`2026-01-${10 + i}`);
    const stories = Array.from({ length: STORIES }, (_, n) =>
      board.story(sprint, { points: 1, status: n === 0 ? 'done' : 'todo' }),
    );
    await Promise.all(stories);
    await made2xx(filled.client.post(`/api/sprints/${sprint.id}/complete`));
  }
  await filled.end('SIGTERM');

  // In a separate process, which has cached nothing.
  const program = await Program.start(database);
  try {
    const { client } = program;
    let pending = FORECASTS;
    const forecasts = Array.from({ length: FORECASTS }, async (_, seed) => {
      const { body } = await client.get(`${board.path}/forecast?stories=${WORK}&seed=${seed}`);
      pending -= 1;
      return body;
    });
    const waits: number[] = [];
    while (pending > 0) waits.push((await client.get(board.path)).ms);
    for (const { when } of await Promise.all(forecasts)) {
      expect(when[2]).toMatchObject({ percent: 95, sprints: WORK });
    }
    waits.sort((a, b) => a - b);
    const at = (share: number): string =>
      (waits[Math.floor(share * (waits.length - 1))] as number).toFixed(1);
    console.log(
      `${waits.length} requests during ${FORECASTS} forecasts: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`,
    );
    // Each forecast takes about 0.1 s. Without pauses in it, hardly any request would be answered between
    // two forecasts.
    expect(waits.length).toBeGreaterThan(5 * FORECASTS);
    expect(waits[Math.floor(0.9 * waits.length)]).toBeLessThan(100);
  } finally {
    await program.end('SIGTERM');
    await database.drop();
  }
});
