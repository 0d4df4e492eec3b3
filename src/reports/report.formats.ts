import { createHash } from 'node:crypto';
import type { Formats, LongResponse } from '../http/route';
import { burndownCsv, forecastCsv, reportCsv, velocityCsv } from './csv';
import { burndownSvg, PICTURE_STYLE, velocitySvg } from './picture';
import type { Burndown } from './reports.service';
import type { BurndownDayView, ReportView, VelocityView } from './report.dto';

/** A picture that a browser shows on its own page may use its style sheet, and nothing else. */
const PICTURE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(PICTURE_STYLE).digest('base64')}'; frame-ancestors 'none'`,
};

/** Days of a chunk; a longer burndown is streamed. */
const CHUNK = 500;

export const REPORT: Formats = {
  json: {
    write: (body) => JSON.stringify(body),
    // `as_of` of an open sprint is new in every response.
    tagged: ({ as_of: _, ...report }: ReportView) =>
      report.sprint.state === 'completed' ? undefined : report,
  },
  csv: { write: reportCsv },
};

export const BURNDOWN: Formats = {
  json: { write: (body: Burndown) => inChunks(body, burndownJson(body)) },
  csv: { write: (body: Burndown) => inChunks(body, burndownCsv(body.days)) },
  svg: {
    write: ({ sprint, days, today }: Burndown) =>
      burndownSvg({
        title: sprint.name ?? `Sprint of ${sprint.start_date}`,
        start_date: sprint.start_date,
        end_date: sprint.end_date,
        days,
        today,
      }),
    headers: PICTURE_HEADERS,
  },
};

export const VELOCITY: Formats = {
  csv: { write: velocityCsv },
  svg: {
    write: (body: VelocityView) => velocitySvg('Velocity', body),
    headers: PICTURE_HEADERS,
  },
};

export const FORECAST: Formats = { csv: { write: forecastCsv } };

function* burndownJson({ sprint, days }: Burndown): Generator<string> {
  const { points: committed_points, count: committed_count } = days.committed;
  const head = JSON.stringify({ sprint, committed_points, committed_count });
  let begin = `${head.slice(0, -1)},"days":[`;
  let chunk: BurndownDayView[] = [];
  for (const day of days) {
    if (chunk.length === CHUNK) {
      yield begin + JSON.stringify(chunk).slice(1, -1);
      [begin, chunk] = [',', []];
    }
    chunk.push(day);
  }
  yield `${begin}${JSON.stringify(chunk).slice(1, -1)}]}\n`;
}

/** A burndown as one string or, if it is long, in chunks, with the days that all others follow from. */
function inChunks({ sprint, days }: Burndown, chunks: Iterable<string>): string | LongResponse {
  if (days.length <= CHUNK) return [...chunks].join('');
  const ends = [0, days.length - 1];
  const indices = [...new Set([...days.eventful, ...ends])].sort((a, b) => a - b);
  const week = Array.from({ length: 7 }, (_, day) => days.isWorking(day));
  const tagged = JSON.stringify([sprint, days.committed, week, ...days.at(indices)]);
  return { chunks, tagged };
}
