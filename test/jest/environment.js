const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Runs a suite with the globals of Node.js itself, not with copies, which modules that are shared cannot use. */
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
    // Jest replaces it for each suite.
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) {
      if (!(name in this.#variables)) delete process.env[name];
    }
    Object.assign(process.env, this.#variables);
  }

  // Only modules that Jest loads itself would need one.
  getVmContext() {
    return null;
  }
};
