import type { Failure } from '../../state/board/board-reader';

/** Says in the form of a story why it cannot be saved: its board was deleted, or must not be read any more. */
export function BoardGone({ failure }: { failure: Failure }) {
  return (
    <p class="notice" role="alert">
      {failure.detail} The text below cannot be saved here. Copy what you want to keep.
    </p>
  );
}
