import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds the executable of Chromium on this machine. */
export function chromiumBinary(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file));
}
