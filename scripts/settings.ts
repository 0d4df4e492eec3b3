// Writes .env.example and docs/configuration.md from the settings: `npm run docs:settings`.
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataStorage } from 'class-validator';
import { format, resolveConfig } from 'prettier';
import { Config, SETTINGS } from '../src/config/config';

const settings = Object.entries(SETTINGS);

/** Returns the content of `.env.example`: every setting with its default, commented out. */
export function envExample(): string {
  return [
    '# All settings with their defaults. Written by `npm run docs:settings`; a test compares.',
    '# To use this file, copy it to .env and start the service with `node --env-file=.env dist/main.js`.',
    ...settings.map(([name, setting]) => {
      return `\n# ${setting.description}\n# ${name}=${setting.default}`;
    }),
    '',
  ].join('\n');
}

const rules = getMetadataStorage().getTargetValidationMetadatas(Config, '', false, false);

/** Returns the allowed values of a setting, if its decorators list them or limit a number. */
function allowed(property: string): string {
  const constraintOf = (rule: string): unknown =>
    rules.find((each) => each.propertyName === property && each.name === rule)?.constraints?.[0];
  const words = constraintOf('isIn') as string[] | undefined;
  if (words) return words.map((word) => `\`${word}\``).join(', ');
  const [min, max] = ['min', 'max'].map((rule) => constraintOf(rule) as number | undefined);
  return min === undefined ? '' : `${min} to ${max}`;
}

const PAGE = join(__dirname, '../docs/configuration.md');

/** Returns the content of `docs/configuration.md`. */
export async function configurationPage(): Promise<string> {
  const rows = settings.map(([name, setting]) => {
    const shown = setting.default === '' ? '' : `\`${setting.default}\``;
    const values = allowed(setting.property);
    return `| \`${name}\` | ${shown} | ${values} | ${setting.description.replaceAll('|', '\\|')} |`;
  });
  const page = `# Configuration

<!-- Written by \`npm run docs:settings\` from src/config/config.ts; a test compares. -->

Every setting is an environment variable with a default that works; an empty variable counts as not set. The service
reads the settings once, at its start. If some are invalid, the service prints all errors and does not start.

| Variable | Default | Allowed | Meaning |
|---|---|---|---|
${rows.join('\n')}

\`.env.example\` lists the same settings. To use a file with settings, copy it to \`.env\` and start the service with
\`node --env-file=.env dist/main.js\`. Commands need the same option, as in
\`node --env-file=.env dist/cli.js tokens list\`, and the same working directory if the path of the database is relative.
`;
  return format(page, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}

if (require.main === module) {
  writeFileSync(join(__dirname, '../.env.example'), envExample());
  void configurationPage().then((page) => writeFileSync(PAGE, page));
}
