import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import type { FieldError } from '../http/problem';
import { fieldError } from '../http/problem';

/** The words that a body may have instead of the id of a sprint. */
export const SPRINT_WORDS = ['current', 'next'] as const;
export type SprintWord = (typeof SPRINT_WORDS)[number];

/** A sprint as a body names it; null is the backlog. */
export type SprintOfBody = number | SprintWord | null;

/** Finds the sprint that a body names by a word. The sprints module, which depends on this one, provides it. */
export abstract class SprintWords {
  /** Returns the id of the sprint that a word names; undefined if it names none of the locked board. */
  protected abstract find(
    change: Change,
    board: LockedBoard,
    word: SprintWord,
  ): Promise<number | undefined>;

  /** Returns the id of the sprint that a body names; undefined if a word names no sprint of the locked board. */
  async idOf(
    change: Change,
    board: LockedBoard,
    sprint: SprintOfBody,
  ): Promise<number | null | undefined> {
    return typeof sprint === 'string' ? this.find(change, board, sprint) : sprint;
  }
}

/** The error of a body that names a sprint that does not exist. */
export const noSprint = (sprint: SprintOfBody): FieldError =>
  fieldError(
    'pointer',
    'sprint_id',
    'not_found',
    typeof sprint === 'string'
      ? `names the ${sprint} sprint, which the board does not have`
      : 'names no sprint',
  );
