// `npm start` on a fresh clone builds first; where a build is newer than the sources it starts at once.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { execSync } from 'node:child_process';

const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(`${entry.parentPath ?? entry.path}/${entry.name}`).mtimeMs),
  );

const main = 'dist/main.js';
// An image or a package carries no sources: what is built is all there is.
if (existsSync('src') && (!existsSync(main) || statSync(main).mtimeMs < newest('src'))) {
  execSync('npm run build', { stdio: 'inherit' });
}
