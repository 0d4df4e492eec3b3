import { Doc, IsFlag, IsOneOf, IsWordOrId, Optional } from '../http/validation';

export class CompleteSprint {
  @Doc({
    description:
      'Where the unfinished stories are carried over to: `backlog`, which is the default; `next`, the ' +
      'next sprint that is not completed; or the sprint with this id.',
    example: 'next',
  })
  @Optional()
  @IsWordOrId(['backlog', 'next'])
  unfinished?: 'backlog' | 'next' | number;

  @Doc({
    description:
      'The end of that list to which they are moved, in their order; `first` by default.',
  })
  @Optional()
  @IsOneOf(['first', 'last'])
  position?: 'first' | 'last';

  @Doc({ description: 'Answers the same report and changes nothing.' })
  @Optional()
  @IsFlag()
  dry_run?: boolean;
}
