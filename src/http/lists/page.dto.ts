import { IsFlag } from '../validation/choices';
import { IsInteger } from '../validation/numbers';
import { MayBeAbsent } from '../validation/property';
import { IsText } from '../validation/text';

/** The query parameters of every list. */
export class PageQuery {
  /** The greatest number of items on a page. Default: all items. */
  @MayBeAbsent() @IsInteger(1, 1000) limit?: number;
  /** The beginning of a page, from the `Link` of the page before. */
  @MayBeAbsent() @IsText(4096, { blank: false }) cursor?: string;
  /** Whether the response has `X-Total-Count`. */
  @MayBeAbsent() @IsFlag() count?: boolean;
}
