// Caches the page itself for a start without a connection, but no response of /api: the page stores the boards
// in IndexedDB. `FILES` are the files of one build, whose names contain a digest.
const FILES = '{{files}}'.split(' ');
const CACHE = 'sprintline-{{version}}';
// A request has other headers than the one that filled the cache.
const AS_STORED = { ignoreVary: true };
const VIEW = /^\/($|b\/|tokens$|import$)/;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(CACHE).then((cache) => cache.addAll(['/', ...FILES].map(htmlRequest))),
  );
});

self.addEventListener('activate', (event) => {
  const isOld = (name) => name.startsWith('sprintline-') && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)))),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.mode === 'navigate' && VIEW.test(pathname)) {
    event.respondWith(fetch(request).catch(() => caches.match('/', AS_STORED)));
  } else if (FILES.includes(pathname)) {
    event.respondWith(caches.match(pathname, AS_STORED).then((known) => known ?? fetch(request)));
  }
});

/** A request that accepts HTML; for other clients, `/` redirects to the description of the API. */
function htmlRequest(path) {
  return new Request(path, { cache: 'no-cache', headers: { Accept: 'text/html,*/*' } });
}
