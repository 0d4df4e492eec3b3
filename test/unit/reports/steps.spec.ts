import { burndown } from '../../../src/reports/burndown';
import { Replay } from '../../../src/reports/replay';
import { report } from '../../../src/reports/report';
import type { Steps } from '../../../src/reports/steps';
import { inSteps } from '../../../src/reports/steps';
import { Log } from './log';

const EVENTS = 20_000;

/** Runs a computation and counts its pauses. */
function counted<Result>(steps: Steps<Result>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = steps.next();
    if (done) return { result: value, pauses };
  }
}

it('a report and a burndown of many changes let other requests run in between', () => {
  const log = new Log();
  const sprint = log.sprint('2026-03-02');
  log.now = '2026-03-02T09:00:00.000Z';
  const story = log.story(null, 1);
  // Stories that come and go within a day are not committed to, so all events are read.
  for (let i = 0; i < EVENTS; i += 1) log.update(story, { sprint_id: i % 2 ? null : sprint });
  const replay = new Replay(sprint);
  const added = counted(replay.add(log.events));
  const { result: history } = counted(replay.history(new Date(log.now)));
  for (const computed of [added, counted(report(history)), counted(burndown(history))]) {
    expect(computed.pauses).toBeGreaterThan(EVENTS / 2000);
  }
});

it('a report of many stories lets other requests run in between, even if a start says what is committed', () => {
  const log = new Log();
  const sprint = log.sprint('2026-03-02');
  for (let i = 0; i < 2000; i += 1) log.story(sprint, 1);
  log.start(sprint);
  const replay = new Replay(sprint);
  counted(replay.add(log.events));
  const { result: history } = counted(replay.history(new Date(log.now)));
  const { result, pauses } = counted(report(history));
  expect(result.committed.count).toBe(2000);
  expect(pauses).toBeGreaterThanOrEqual(2000);
});

it('a computation ends at the step at which it is aborted', async () => {
  const connection = new AbortController();
  let last = 0;
  const steps = function* (): Steps<void> {
    for (last = 1; last < EVENTS; last += 1) {
      if (last === 10) connection.abort();
      yield;
    }
  };
  await expect(inSteps(steps(), connection.signal)).rejects.toMatchObject({ name: 'AbortError' });
  expect(last).toBe(10);
});
