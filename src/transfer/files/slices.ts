import { TimeSlice } from '../../time/time-slice';

/** Parsing a slice takes 1 ms, and 10 ms if it has only empty lines of a table. */
const SLICE_BYTES = 2 * 1024;

/** Cuts chunks into slices, and lets other requests run in between. */
export async function* slicesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const timeSlice = new TimeSlice();
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
      yield chunk.subarray(start, start + SLICE_BYTES);
      await timeSlice.pause();
    }
  }
}
