import { Injectable } from '@nestjs/common';
import { BoardLoader } from '../boards/board-loader.service';
import { Database } from '../database/database';
import type { Caller } from '../http/caller';
import { Problem } from '../http/problem';
import { InvalidFile } from './invalid-file';
import { Restore } from './restore';
import { survey } from './restore-survey';

/** Rows that were created. */
export interface RestoredCounts {
  sprints: number;
  stories: number;
  tasks: number;
}

interface RestoreOptions {
  /** Does all of it, and leaves nothing. */
  dryRun?: boolean;
  /** Called with the number of lines that were written, of so many. */
  progress?: (lines: number, of: number) => void;
}

/** Restores exported boards with their logs. */
@Injectable()
export class RestoreService {
  constructor(
    private readonly database: Database,
    private readonly loader: BoardLoader,
  ) {}

  /**
   * Restores an export with the log as a new board: all of it as it was, but for the ids and the name.
   * @param open opens the file, which is read twice
   * @throws InvalidFile, Problem `forbidden`, `name_taken`
   */
  async restore(
    caller: Caller,
    boardName: string,
    open: () => AsyncIterable<Buffer>,
    { dryRun, progress = () => undefined }: RestoreOptions = {},
  ): Promise<RestoredCounts> {
    if (caller.scope !== 'admin') {
      throw new Problem('forbidden', 'Only an admin may restore a board with its log.');
    }
    const found = await survey(open());
    const { sprint, story, task } = found.counts;
    const counts = { sprints: sprint, stories: story, tasks: task };
    const board = { ...found.header.board, name: boardName };
    try {
      return await this.loader.load(
        caller,
        board,
        async (load) => {
          const restore = new Restore(load, found, boardName);
          await restore.run(open(), (lines) => progress(lines, found.lines));
          return counts;
        },
        { dryRun },
      );
    } catch (error) {
      // The only rows of a file that exclude each other.
      if (!this.database.isDuplicate(error)) throw error;
      throw new InvalidFile('Two stories of the file have the same external_id.');
    }
  }
}
