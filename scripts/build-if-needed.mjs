// Builds the program where a source file is newer than the build, so that `npm start` works on a fresh clone.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { execSync } from 'node:child_process';

const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'schema.d.ts')
      .map((entry) => statSync(`${entry.parentPath ?? entry.path}/${entry.name}`).mtimeMs),
  );

const isStale = (file, folder) => !existsSync(file) || statSync(file).mtimeMs < newest(folder);
// The image has no sources, only the build.
if (
  existsSync('src') &&
  (isStale('dist/main.js', 'src') || isStale('dist/web/index.html', 'web'))
) {
  execSync('npm run build', { stdio: 'inherit' });
}
