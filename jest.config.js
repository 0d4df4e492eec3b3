// Every suite under test/e2e, test/model and test/faults runs twice: once on SQLite, once on a
// MySQL-speaking server. The other suites need no database of their own, or choose one themselves.
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
    '/node_modules/(?!(@nestjs|cookie|content-disposition)/)',
    '<rootDir>/dist/',
  ],
  // Its modules await at their top, which a module that was made CommonJS cannot; this is one file.
  moduleNameMapper: { '^vega$': '<rootDir>/node_modules/vega/build/vega.js' },
  setupFiles: ['<rootDir>/test/support/setup.ts'],
};

// On a machine without a server the suites run on SQLite alone; test/support/global-setup.ts says so.
const { existsSync } = require('node:fs');
const { delimiter, join } = require('node:path');
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const hasMysql =
  Boolean(process.env.TEST_MYSQL_URL || process.env.REQUIRE_MYSQL) ||
  ['mariadbd', 'mysqld'].some((name) => folders.some((folder) => existsSync(join(folder, name))));

const suite = (displayName, engine, folders) => ({
  ...common,
  displayName,
  globals: { ENGINE: engine },
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.spec.ts`),
});

module.exports = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 30_000,
  // Two workers on the two cores that the suite is made for.
  maxWorkers: 2,
  projects: [
    suite('unit', 'none', ['unit', 'rules', 'contract']),
    suite('sqlite', 'sqlite', ['e2e', 'model', 'faults']),
    ...(hasMysql ? [suite('mysql', 'mysql', ['e2e', 'model', 'faults'])] : []),
  ],
};
