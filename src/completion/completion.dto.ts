import { either, flag, identifier, Member, oneOf } from '../http/validation';

export class CompleteSprint {
  @Member(either(oneOf('backlog', 'next'), identifier), {
    description:
      'Where the stories that are not done are carried over to: the backlog, which it is where this ' +
      'is absent; the next sprint that is not completed; or the sprint with this id.',
    example: 'next',
  })
  unfinished?: 'backlog' | 'next' | number;

  @Member(oneOf('first', 'last'), {
    description: 'The end of that list at which they stand then, in their order; `first`.',
  })
  position?: 'first' | 'last';

  @Member(flag, { description: 'Answers the same report, and changes nothing.' })
  dry_run?: boolean;
}
