import { Semaphore } from 'async-mutex';
import { dirname, join } from 'node:path';
import type { Picture } from './svg';

const FONTS = dirname(require.resolve('@expo-google-fonts/inter/package.json'));
/** The fonts of every PNG, so that it looks the same on every machine. */
export const FONT_FILES = [
  '400Regular/Inter_400Regular.ttf',
  '600SemiBold/Inter_600SemiBold.ttf',
].map((file) => join(FONTS, file));
/** Characters that the font has; others need a font of the machine, which takes longer to find. */
const IN_FONT = /^[\t\n\r -\u052F\u1E00-\u1FFF\u2000-\u22FF]*$/;

/** Pixels of a picture, so that its memory and the time of its encoding are bounded. */
const MAX_PIXELS = 2_500_000;

// One at a time: each takes some 10 MB for some 50 ms, in a thread of libuv.
const rendering = new Semaphore(1);

/** Pixels for one pixel of CSS: 2, as chat tools show pictures, less for very large ones. */
export const densityOf = ({ width, height }: Picture): number =>
  Math.min(2, Math.max(1, Math.sqrt(MAX_PIXELS / (width * height))));

/** An SVG as PNG. The library is loaded with the first picture. */
export function png(svg: string, picture: Picture): Promise<Buffer> {
  return rendering.runExclusive(async () => {
    const { renderAsync } = await import('@resvg/resvg-js');
    const image = await renderAsync(svg, {
      font: {
        loadSystemFonts: !IN_FONT.test(svg),
        fontFiles: FONT_FILES,
        defaultFontFamily: 'Inter',
        sansSerifFamily: 'Inter',
      },
      fitTo: { mode: 'zoom', value: densityOf(picture) },
    });
    return image.asPng();
  });
}
