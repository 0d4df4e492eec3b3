const { availableParallelism } = require('node:os');

// There are three runs:
// - `npm test`: the most important tests, in about three minutes on two processors
// - `npm run test:slow`: the *.slow.spec.ts, test/e2e on MySQL, and short runs of generated sequences of
//   operations (test/model) and of faults (test/faults)
// - `npm run test:long`: long runs of test/model and test/faults, and the *.long.spec.ts; they measure, so
//   they need an idle machine
// The suites of the project `unit` need no database, or select one themselves; those of `web` test modules of the
// web client in Node.js.
const ON_BOTH_ENGINES = ['database', 'e2e', 'model', 'faults'];
const RUNS = {
  fast: {
    unit: common('unit/**', 'rules', 'contract'),
    web: common('browser/unit'),
    sqlite: common('database', 'e2e'),
    mysql: common('database'),
    browser: common('browser'),
  },
  slow: {
    unit: slow('unit/**', 'rules', 'contract'),
    sqlite: [...common('model', 'faults'), ...slow(...ON_BOTH_ENGINES)],
    mysql: [...common('e2e', 'model', 'faults'), ...slow(...ON_BOTH_ENGINES)],
    browser: slow('browser'),
  },
  long: {
    sqlite: [...common('model', 'faults'), ...long(...ON_BOTH_ENGINES)],
    mysql: [...common('model', 'faults'), ...long(...ON_BOTH_ENGINES)],
  },
};

const run = process.env.TESTS ?? 'fast';

// Many of the slow suites wait: for a program that starts, or until a connection is tried again.
const WORKERS = { fast: '100%', slow: Math.ceil(1.5 * availableParallelism()), long: 1 };

// TypeORM reads the times of the database, which are in UTC, as local time; see src/main.ts.
process.env.TZ = 'UTC';

const swc = (parser, transform) => [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: { parser, target: 'es2022', keepClassNames: true, transform },
  },
];

const settings = {
  testEnvironment: '<rootDir>/test/jest/environment.js',
  runtime: '<rootDir>/test/jest/runtime.js',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  transform: {
    '^.+\\.ts$': swc(
      { syntax: 'typescript', decorators: true },
      { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    ),
  },
  setupFiles: ['<rootDir>/test/support/setup.ts'],
};

// The suites of the project `web` mock modules, which only Jest's own runtime supports.
const web = {
  testEnvironment: 'node',
  runtime: undefined,
  transform: { ...settings.transform, '^.+\\.m?js$': swc({ syntax: 'ecmascript' }) },
  // These packages are ESM-only, and jest can require() an ES module only on Node >= 24.9.
  transformIgnorePatterns: ['/node_modules/(?!(@nestjs|preact)/)'],
  setupFiles: ['<rootDir>/test/browser/unit/globals.ts'],
};

// Without a database server the suites run on SQLite alone, and without Chromium those of the browser are
// skipped; test/support/global-setup.ts logs a warning.
const { existsSync } = require('node:fs');
const { delimiter, join } = require('node:path');
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const has = (...programs) =>
  programs.some((name) => folders.some((folder) => existsSync(join(folder, name))));
const CHROMIUM = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const isMissing = {
  mysql: !process.env.TEST_MYSQL_URL && !process.env.REQUIRE_MYSQL && !has('mariadbd', 'mysqld'),
  browser: !process.env.REQUIRE_CHROMIUM && !has(...CHROMIUM),
};

module.exports = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Only ends tests that hang: on a busy machine some tests take a minute.
  testTimeout: 120_000,
  maxWorkers: WORKERS[run],
  projects: Object.entries(RUNS[run])
    .filter(([displayName]) => !isMissing[displayName])
    .map(([displayName, testMatch]) => ({
      ...settings,
      ...(displayName === 'web' && web),
      displayName,
      globals: { ENGINE: ['sqlite', 'mysql'].includes(displayName) ? displayName : 'none' },
      testMatch,
    })),
};

/** Patterns of the suites in these folders that are neither slow nor long. */
function common(...folders) {
  return folders.map((folder) => `<rootDir>/test/${folder}/!(*.slow|*.long).spec.ts`);
}
function slow(...folders) {
  return folders.map((folder) => `<rootDir>/test/${folder}/*.slow.spec.ts`);
}
function long(...folders) {
  return folders.map((folder) => `<rootDir>/test/${folder}/*.long.spec.ts`);
}
