// Builds the program where a source file is newer than the build, so that `npm start` works on a fresh clone.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { execSync } from 'node:child_process';

const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(`${entry.parentPath ?? entry.path}/${entry.name}`).mtimeMs),
  );

const main = 'dist/main.js';
// The image has no sources, only the build.
if (existsSync('src') && (!existsSync(main) || statSync(main).mtimeMs < newest('src'))) {
  execSync('npm run build', { stdio: 'inherit' });
}
