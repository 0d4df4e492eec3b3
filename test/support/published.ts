import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The folder of the published data sets that some tests compare with. They are not part of the project;
 * CONTRIBUTING.md names them.
 */
const FOLDER = resolve(process.env.PUBLISHED_DATA ?? '../shared/data');

export const published = (file: string): string => join(FOLDER, file);

/** Returns `describe` if the file exists; else it warns and returns a function that skips the tests. */
export function withPublished(file: string): (name: string, tests: () => void) => void {
  if (existsSync(published(file))) return describe;
  console.warn(`!!  There is no ${published(file)}, so the tests that need it are SKIPPED.  !!`);
  return (name) => describe.skip(name, () => it('needs published data', () => undefined));
}
