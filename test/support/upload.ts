import type { TestApp } from './app';
import type { Answer, Client } from './client';
import { boardPath, made2xx } from './make';

export interface UploadOptions {
  /** Begins with a question mark. */
  query?: string;
  type?: string;
  headers?: Record<string, string>;
  /** Sent with the file in a form. */
  mapping?: object;
}

/** Sends a file to the import of a board. */
export async function upload(
  client: Client,
  board: string,
  file: string | Buffer,
  { query = '', type = 'application/octet-stream', headers, mapping }: UploadOptions = {},
): Promise<Answer> {
  const [raw, contentType] = mapping ? await formOf(mapping, file) : [file, type];
  return client.post(`${boardPath(board)}/import${query}`, undefined, {
    raw,
    headers: { 'content-type': contentType, ...headers },
  });
}

/** Returns a form with a mapping and a file, and its content type. */
async function formOf(mapping: object, file: string | Buffer): Promise<[Buffer, string]> {
  const form = new FormData();
  form.append('mapping', JSON.stringify(mapping));
  form.append('file', new Blob([new Uint8Array(Buffer.from(file))]), 'file');
  const encoded = new Response(form);
  const bytes = Buffer.from(await encoded.arrayBuffer());
  return [bytes, encoded.headers.get('content-type') ?? ''];
}

const NOTHING = { sprints: 0, stories: 0, tasks: 0 };

interface TwiceOptions extends Pick<UploadOptions, 'query' | 'mapping'> {
  /** Time of the first import. */
  at?: string;
}

/**
 * Imports a file into a new board and returns the response. A dry run before it must have the same response,
 * and two repetitions after it must change nothing.
 */
export async function importTwice(
  { client, clock }: TestApp,
  board: string,
  file: string | Buffer,
  { at = '2026-11-19T10:00:00.000Z', query = '', mapping }: TwiceOptions = {},
): Promise<any> {
  const load = (more = ''): Promise<any> => {
    const all = [query.slice(1), more].filter(Boolean).join('&');
    return made2xx(upload(client, board, file, { query: all && `?${all}`, mapping }));
  };
  const revision = async (): Promise<number> =>
    (await made2xx(client.get(boardPath(board)))).revision;
  clock.set(at);
  const dry = await load('dry_run=true');
  expect((await client.get(boardPath(board))).status).toBe(404);
  const first = await load();
  expect(dry).toEqual(first);
  expect(first).toMatchObject({ updated: NOTHING, unchanged: NOTHING });
  const before = await revision();
  // A first import a week later would give other dates to sprints without dates.
  for (const days of [0, 7]) {
    clock.set(new Date(Date.parse(at) + days * 86_400_000).toISOString());
    const again = await load();
    expect(again).toMatchObject({ created: NOTHING, updated: NOTHING, unchanged: first.created });
  }
  expect(await revision()).toBe(before);
  return first;
}
