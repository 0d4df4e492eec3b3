const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Runs a suite with the global object of Node.js, because the modules that suites share use it. */
module.exports = class {
  global = globalThis;
  fakeTimers = null;
  #exit = process.exit;
  #variables = { ...process.env };

  constructor({ projectConfig: config }) {
    Object.assign(globalThis, config.globals);
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    // Jest wraps `process.exit` for each suite.
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) {
      if (!(name in this.#variables)) delete process.env[name];
    }
    Object.assign(process.env, this.#variables);
  }

  // Jest requires this method, but calls it only to load modules itself.
  getVmContext() {
    return null;
  }
};
