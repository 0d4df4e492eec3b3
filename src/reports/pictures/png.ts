import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FairQueue } from '../../database/fair-queue';
import type { Client } from '../../http/client';
import type { Rendering } from './png.worker';
import type { Picture } from './svg';

const FONTS = dirname(require.resolve('@expo-google-fonts/inter/package.json'));
/** The fonts of every PNG, so that it looks the same on every machine. */
export const FONT_FILES = [
  '400Regular/Inter_400Regular.ttf',
  '600SemiBold/Inter_600SemiBold.ttf',
].map((file) => join(FONTS, file));
/** The characters of the font; others need a system font, which takes longer to find. */
const IN_FONT = /^[\t\n\r -\u052F\u1E00-\u1FFF\u2000-\u22FF]*$/;

/** The maximum pixels of a picture, which bounds the memory and the time of its rendering. */
const MAX_PIXELS = 2_500_000;

// Tests run the sources; a worker thread can only load the built file.
const WORKER_FILE = join(
  __filename.endsWith('.ts') ? join(__dirname, '../../../dist/reports/pictures') : __dirname,
  'png.worker.js',
);

/** Concurrent renderings: each takes about 30 MB for about 0.1 s. */
const RENDERINGS = 2;
/** Maximum milliseconds that a picture waits for others. */
const WAIT_MS = 2000;
const rendering = new FairQueue(RENDERINGS, WAIT_MS);

/** The pixels for each CSS pixel: 2, as chat tools show pictures, or less for very large pictures. */
export const densityOf = ({ width, height }: Picture): number =>
  Math.min(2, Math.max(1, Math.sqrt(MAX_PIXELS / (width * height))));

/**
 * Renders an SVG as PNG in a thread of its own: the encoding takes up to 100 ms of processor time, and
 * resvg frees its pixels only when the thread ends.
 * @throws Problem `overloaded`; an `AbortError` if the client disconnects while it waits
 */
export function png(svg: string, picture: Picture, { key, signal }: Client): Promise<Buffer> {
  const workerData: Rendering = {
    svg,
    fontFiles: FONT_FILES,
    loadSystemFonts: !IN_FONT.test(svg),
    density: densityOf(picture),
  };
  return rendering.run(key, async () => {
    signal?.throwIfAborted();
    const worker = new Worker(WORKER_FILE, { workerData });
    try {
      const ended = once(worker, 'exit').then(() => {
        throw new Error('the thread ended without a picture');
      });
      const [image] = (await Promise.race([once(worker, 'message'), ended])) as [Uint8Array];
      return Buffer.from(image.buffer, image.byteOffset, image.byteLength);
    } finally {
      await worker.terminate();
    }
  });
}
