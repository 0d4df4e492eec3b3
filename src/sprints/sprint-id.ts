import type { ExecutionContext, PipeTransform } from '@nestjs/common';
import { createParamDecorator, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readBoardName, readId } from '../common/ids';
import type { Relative } from './sprint.queries';
import { RELATIVE } from './sprint.queries';
import { SprintsService } from './sprints.service';

/** The sprint that a path names: by its id, or by a board and a word. */
type Named = { id: string } | { board: string; which: Relative };

/** The paths of something below a sprint: by id, and by word, so that a script needs no id. */
export const sprintPaths = (rest: string): string[] => [
  `sprints/:sprint_id/${rest}`,
  ...RELATIVE.map((which) => `boards/:board_name/sprints/${which}/${rest}`),
];

@Injectable()
class SprintIdPipe implements PipeTransform<Named, Promise<number>> {
  constructor(private readonly sprints: SprintsService) {}

  async transform(named: Named): Promise<number> {
    if ('id' in named) return readId(named.id, 'sprint_not_found');
    return this.sprints.idOf(readBoardName(named.board), named.which);
  }
}

const Named = createParamDecorator((_: unknown, context: ExecutionContext): Named => {
  const { params, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
  const { sprint_id: id, board_name: board = '' } = params as Record<string, string | undefined>;
  if (id !== undefined) return { id };
  const which = RELATIVE.find((word) => routeOptions.url?.includes(`/sprints/${word}/`));
  return { board, which: which ?? 'current' };
});

/** The id of the sprint that the path names; for handlers of `sprintPaths`. */
export const NamedSprint = (): ParameterDecorator => Named(SprintIdPipe);
