import { Resvg } from '@resvg/resvg-js';
import { parentPort, workerData } from 'node:worker_threads';

/** The input of the thread. */
export interface Rendering {
  svg: string;
  fontFiles: string[];
  loadSystemFonts: boolean;
  density: number;
}

const { svg, fontFiles, loadSystemFonts, density } = workerData as Rendering;
const image = new Resvg(svg, {
  font: { fontFiles, loadSystemFonts, defaultFontFamily: 'Inter', sansSerifFamily: 'Inter' },
  fitTo: { mode: 'zoom', value: density },
}).render();
parentPort?.postMessage(image.asPng());
