// The suites of test/e2e run twice, once on SQLite and once on a MySQL-speaking server; so do, by
// `npm run test:faults` (SLOW=short), those of test/model and test/faults, and by `npm run test:slow`
// (SLOW=long) their long form and the *.slow.spec.ts. The other suites need no database, or choose one
// themselves.

// Entities have a Date for each time that the database stores in UTC; see src/main.ts.
process.env.TZ = 'UTC';
const isSlow = process.env.SLOW !== undefined;

const swc = (parser, transform) => [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: { parser, target: 'es2022', keepClassNames: true, transform },
  },
];

const common = {
  testEnvironment: 'node',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  transform: {
    '^.+\\.ts$': swc(
      { syntax: 'typescript', decorators: true },
      { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    ),
    '^.+\\.m?js$': swc({ syntax: 'ecmascript' }),
  },
  // These are ESM-only, and jest can require() such a module only on Node >= 24.9.
  transformIgnorePatterns: [
    '/node_modules/(?!(@nestjs|cookie|content-disposition|d3-[a-z-]+|internmap|preact)/)',
    '<rootDir>/dist/',
  ],
  // A relative import() names the built file.
  moduleNameMapper: { '^(\\./(?:pictures|cli)/\\w+)\\.js$': '$1' },
  setupFiles: ['<rootDir>/test/support/setup.ts'],
};

// On a machine without a server the suites run on SQLite alone, without Chromium those of the browser do
// not run, and test/support/global-setup.ts warns.
const { existsSync } = require('node:fs');
const { delimiter, join } = require('node:path');
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const has = (...programs) =>
  programs.some((name) => folders.some((folder) => existsSync(join(folder, name))));
const hasMysql =
  Boolean(process.env.TEST_MYSQL_URL || process.env.REQUIRE_MYSQL) || has('mariadbd', 'mysqld');
const hasChromium =
  Boolean(process.env.REQUIRE_CHROMIUM) || has('chromium', 'chromium-browser', 'google-chrome');

const specs = (folders) => folders.map((folder) => `<rootDir>/test/${folder}/**/*.spec.ts`);
const isShort = process.env.SLOW === 'short';
const slowSpecs = [
  ...specs(['model', 'faults']),
  `${isShort ? '!' : '<rootDir>/test/'}**/*.slow.spec.ts`,
];

const suite = (displayName, engine, folders) => ({
  ...common,
  displayName,
  globals: { ENGINE: engine },
  testMatch: isSlow ? slowSpecs : [...specs(folders), '!**/*.slow.spec.ts'],
});

module.exports = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 30_000,
  // The long suites measure, and need the machine for themselves; the short ones start many processes.
  maxWorkers: isShort ? 2 : isSlow ? 1 : '100%',
  projects: [
    ...(isSlow ? [] : [suite('unit', 'none', ['unit', 'rules', 'contract', 'browser/unit'])]),
    suite('sqlite', 'sqlite', ['e2e']),
    ...(hasMysql ? [suite('mysql', 'mysql', ['e2e'])] : []),
    // The board in the browser, over the built program.
    ...(hasChromium && !isSlow
      ? [{ ...suite('browser', 'sqlite', ['browser']), testPathIgnorePatterns: ['/browser/unit/'] }]
      : []),
  ],
};
