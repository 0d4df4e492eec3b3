import type { Answer } from '../util/answer';
import { CUT_OFF } from '../util/answer';

/** Shows why a request has no data; nothing while it is loading. */
export function NoAnswer({ data, error, isCutOff }: Answer<unknown>) {
  if (data) return null;
  if (error) return <p role="alert">{error.message}</p>;
  return isCutOff ? <p class="empty">{CUT_OFF}</p> : null;
}
