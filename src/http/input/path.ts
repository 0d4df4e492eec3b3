import { Param } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import type { ProblemCode } from '../problem';
import { fieldError, Problem } from '../problem';
import { Rejected } from '../validation/property';
import { parseBoardName } from '../validation/text';

/** Every parameter of a path, and the problem if there is no such resource. */
export const NOT_FOUND = {
  board_name: 'board_not_found',
  sprint_id: 'sprint_not_found',
  story_id: 'story_not_found',
  task_id: 'task_not_found',
  token_id: 'token_not_found',
} as const satisfies Record<string, ProblemCode>;
export type PathParameter = keyof typeof NOT_FOUND;

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
  const name = parseBoardName(value);
  if (name instanceof Rejected) throw new Problem('board_not_found');
  return name;
}

/** Reads the name of a board that is created if it does not exist. @throws Problem `invalid_request` */
export function readNewBoardName(value: string): string {
  const name = parseBoardName(value);
  if (!(name instanceof Rejected)) return name;
  throw Problem.invalid([fieldError('parameter', 'board_name', name.code, name.message)]);
}

const parameter =
  <T>(name: PathParameter, read: (value: string) => T) =>
  (): ParameterDecorator =>
    Param(name, { transform: read } satisfies PipeTransform<string, T>);

const idParameter = (name: PathParameter): (() => ParameterDecorator) =>
  parameter(name, (value) => readId(value, NOT_FOUND[name]));

export const SprintId = idParameter('sprint_id');
export const StoryId = idParameter('story_id');
export const TaskId = idParameter('task_id');
export const TokenId = idParameter('token_id');
export const BoardName = parameter('board_name', readBoardName);
export const NewBoardName = parameter('board_name', readNewBoardName);
