import type { LineError } from '../files/invalid-file';
import type { Skipped } from '../files/source';
import { Warnings } from '../files/source';
import type { ImportCounts } from './import.dto';

const none = (): ImportCounts => ({ sprints: 0, stories: 0, tasks: 0 });

/** The results of an import so far. */
export class Applied {
  readonly created = none();
  readonly updated = none();
  readonly unchanged = none();
  readonly skipped: Skipped[] = [];
  readonly warnings = new Warnings();
  /** Errors that depend on the state of the board; if there are any, nothing is written. */
  readonly errors: LineError[] = [];
}
