import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * The folder of the published data sets that some tests compare with. They are not part of the project;
 * CONTRIBUTING.md names them.
 */
const FOLDER = process.env.PUBLISHED_DATA;

export const published = (file: string): string => resolve(FOLDER ?? '', file);

/** Returns `describe` if the file exists; else it warns and returns a function that skips the tests. */
export function withPublished(file: string): (name: string, tests: () => void) => void {
  if (FOLDER !== undefined && existsSync(published(file))) return describe;
  console.warn(`!!  PUBLISHED_DATA has no ${file}, so the tests that need it are SKIPPED.  !!`);
  return (name) => describe.skip(name, () => it('needs published data', () => undefined));
}
