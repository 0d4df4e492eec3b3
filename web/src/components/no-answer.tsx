import type { Answer } from '../util/answer';
import { CUT_OFF } from '../util/answer';

/** The reason why there is no answer to a request; nothing while it loads. */
export function NoAnswer({ data, error, isCutOff }: Answer<unknown>) {
  if (data) return null;
  if (error) return <p role="alert">{error.message}</p>;
  return isCutOff ? <p class="empty">{CUT_OFF}</p> : null;
}
