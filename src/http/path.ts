import { Param } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { parseBoardName } from './validation';
import type { ProblemCode } from './problem';
import { Problem } from './problem';

/**
 * Reads an identifier of a path. What is not one names nothing, like an id that nobody has.
 * @throws Problem with the code of what is missing
 */
export function readId(value: string, missing: ProblemCode): number {
  if (!/^[1-9]\d{0,15}$/.test(value) || !Number.isSafeInteger(Number(value))) {
    throw new Problem(missing);
  }
  return Number(value);
}

/** Reads the name of a board that is there. @throws Problem `board_not_found` */
export function readBoardName(value: string): string {
  const reading = parseBoardName(value);
  if ('code' in reading) throw new Problem('board_not_found');
  return reading.value as string;
}

/** Reads the name of a board that comes into being where it is not there. */
export function readNewBoardName(value: string): string {
  const reading = parseBoardName(value);
  if ('value' in reading) return reading.value as string;
  throw Problem.invalid([
    { parameter: 'board_name', code: reading.code, detail: `board_name ${reading.message}` },
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
