// Writes .env.example and docs/configuration.md from the settings: `npm run docs:settings`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { SETTINGS } from '../src/config/config';

const settings = Object.entries(SETTINGS);

/** `.env.example`: every setting with its default, none of them set. */
export function envExample(): string {
  return [
    '# Every setting, with its default. Written by `npm run docs:settings`; a test compares.',
    '# Copy this file to .env, and start with `node --env-file=.env dist/main.js`.',
    ...settings.map(
      ([name, { about, default: fallback }]) => `\n# ${about}\n# ${name}=${fallback}`,
    ),
    '',
  ].join('\n');
}

const PAGE = join(__dirname, '../docs/configuration.md');

/** `docs/configuration.md`. */
export async function configurationPage(): Promise<string> {
  const rows = settings.map(([name, { about, default: fallback }]) => {
    const shown = fallback === '' ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${about.replaceAll('|', '\\|')} |`;
  });
  const page = `# Configuration

<!-- Written by \`npm run docs:settings\` from src/config.ts; a test compares. -->

Every setting is a variable of the environment, and has a default that works. They are read once, when the service
starts; one that cannot be used stops it with a line that says what it should be.

| Variable | Default | |
|---|---|---|
${rows.join('\n')}

\`.env.example\` has the same as a file: \`node --env-file=.env dist/main.js\` reads a copy of it.
`;
  return format(page, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}

if (require.main === module) {
  writeFileSync(join(__dirname, '../.env.example'), envExample());
  void configurationPage().then((page) => writeFileSync(PAGE, page));
}
