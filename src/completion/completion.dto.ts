import { IsFlag, IsOneOf, IsWordOrId, Optional } from '../http/validation';

export class CompleteSprint {
  /**
   * Where the unfinished stories are carried over to: `backlog`; `next`, the next sprint that is not
   * completed; or the sprint with this id. Default: `backlog`.
   * @example next
   */
  @Optional() @IsWordOrId(['backlog', 'next']) unfinished?: 'backlog' | 'next' | number;
  /** The end of that list to which they are moved, in their order. Default: `first`. */
  @Optional() @IsOneOf(['first', 'last']) position?: 'first' | 'last';
  /** Responds with the same report, but changes nothing. */
  @Optional() @IsFlag() dry_run?: boolean;
}
