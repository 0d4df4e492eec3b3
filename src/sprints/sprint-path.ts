import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readBoardName, readId } from '../http/input/path';
import type { RelativeReference, SprintReference } from './sprint.queries';
import { RELATIVE } from './sprint.queries';

/** The paths of a resource of a sprint: by id and, for scripts that do not know it, by word. */
export const sprintPaths = (rest: string): string[] => [
  `sprints/:sprint_id/${rest}`,
  ...RELATIVE.map((which) => `boards/:board_name/sprints/${which}/${rest}`),
];

/** The paths of an action on a sprint: by id, and on the current sprint. */
export const actionPaths = (action: string): string[] => [
  `sprints/:sprint_id/${action}`,
  `boards/:board_name/sprints/current/${action}`,
];

/** Returns the sprint that a path names by a word; undefined if it names it by id. @throws Problem `board_not_found` */
export function relativeReference({
  params,
  routeOptions,
}: FastifyRequest): RelativeReference | undefined {
  const word = /\/sprints\/(\w+)(?:\/|$)/.exec(routeOptions.url ?? '')?.[1];
  const which = RELATIVE.find((relative) => relative === word);
  const { board_name: boardName = '' } = params as { board_name?: string };
  return which && { boardName: readBoardName(boardName), which };
}

/** The sprint that a path of `sprintPaths` or `actionPaths` names; services resolve it in the state that they read or change. */
export const SprintReferenceOfPath = createParamDecorator(
  (_: unknown, context: ExecutionContext): SprintReference => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { sprint_id: id = '' } = request.params as { sprint_id?: string };
    return relativeReference(request) ?? readId(id, 'sprint_not_found');
  },
);
