import { Injectable } from '@nestjs/common';
import { BoardLoader } from '../../boards/board-loader.service';
import { failureOf } from '../../database/errors';
import type { Caller } from '../../http/caller';
import { Problem } from '../../http/problem';
import { InvalidFile } from '../files/invalid-file';
import type { ImportView } from '../import/import.dto';
import { Restore } from './restore';
import type { Survey } from './restore-survey';

/** An export with its log, which was read once and found to be valid. */
export interface ExportedBoard {
  survey: Survey;
  /** Opens it again. */
  open: () => AsyncIterable<Buffer>;
}

/** Restores exported boards with their logs. */
@Injectable()
export class RestoreService {
  constructor(private readonly loader: BoardLoader) {}

  /**
   * Restores an export with the log as a new board, unchanged except for the ids and the name.
   * @param view the response, which is stored for repeated requests
   * @throws InvalidFile, Problem `forbidden`, `name_taken`
   */
  async restore(
    caller: Caller,
    boardName: string,
    { survey, open }: ExportedBoard,
    view: ImportView,
    { dryRun, progress }: { dryRun: boolean; progress: (lines: number) => void },
  ): Promise<ImportView> {
    if (caller.scope !== 'admin') {
      throw new Problem('forbidden', 'Only an admin may restore a board with its log.');
    }
    const board = { ...survey.header.board, name: boardName };
    try {
      return await this.loader.load(
        caller,
        board,
        async (load) => {
          await new Restore(load, survey, boardName).run(open(), progress);
          return view;
        },
        { dryRun },
      );
    } catch (error) {
      // No other rows of a file can violate a unique key.
      if (failureOf(error) !== 'duplicate') throw error;
      throw new InvalidFile('Two stories of the file have the same external_id.');
    }
  }
}
