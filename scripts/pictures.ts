// Writes the pictures of README.md and docs/reports.md: `npm run docs:pictures`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { burndownPicture } from '../src/reports/pictures/burndown';
import { forecastPicture } from '../src/reports/pictures/forecast';
import { svg } from '../src/reports/pictures/svg';
import { velocityPicture } from '../src/reports/pictures/velocity';
import { burndownOf, forecastOf, velocityOf } from '../test/support/pictures';

export const DOCS = join(__dirname, '../docs');
const WIDTH = 720;

const sprint = {
  remaining: [28, 26, 29, 27, 24, 24, 24, 22, 21],
  scope: [28, 28, 31, 31, 31, 31, 31, 31, 31],
  committed: 28,
};
const names = Array.from({ length: 8 }, (_, index) => `Sprint ${index + 4}`);
const completed = [18, 31, 12, 27, 9, 24, 33, 16];

/** Draws the pictures of the documentation. Returns them by the names of their files. */
export const documented = (): Record<string, string> => ({
  'burndown.svg': svg(burndownPicture(burndownOf(sprint), WIDTH), 'auto'),
  'burnup.svg': svg(burndownPicture(burndownOf(sprint, {}, { kind: 'burnup' }), WIDTH), 'auto'),
  'velocity.svg': svg(velocityPicture(velocityOf(names), WIDTH), 'auto'),
  'forecast.svg': svg(forecastPicture(forecastOf(134, completed), WIDTH), 'auto'),
});

if (require.main === module) {
  for (const [file, picture] of Object.entries(documented())) {
    writeFileSync(join(DOCS, file), `${picture}\n`);
  }
}
