import type { Readable } from 'node:stream';
import { MAX_FILE_BYTES } from '../http/input/upload';
import type { ProblemCode } from '../http/problem';
import { Problem, PROBLEMS } from '../http/problem';
import type { ImportFormat, ImportView, Mapping } from '../transfer/import/import.dto';
import { ImportService } from '../transfer/import/import.service';
import { OPERATOR, withApplication } from './application';
import { CommandError } from './command-error';

/** A file to import into a board. */
export interface FileForBoard {
  board: string;
  name: string;
  format: ImportFormat | 'auto';
  mapping: Mapping;
  nullText?: string;
  /** Opens the file; called for each time that it is read. */
  open: () => Readable;
}

/** A file that is ready to be imported, here or at a remote service. */
export interface Import {
  /** Returns what the import would do, and changes nothing. */
  dryRun: () => Promise<ImportView>;
  /** The number of stories, if it is known. */
  stories?: number;
  run: (progress: (stories: number) => void) => Promise<ImportView>;
}

/** Reads the file, to import it into the configured database. */
export function importHere<T>(file: FileForBoard, use: (one: Import) => Promise<T>): Promise<T> {
  const { board } = file;
  return withApplication(async (app) => {
    const imports = app.get(ImportService);
    const bytes = file.open();
    const planned = await imports
      .plan(board, { ...file, bytes, reopen: file.open })
      // The file may not have been read to its end.
      .finally(() => bytes.destroy());
    return use({
      dryRun: () => imports.apply(OPERATOR, board, planned, { dryRun: true }),
      stories: 'plan' in planned ? planned.plan.stories.length : planned.exported.survey.lines,
      run: (progress) => imports.apply(OPERATOR, board, planned, { progress }),
    });
  });
}

/** Sends the file to a service. @throws Problem that the service responds with */
export async function importRemotely<T>(
  { board, open, name, format, mapping }: FileForBoard,
  { url, token }: { url: string; token?: string },
  use: (one: Import) => Promise<T>,
): Promise<T> {
  const content = new Blob(await contentOf(open()));
  const send = async (dryRun: boolean): Promise<ImportView> => {
    const path = `api/boards/${encodeURIComponent(board)}/import?format=${format}&dry_run=${dryRun}`;
    const form = new FormData();
    form.append('mapping', JSON.stringify(mapping));
    form.append('file', content, name);
    const response = await fetch(new URL(path, url.endsWith('/') ? url : `${url}/`), {
      method: 'POST',
      body: form,
      headers: token ? { Authorization: `Bearer ${token}` } : {},
    }).catch((error: Error) => {
      const reason = (error.cause as Error | undefined)?.message ?? error.message;
      throw new CommandError(`${url} does not answer: ${reason}.`);
    });
    const text = await response.text();
    if (response.ok) {
      const type = response.headers.get('content-type') ?? 'no content type';
      // The page of a proxy that asks users to sign in has the status 200, too.
      if (!type.startsWith('application/json')) {
        throw new CommandError(`${url} is not Sprintline: it answered with ${type}.`);
      }
      return JSON.parse(text) as ImportView;
    }
    throw problemOf(text) ?? new CommandError(`${url} answers ${response.status}.`);
  };
  return use({ dryRun: () => send(true), run: () => send(false) });
}

/** @throws Problem `content_too_large` if the service would reject a file of this size */
async function contentOf(file: Readable): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_FILE_BYTES) throw new Problem('content_too_large');
    chunks.push(new Uint8Array(chunk));
  }
  return chunks;
}

/** Parses an error response of Sprintline; undefined if it is not one. */
function problemOf(text: string): Problem | undefined {
  try {
    const { code, detail, errors } = JSON.parse(text) as Problem['options'] & {
      code: ProblemCode;
      detail: string;
    };
    return code in PROBLEMS ? new Problem(code, detail, { errors }) : undefined;
  } catch {
    return undefined;
  }
}
