import { IsFlag, IsOneOf, IsWordOrId } from '../http/validation/choices';
import { Optional } from '../http/validation/property';

export class CompleteSprint {
  /**
   * The list that the unfinished stories are carried over to: `backlog`; `next`, the next sprint that is
   * not completed; or the id of a sprint. Default: `backlog`.
   * @example next
   */
  @Optional() @IsWordOrId(['backlog', 'next']) unfinished?: 'backlog' | 'next' | number;
  /** Whether they become the first or the last stories of that list, in their order. Default: `first`. */
  @Optional() @IsOneOf(['first', 'last']) position?: 'first' | 'last';
  /** Responds with the same report, but changes nothing. */
  @Optional() @IsFlag() dry_run?: boolean;
}
