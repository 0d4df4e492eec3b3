import type { LockedBoard } from '../../database/board-row';
import type { Change } from '../../database/change';
import type { LineError } from '../files/invalid-file';
import { InvalidFile } from '../files/invalid-file';
import type { Warnings } from '../files/source';
import type { ImportCounts, SkippedRow, SprintDates } from './import.dto';
import { TasksOfBoard } from './tasks-of-board';

const none = (): ImportCounts => ({ sprints: 0, stories: 0, tasks: 0 });

/** An import that is being written to its locked board, with its results so far. */
export class ImportRun {
  readonly created = none();
  readonly updated = none();
  readonly unchanged = none();
  readonly skipped: SkippedRow[] = [];
  /** The assumed dates of the created sprints, by their names. */
  readonly assumedDates = new Map<string, SprintDates>();
  /** Errors that depend on the state of the board; if there are any, nothing is written. */
  readonly errors: LineError[] = [];
  readonly tasksOfBoard: TasksOfBoard;

  constructor(
    readonly change: Change,
    readonly board: LockedBoard,
    readonly warnings: Warnings,
  ) {
    this.tasksOfBoard = new TasksOfBoard(change, board.id);
  }

  /** The rejection of the file because of `errors`. */
  rejection(): InvalidFile {
    const { unit } = this.warnings;
    const message = `Some ${unit === 'line' ? 'rows' : 'entries'} cannot be imported.`;
    return new InvalidFile(message, 'invalid_file', this.errors, unit);
  }
}
