const { createRequire } = require('node:module');
const { dirname, join, sep } = require('node:path');
const Runtime = require('jest-runtime').default;
const { addHook } = require('pirates');

const TESTS = join(__dirname, '..');
const SRC = join(__dirname, '../../src');

/** Descriptions of the symbols by which the test runner keeps its state in the globals. */
const OF_RUNNER = ['EVENT_HANDLERS', 'JEST_STATE_SYMBOL', 'TEST_TIMEOUT_SYMBOL'];

const sourceMaps = new Map();
let removeHook;

/**
 * Loads modules by the `require` of Node.js, so that a worker loads src and libraries once. Jest's own runtime loads
 * them again for each suite, which takes a second or two, and then their code runs cold.
 * See docs/decisions/libraries.md.
 */
module.exports = class extends Runtime {
  constructor(...options) {
    super(...options);
    const [config, , , transformer, , , testPath, globalConfig] = options;
    const isWatching = globalConfig.watch || globalConfig.watchAll;
    removeHook?.();
    removeHook = addHook(
      (source, filename) => {
        const { code, sourceMapPath } = transformer.transformSource(filename, source, {});
        sourceMaps.set(filename, sourceMapPath);
        return code;
      },
      { exts: ['.ts'] },
    );
    // The files of tests have variables and hooks, and the test runner has results. While Jest watches files, src
    // changes.
    unload([TESTS, dirname(config.testRunner), ...(isWatching ? [SRC] : [])]);
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (OF_RUNNER.includes(symbol.description)) delete globalThis[symbol];
    }
    globalThis.jest = this.jestGlobals.jestObjectFor(testPath);
  }

  requireModule(from, name) {
    return createRequire(from)(name ?? from);
  }

  getSourceMaps() {
    return sourceMaps;
  }
};

function unload(folders) {
  for (const path of Object.keys(require.cache)) {
    const isInside = folders.some((folder) => path.startsWith(folder + sep));
    if (isInside && dirname(path) !== __dirname) delete require.cache[path];
  }
}
