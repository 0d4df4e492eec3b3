import type { ApiError } from '../api/problem';
import type { Answer } from '../util/answer';
import { UNREACHABLE } from '../util/answer';
import { Skeleton } from './controls';

/**
 * Shows why a request has no data.
 * @param lines the height to reserve while it is loading, in lines
 */
export function NoAnswer({
  data,
  error,
  isUnreachable,
  lines,
}: Answer<unknown> & { lines?: number }) {
  if (data) return null;
  if (error) return <p role="alert">{error.message}</p>;
  if (isUnreachable) return <p class="empty">{UNREACHABLE}</p>;
  return lines ? <Skeleton lines={lines} /> : null;
}

/** A view that could not be loaded, with the error; without one, the service cannot be reached. */
export function NotLoaded({ error = null }: { error?: ApiError | null }) {
  return (
    <div class="blank">
      <h1>Not loaded</h1>
      <NoAnswer data={null} error={error} isUnreachable />
    </div>
  );
}
