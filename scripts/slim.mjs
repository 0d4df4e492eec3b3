// Takes out of node_modules what a running service never loads, for the image: two thirds of it.
// `node scripts/slim.mjs [folder]`, after the development dependencies are gone.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2] ?? 'node_modules';

/** Whole packages: a compiler that is a peer of an optional part, and types. */
const PACKAGES = ['typescript', '@types', 'undici-types', '.bin', '.package-lock.json'];

/** Builds of a package for browsers, bundlers and other module systems, beside the one that Node loads. */
const BUILDS = [
  'class-transformer/bundles',
  'class-transformer/esm2015',
  'class-transformer/esm5',
  'class-validator/bundles',
  'class-validator/esm2015',
  'class-validator/esm5',
  'libphonenumber-js/bundle',
  'libphonenumber-js/es6',
  'libphonenumber-js/es6-modern',
  'rxjs/dist/bundles',
  'rxjs/dist/esm',
  'rxjs/dist/esm5',
  'rxjs/dist/types',
  'rxjs/src',
  'swagger-ui-dist/swagger-ui-es-bundle-core.js',
  'swagger-ui-dist/swagger-ui-es-bundle.js',
  'typeorm/browser',
];

/** What is for a package's own developers, or for a reader. Licences stay. */
const FOLDERS =
  /^(\.github|bench|benchmark|benchmarks|docs|example|examples|test|tests|__tests__)$/;
const FILES = /\.(d\.[cm]?ts|[cm]?ts|tsbuildinfo|map|md|markdown)$/;
const LEGAL = /^(licen[cs]e|notice|copying|copyright)/i;

const remove = (path) => rmSync(path, { recursive: true, force: true });

for (const path of [...PACKAGES, ...BUILDS]) remove(join(root, path));

// The native part of libsql comes for both C libraries of Linux; this system has one of them.
if (process.platform === 'linux') {
  const { glibcVersionRuntime } = process.report.getReport().header;
  const other = glibcVersionRuntime ? 'musl' : 'gnu';
  remove(join(root, '@libsql', `linux-${process.arch}-${other}`));
}

function clean(folder) {
  const isPackage = existsSync(join(folder, 'package.json'));
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (isPackage && FOLDERS.test(entry.name)) remove(path);
      else clean(path);
    } else if (FILES.test(entry.name) && !LEGAL.test(entry.name)) {
      remove(path);
    }
  }
}
clean(root);
