import { createHash } from 'node:crypto';
import type { Formats, LongText } from '../http/route';
import type { BurndownDay } from './burndown';
import { burndownCsv, forecastCsv, reportCsv, velocityCsv } from './csv';
import { burndownSvg, PICTURE_STYLE, velocitySvg } from './picture';
import type { Burndown } from './reports.service';
import type { ReportView, VelocityView } from './report.dto';

/** Lets a browser that is shown a picture by itself take its one style sheet, and nothing else. */
const PICTURE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(PICTURE_STYLE).digest('base64')}'; frame-ancestors 'none'`,
};

/** Days of a piece, and from which on a burndown is not held in memory as a whole. */
const PIECE = 500;

export const REPORT: Formats = {
  json: {
    write: (body) => JSON.stringify(body),
    // As long as a sprint is open, its report differs with every look by when that was.
    essence: ({ as_of: _, ...report }: ReportView) =>
      report.sprint.state === 'completed' ? undefined : report,
  },
  csv: { write: reportCsv },
};

export const BURNDOWN: Formats = {
  json: { write: (body: Burndown) => inPieces(body, burndownJson(body)) },
  csv: { write: (body: Burndown) => inPieces(body, burndownCsv(body.days)) },
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
  let text = `{"sprint":${JSON.stringify(sprint)},"days":[`;
  let rows: BurndownDay[] = [];
  let separator = '';
  for (const day of days) {
    rows.push(day);
    if (rows.length < PIECE) continue;
    yield text + separator + JSON.stringify(rows).slice(1, -1);
    [text, separator, rows] = ['', ',', []];
  }
  yield `${text}${rows.length > 0 ? separator : ''}${JSON.stringify(rows).slice(1, -1)}]}`;
}

/** A text or, where it is long, its pieces, and that from which all of its rows follow. */
function inPieces({ sprint, days }: Burndown, pieces: Iterable<string>): string | LongText {
  if (days.length <= PIECE) return [...pieces].join('');
  const ends = [0, days.length - 1];
  const telling = [...new Set([...days.eventful, ...ends])].sort((a, b) => a - b);
  return { pieces, essence: JSON.stringify([sprint, days.committed, ...days.at(telling)]) };
}
