const { default: TestRunner } = require('jest-runner');

/** Runs suites in half of the workers, so that each one has two processors. */
module.exports = class HalfRunner extends TestRunner {
  constructor(config, context) {
    super({ ...config, maxWorkers: Math.max(1, Math.floor(config.maxWorkers / 2)) }, context);
  }
};
