import { burndown as burndownSteps } from '../../src/reports/burndown';
import { replay as replaySteps } from '../../src/reports/replay';
import { report as reportSteps } from '../../src/reports/report';
import { atOnce } from './at-once';

// The computations of reports, without pauses.

export const replay = (...of: Parameters<typeof replaySteps>) => atOnce(replaySteps(...of));
export const report = (...of: Parameters<typeof reportSteps>) => atOnce(reportSteps(...of));
export const burndown = (...of: Parameters<typeof burndownSteps>) => atOnce(burndownSteps(...of));
