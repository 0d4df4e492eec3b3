const { createRequire } = require('node:module');
const { dirname, join, sep } = require('node:path');
const Runtime = require('jest-runtime').default;
const { addHook } = require('pirates');

const TESTS = join(__dirname, '..');
const SRC = join(__dirname, '../../src');

/** Descriptions of the symbols under which jest-circus stores its state in the global object. */
const CIRCUS_SYMBOLS = ['EVENT_HANDLERS', 'JEST_STATE_SYMBOL', 'TEST_TIMEOUT_SYMBOL'];

const sourceMaps = new Map();
let removeHook;

/**
 * Loads modules with the `require` of Node.js, so that a worker loads src and the libraries once. Jest's own runtime
 * loads and compiles them again for each suite, which takes one to two seconds. See docs/decisions/libraries.md.
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
    // Test files and jest-circus have state of their suite, so they are loaded again. In watch mode src may have
    // changed.
    unload([TESTS, dirname(config.testRunner), ...(isWatching ? [SRC] : [])]);
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (CIRCUS_SYMBOLS.includes(symbol.description)) delete globalThis[symbol];
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
