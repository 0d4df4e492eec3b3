import { IsFlag, IsOneOf, IsWordOrId } from '../http/validation/choices';
import { MayBeAbsent } from '../http/validation/property';

export class CompleteSprint {
  /**
   * The list that the unfinished stories are carried over to: `backlog`; `next`, the next sprint that is
   * not completed; or the id of a sprint. Default: `backlog`.
   * @example next
   */
  @MayBeAbsent() @IsWordOrId(['backlog', 'next']) unfinished?: 'backlog' | 'next' | number;
  /** Whether they become the first or the last stories of that list, in their order. Default: `first`. */
  @MayBeAbsent() @IsOneOf(['first', 'last']) position?: 'first' | 'last';
  /** Responds with the same report, but changes nothing. */
  @MayBeAbsent() @IsFlag() dry_run?: boolean;
}
