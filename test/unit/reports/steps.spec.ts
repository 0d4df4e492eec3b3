import { burndown } from '../../../src/reports/burndown';
import { Replay } from '../../../src/reports/replay';
import { report } from '../../../src/reports/report';
import type { Steps } from '../../../src/reports/steps';
import { Log } from './log';

const EVENTS = 20_000;

/** The result of a computation, and how often it let others run. */
function counted<Result>(steps: Steps<Result>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = steps.next();
    if (done) return { result: value, pauses };
  }
}

it('a report and a burndown of many changes let other requests run meanwhile', () => {
  const log = new Log();
  const sprint = log.sprint('2026-03-02');
  log.now = '2026-03-02T09:00:00.000Z';
  const story = log.story(null, 1);
  // Whatever comes and goes within a day was not committed to, so all of it is looked at.
  for (let i = 0; i < EVENTS; i += 1) log.update(story, { sprint_id: i % 2 ? null : sprint });
  const replay = new Replay(sprint);
  const added = counted(replay.add(log.events));
  const { result: history } = counted(replay.history(new Date(log.now)));
  for (const computed of [added, counted(report(history)), counted(burndown(history))]) {
    expect(computed.pauses).toBeGreaterThan(EVENTS / 2000);
  }
});
