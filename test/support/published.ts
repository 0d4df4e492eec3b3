import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Where the published data sets lie that some tests are held against; they belong to others, so they
 * are no part of the project. CONTRIBUTING.md says what they are.
 */
const FOLDER = resolve(process.env.PUBLISHED_DATA ?? '../shared/data');

export const published = (file: string): string => join(FOLDER, file);

/** `describe`, where there is such a file; else it says so, and does not even look at the tests. */
export function withPublished(file: string): (name: string, tests: () => void) => void {
  if (existsSync(published(file))) return describe;
  console.warn(`!!  There is no ${published(file)}, so what needs it is NOT tested.  !!`);
  return (name) => describe.skip(name, () => it('needs published data', () => undefined));
}
