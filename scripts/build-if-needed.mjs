// Builds the program if a source file is newer than the build, so that `npm start` works in a fresh clone.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { execSync } from 'node:child_process';

const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'schema.d.ts')
      .map((entry) => statSync(`${entry.parentPath}/${entry.name}`).mtimeMs),
  );

const isStale = (file, folder) => !existsSync(file) || statSync(file).mtimeMs < newest(folder);
// The container image has only the build, without the sources.
if (
  existsSync('src') &&
  (isStale('dist/main.js', 'src') || isStale('dist/web/index.html', 'web'))
) {
  execSync('npm run build', { stdio: 'inherit' });
}
