import { Param } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import type { ProblemCode } from '../problem';
import { Problem } from '../problem';
import { parseBoardName } from '../validation/text';

/**
 * Reads an id of a path. An invalid id is treated like one that does not exist.
 * @throws Problem with the code `missing`
 */
export function readId(value: string, missing: ProblemCode): number {
  if (!/^[1-9]\d{0,15}$/.test(value) || !Number.isSafeInteger(Number(value))) {
    throw new Problem(missing);
  }
  return Number(value);
}

/** Reads the name of an existing board. @throws Problem `board_not_found` */
export function readBoardName(value: string): string {
  const parsed = parseBoardName(value);
  if ('code' in parsed) throw new Problem('board_not_found');
  return parsed.value as string;
}

/** Reads the name of a board that is created if it does not exist. @throws Problem `invalid_request` */
export function readNewBoardName(value: string): string {
  const parsed = parseBoardName(value);
  if ('value' in parsed) return parsed.value as string;
  throw Problem.invalid([
    { parameter: 'board_name', code: parsed.code, detail: `board_name ${parsed.message}` },
  ]);
}

const parameter =
  <T>(name: string, read: (value: string) => T) =>
  (): ParameterDecorator =>
    Param(name, { transform: read } satisfies PipeTransform<string, T>);

export const SprintId = parameter('sprint_id', (value) => readId(value, 'sprint_not_found'));
export const StoryId = parameter('story_id', (value) => readId(value, 'story_not_found'));
export const TaskId = parameter('task_id', (value) => readId(value, 'task_not_found'));
export const TokenId = parameter('token_id', (value) => readId(value, 'token_not_found'));
export const BoardName = parameter('board_name', readBoardName);
export const NewBoardName = parameter('board_name', readNewBoardName);
