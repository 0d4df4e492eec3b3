import type { Answer } from '../util/answer';
import { UNREACHABLE } from '../util/answer';

/** Shows why a request has no data; nothing while it is loading. */
export function NoAnswer({ data, error, isUnreachable }: Answer<unknown>) {
  if (data) return null;
  if (error) return <p role="alert">{error.message}</p>;
  return isUnreachable ? <p class="empty">{UNREACHABLE}</p> : null;
}
