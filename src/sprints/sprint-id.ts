import type { ExecutionContext, OnModuleInit, PipeTransform } from '@nestjs/common';
import { createParamDecorator, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readBoardName, readId } from '../common/ids';
import { Resources } from '../common/resources';
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
export class SprintIdPipe implements PipeTransform<Named, Promise<number>> {
  constructor(private readonly sprints: SprintsService) {}

  async transform(named: Named): Promise<number> {
    if ('id' in named) return readId(named.id, 'sprint_not_found');
    return this.sprints.idOf(readBoardName(named.board), named.which);
  }
}

/** What the path of a request names by a word, if it does. */
function namedByWord({ params, routeOptions }: FastifyRequest): Named | undefined {
  const [, word] = /\/sprints\/(\w+)(?:\/|$)/.exec(routeOptions.url ?? '') ?? [];
  const which = RELATIVE.find((relative) => relative === word);
  const { board_name: board = '' } = params as { board_name?: string };
  return which && { board, which };
}

const Named = createParamDecorator((_: unknown, context: ExecutionContext): Named => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return namedByWord(request) ?? { id: (request.params as { sprint_id: string }).sprint_id };
});

/** Tells whether there is a sprint that a path means by a word. */
@Injectable()
export class SprintWords implements OnModuleInit {
  constructor(
    private readonly resources: Resources,
    private readonly pipe: SprintIdPipe,
  ) {}

  onModuleInit(): void {
    this.resources.ask(async (request) => {
      const named = namedByWord(request);
      if (named) await this.pipe.transform(named);
    });
  }
}

/** The id of the sprint that the path names; for handlers of `sprintPaths`. */
export const NamedSprint = (): ParameterDecorator => Named(SprintIdPipe);
