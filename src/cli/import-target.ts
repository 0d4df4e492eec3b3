import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import { MAX_FILE_BYTES } from '../http/input/upload';
import { Problem } from '../http/problem';
import type { ImportFormat, ImportView, Mapping } from '../transfer/import/import.dto';
import { ImportService } from '../transfer/import/import.service';
import { OPERATOR, withApplication } from './application';
import type { Remote } from './remote';
import { contentOf, request } from './remote';

/** A file to import into a board. */
interface FileForBoard {
  board: string;
  name: string;
  format: ImportFormat | 'auto';
  mapping: Mapping;
  nullText?: string;
  /** Of the file, which may be read several times. */
  path: string;
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
  const { board, path } = file;
  const reopen = () => createReadStream(path);
  return withApplication(
    async (app) => {
      const imports = app.get(ImportService);
      const bytes = reopen();
      const planned = await imports
        .plan(board, { ...file, bytes, reopen })
        // The file may not have been read to its end.
        .finally(() => bytes.destroy());
      return use({
        dryRun: () => imports.apply(OPERATOR, board, planned, { dryRun: true }),
        stories: 'plan' in planned ? planned.plan.stories.length : planned.exported.survey.lines,
        run: (progress) => imports.apply(OPERATOR, board, planned, { progress }),
      });
    },
    { createsDatabase: true },
  );
}

/** Sends the file to a service. @throws Problem, ExpectedError as `request` and `contentOf` do */
export async function importRemotely<T>(
  { board, path: file, name, format, mapping }: FileForBoard,
  remote: Remote,
  use: (one: Import) => Promise<T>,
): Promise<T> {
  // The service would reject a larger file.
  if ((await stat(file)).size > MAX_FILE_BYTES) throw new Problem('content_too_large');
  const form = new FormData();
  form.append('mapping', JSON.stringify(mapping));
  form.append('file', new Blob([await readFile(file)]), name);
  const send = async (dryRun: boolean): Promise<ImportView> => {
    const path = `/api/boards/${encodeURIComponent(board)}/import?format=${format}&dry_run=${dryRun}`;
    const options = { method: 'POST', body: form };
    const response = await request(remote, path, 'application/json', options);
    return (await json(contentOf(remote, response))) as ImportView;
  };
  return use({ dryRun: () => send(true), run: () => send(false) });
}
