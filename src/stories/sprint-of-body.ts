import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import type { FieldError } from '../http/problem';
import { fieldError } from '../http/problem';

/** The words that a body may have instead of the id of a sprint. */
export const SPRINT_WORDS = ['current', 'next'] as const;

/** A sprint as a body names it; null is the backlog. */
export type SprintOfBody = number | (typeof SPRINT_WORDS)[number] | null;

/** Finds the sprint that a body names. The sprints module, which depends on this one, provides it. */
export abstract class SprintResolver {
  /** Returns the id of the sprint; undefined if a word names no sprint of the locked board. */
  abstract idOf(
    change: Change,
    board: LockedBoard,
    sprint: SprintOfBody,
  ): Promise<number | null | undefined>;
}

/** The error of a body that names a sprint that does not exist. */
export const noSprint = (sprint: SprintOfBody): FieldError =>
  fieldError(
    'pointer',
    'sprint_id',
    'not_found',
    typeof sprint === 'string'
      ? `names the ${sprint} sprint, which the board does not have`
      : 'must be the id of an existing sprint',
  );
