import { burndown as burndownSteps } from '../../src/reports/burndown';
import type { ReplayedEvent, SprintHistory } from '../../src/reports/replay';
import { Replay } from '../../src/reports/replay';
import { report as reportSteps } from '../../src/reports/report';
import { atOnce } from './at-once';

// The functions that compute reports, run without pauses.

export function replay(
  events: Iterable<ReplayedEvent>,
  sprintId: number,
  now: Date,
): SprintHistory {
  const replayed = new Replay(sprintId);
  atOnce(replayed.add(events));
  return atOnce(replayed.history(now));
}
export const report = (...of: Parameters<typeof reportSteps>) => atOnce(reportSteps(...of));
export const burndown = (...of: Parameters<typeof burndownSteps>) => atOnce(burndownSteps(...of));
