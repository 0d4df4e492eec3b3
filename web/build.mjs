// Builds the board in the browser into dist/web: hashed assets with their compressed forms, and index.html.
// `--watch` builds again whenever a source changes.
import { context } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const WEB = dirname(fileURLToPath(import.meta.url));
const OUT = join(WEB, '../dist/web');
const isWatching = process.argv.includes('--watch');

const COMPRESSIBLE = /\.(html|js|css|svg|webmanifest)$/;

function compress(file) {
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}

/** Writes index.html, which names the hashed files of the entry points. */
const page = {
  name: 'page',
  setup(build) {
    build.onStart(() => {
      rmSync(OUT, { recursive: true, force: true });
      mkdirSync(OUT, { recursive: true });
    });
    build.onEnd(({ metafile, errors }) => {
      if (errors.length > 0) return;
      const urls = {};
      for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
        if (entryPoint) urls[entryPoint] = `/${file.split('dist/web/')[1]}`;
      }
      const render = (name) =>
        readFileSync(join(WEB, name), 'utf8').replace(
          /\{\{(.+?)\}\}/g,
          (_match, entry) => urls[`web/${entry}`],
        );
      const manifest = render('manifest.webmanifest');
      const digest = createHash('sha1').update(manifest).digest('hex').slice(0, 8);
      urls['web/manifest.webmanifest'] = `/assets/manifest-${digest}.webmanifest`;
      writeFileSync(join(OUT, urls['web/manifest.webmanifest']), manifest);
      // The main script only imports the file that all views share, so the page loads that file directly.
      const main = Object.values(metafile.outputs).find((o) => o.entryPoint === 'web/src/main.tsx');
      const [shared] = main.imports.filter(({ kind }) => kind === 'import-statement');
      urls['web/src/main.tsx'] = `/${shared.path.split('dist/web/')[1]}`;
      const page = render('index.html');
      writeFileSync(join(OUT, 'index.html'), page);
      const files = readdirSync(join(OUT, 'assets')).map((name) => `/assets/${name}`);
      const version = createHash('sha1')
        .update(page + files.join())
        .digest('hex')
        .slice(0, 8);
      const worker = readFileSync(join(WEB, 'service-worker.js'), 'utf8')
        .replace('{{files}}', files.join(' '))
        .replace('{{version}}', version);
      writeFileSync(join(OUT, 'service-worker.js'), worker);
      for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue;
        compress(join(entry.parentPath ?? entry.path, entry.name));
      }
    });
  },
};

/**
 * Bundles the modules that the first view shares with later views into one file instead of some twenty: each
 * later view imports the first one, so that all of them share the same modules.
 */
const firstView = {
  name: 'first-view',
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ kind, path, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === firstView) return undefined;
      const { path: view } = await build.resolve(path, { kind, resolveDir, pluginData: firstView });
      return { path: view, namespace: 'later-view' };
    });
    build.onLoad({ filter: /./, namespace: 'later-view' }, ({ path }) => ({
      contents: `import ${JSON.stringify(join(WEB, 'src/main.tsx'))}; export * from ${JSON.stringify(path)};`,
      resolveDir: WEB,
    }));
  },
};

const build = await context({
  absWorkingDir: join(WEB, '..'),
  entryPoints: ['web/src/main.tsx', 'web/src/styles/main.css', 'web/icon.svg'],
  outdir: 'dist/web/assets',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  // The first versions with popovers, which the menus are.
  target: ['es2022', 'chrome114', 'firefox125', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'copy' },
  minify: !isWatching,
  sourcemap: isWatching,
  metafile: true,
  legalComments: 'none',
  logLevel: isWatching ? 'info' : 'warning',
  plugins: [firstView, page],
});

if (isWatching) await build.watch();
else {
  try {
    await build.rebuild();
  } catch {
    // esbuild has printed the errors.
    process.exitCode = 1;
  }
  await build.dispose();
}
