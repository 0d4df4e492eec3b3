import type { FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Formats, LongResponse } from '../http/responses/formats';
import { withPauses } from '../time/time-slice';
import { burndownCsv, forecastCsv, reportCsv, velocityCsv } from './csv';
import { forecastPaths } from './forecast-paths';
import { png } from './pictures/png';
import type { Picture } from './pictures/svg';
import { PICTURE_STYLE, svg } from './pictures/svg';
import type { BurndownDayView, BurndownQuery, ReportView, Theme } from './report.dto';
import type { Burndown, Forecast, Velocity } from './reports.service';
import { inSteps } from './steps';

/** Lets a picture that a browser opens as a page use its own style sheet, and load nothing else. */
const PICTURE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', PICTURE_STYLE, 'base64')}'; frame-ancestors 'none'`,
};

/** The days of a chunk; a burndown with more days is streamed. */
const CHUNK = 500;

export const REPORT: Formats = {
  json: {
    write: (body) => JSON.stringify(body),
    // While the sprint is open, without the time of the response: `as_of` and, on the first day, `committed_at`.
    tagged: ({ as_of, ...report }: ReportView) => {
      if (report.sprint.state === 'completed') return undefined;
      return report.committed_at === as_of ? { ...report, committed_at: undefined } : report;
    },
  },
  csv: { write: reportCsv },
};

export const BURNDOWN: Formats = {
  json: { write: (body: Burndown) => inChunks(body, burndownJson(body)) },
  csv: { write: (body: Burndown) => inChunks(body, burndownCsv(body.days)) },
  ...pictures(async (body: Burndown, { kind = 'burndown' }, width) => {
    const { burndownPicture } = await import('./pictures/burndown.ts');
    return burndownPicture({ ...body, scope: body.days.scope, kind }, width);
  }),
};

export const VELOCITY: Formats = {
  json: { write: ({ view }: Velocity) => JSON.stringify(view) },
  csv: { write: ({ view }: Velocity) => velocityCsv(view) },
  ...pictures(async (body: Velocity, _query, width) => {
    const { velocityPicture } = await import('./pictures/velocity.ts');
    return velocityPicture(body, width);
  }),
};

export const FORECAST: Formats = {
  json: { write: ({ view }: Forecast) => JSON.stringify(view) },
  csv: { write: ({ view }: Forecast) => forecastCsv(view) },
  ...pictures(async ({ board, view, history, work, from }: Forecast, _query, width) => {
    const { forecastPicture } = await import('./pictures/forecast.ts');
    const paths = await inSteps(forecastPaths(history, work, view));
    return forecastPicture({ board, ...work, history: history.length, from, paths }, width);
  }),
};

/** The query of a picture, which the validation pipe has checked. */
type Query = { [name in keyof BurndownQuery]?: string };

/** Returns the two formats of a picture. The drawing libraries are loaded with the first picture. */
function pictures<Body>(
  draw: (body: Body, query: BurndownQuery, width: number) => Promise<Picture>,
): Formats {
  const drawn = (body: Body, { query }: FastifyRequest): Promise<Picture> =>
    draw(body, query as BurndownQuery, Number((query as Query).width ?? 720));
  const themeOf = ({ query }: FastifyRequest): Theme => (query as BurndownQuery).theme ?? 'auto';
  return {
    svg: {
      write: async (body: Body, request) => svg(await drawn(body, request), themeOf(request)),
      headers: PICTURE_HEADERS,
    },
    png: {
      write: async (body: Body, request) => {
        const picture = await drawn(body, request);
        const theme = themeOf(request) === 'dark' ? 'dark' : 'light';
        const tagged = svg(picture, theme);
        return { tagged, content: (client) => png(tagged, picture, client) };
      },
    },
  };
}

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

/** Returns a burndown as one string or, if it is long, in chunks. `tagged` has the days that determine all others. */
function inChunks({ sprint, days }: Burndown, chunks: Iterable<string>): string | LongResponse {
  if (days.length <= CHUNK) return [...chunks].join('');
  const ends = [0, days.length - 1];
  const indices = [...new Set([...days.eventful, ...ends])].sort((a, b) => a - b);
  const week = Array.from({ length: 7 }, (_, day) => days.isWorking(day));
  const tagged = JSON.stringify([sprint, days.committed, week, ...days.at(indices)]);
  const options = { objectMode: false, highWaterMark: 1 << 16 };
  // The pauses let other requests run, even if the client reads fast.
  return { tagged, content: () => Readable.from(withPauses(chunks), options) };
}
