// A separate configuration, because a cluster starts slowly and not on every machine: `npm run test:cluster`.
const { resolve } = require('node:path');
const suites = require('../../jest.config.js');

const [{ transform, ...common }] = suites.projects;
const rootDir = resolve(__dirname, '../..');

module.exports = {
  ...common,
  transform,
  rootDir,
  displayName: 'cluster',
  globals: { ENGINE: 'mysql' },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testMatch: ['<rootDir>/test/cluster/**/*.spec.ts'],
  testTimeout: 240_000,
  maxWorkers: 1,
};
