import type { ExecutionContext, OnModuleInit, PipeTransform } from '@nestjs/common';
import { createParamDecorator, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readBoardName, readId } from '../http/path';
import { Resources } from '../http/path-resources';
import type { Change } from '../database/change';
import type { SprintName } from './sprint.queries';
import { RELATIVE } from './sprint.queries';
import { SprintsService, takeNamed } from './sprints.service';

/** The paths of something below a sprint: by id, and by word, so that a script needs no id. */
export const sprintPaths = (rest: string): string[] => [
  `sprints/:sprint_id/${rest}`,
  ...RELATIVE.map((which) => `boards/:board_name/sprints/${which}/${rest}`),
];

@Injectable()
export class SprintIdPipe implements PipeTransform<SprintName, Promise<number>> {
  constructor(private readonly sprints: SprintsService) {}

  transform(name: SprintName): Promise<number> {
    return this.sprints.idOf(name);
  }
}

/** What the path of a request names by a word, if it does. @throws Problem `board_not_found` */
function namedByWord({ params, routeOptions }: FastifyRequest): SprintName | undefined {
  const [, word] = /\/sprints\/(\w+)(?:\/|$)/.exec(routeOptions.url ?? '') ?? [];
  const which = RELATIVE.find((relative) => relative === word);
  const { board_name: name = '' } = params as { board_name?: string };
  return which && { board: readBoardName(name), which };
}

function nameOf(_: unknown, context: ExecutionContext): SprintName {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { sprint_id: id = '' } = request.params as { sprint_id?: string };
  return namedByWord(request) ?? readId(id, 'sprint_not_found');
}

const Named = createParamDecorator(nameOf);

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

/** The id of the sprint that the path names; for handlers of `sprintPaths` that read. */
export const NamedSprint = (): ParameterDecorator => Named(SprintIdPipe);

/** Finds the sprint that a path names. */
export type FindSprint = (change: Change) => Promise<number>;

/**
 * The same for handlers that change something. They find it in the change: a request that is sent again
 * is answered as it was, whatever the word means by then.
 */
export const SprintToChange = createParamDecorator(
  (data: unknown, context: ExecutionContext): FindSprint => {
    const name = nameOf(data, context);
    return (change) => takeNamed(change, name);
  },
);
