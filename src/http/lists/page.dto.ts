import { IsFlag } from '../validation/choices';
import { IsInteger } from '../validation/numbers';
import { Optional } from '../validation/property';
import { IsText } from '../validation/text';

/** The query parameters of every list. */
export class PageQuery {
  /** The greatest number of items on a page. Default: all items. */
  @Optional() @IsInteger(1, 1000) limit?: number;
  /** The beginning of a page, from the `Link` of the page before. */
  @Optional() @IsText(4096, { blank: false }) cursor?: string;
  /** Whether the response has `X-Total-Count`. */
  @Optional() @IsFlag() count?: boolean;
}
