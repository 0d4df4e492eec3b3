import type { SendOptions } from '@fastify/static';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Problem } from './http/problem';
import { sendProblem } from './http/problem.filter';
import { isMissingPage, requireAcceptable, vary } from './http/responses/formats';
import type { RouteSettings } from './http/route';
import { policyOfPage } from './http/security-headers';
import { STORY_FIELDS } from './stories/story.dto';

/** The built page: index.html and, in `assets`, files whose names contain a digest of their content. */
export const WEB_FOLDER = join(__dirname, 'web');

/** Everything comes from this service; nothing is inline. */
const POLICY = policyOfPage("font-src 'self'", "manifest-src 'self'", "form-action 'self'");

/** Views over which a story can be open. */
const BOARD_VIEWS = ['', '/backlog', '/reports', '/settings', '/import'].map(
  (view) => `/b/:board_name${view}`,
);

/** The paths of the board in the browser. All return the same page, which shows the view. */
const VIEWS = [
  '/',
  '/tokens',
  '/import',
  ...BOARD_VIEWS,
  ...BOARD_VIEWS.map((view) => `${view}/stories/:story_id`),
];

/**
 * Serves the board in the browser: its files, which the build has compressed, and its page, which shows “Not found” for a
 * path that does not exist.
 */
export async function serveWeb(server: FastifyInstance, folder: string): Promise<void> {
  const isPublic = { config: { scope: 'public' } satisfies RouteSettings };
  const hasPage = existsSync(join(folder, 'index.html'));
  for (const path of VIEWS) {
    server.get(path, isPublic, (request, reply) => {
      if (path === '/' && !wantsPage(request, reply)) return reply.redirect('/openapi.json', 302);
      if (!hasPage) {
        sendProblem(request, reply, new Problem('route_not_found', NOT_BUILT));
        return reply;
      }
      const links = preloadsOf(request);
      if (links) reply.header('Link', links);
      return sendPage(reply);
    });
  }
  if (!hasPage) return;
  server.addHook('onRequest', (request, reply, done) => {
    // Without a validator: to a browser that has the page, the plugin would send 404 without a body.
    if (isMissingPage(request)) sendPage(reply.code(404), { etag: false, lastModified: false });
    else done();
  });
  await server.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    acceptRanges: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isAsset = relative(folder, path).startsWith(`assets${sep}`);
      reply.header('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  for (const file of filesOf(folder)) {
    server.get(`/${file}`, isPublic, (_request, reply) => {
      // A service worker gets the policy of the response that contains its script.
      if (file === SERVICE_WORKER) reply.header('Content-Security-Policy', POLICY);
      return reply.sendFile(file);
    });
  }
}

const sendPage = (reply: FastifyReply, options?: SendOptions): FastifyReply =>
  reply.header('Content-Security-Policy', POLICY).sendFile('index.html', options);

/** The script that caches the page, so that it opens without a connection. */
const SERVICE_WORKER = 'service-worker.js';

/** The fields of a story that the board shows: those of `CARD_FIELDS` in web/src/state/model.ts. */
const CARD_FIELDS = STORY_FIELDS.filter((name) => name !== 'description').join();

/**
 * Returns a `Link` header that preloads the first requests of the script of a board: the browser sends them
 * while it loads the script.
 */
function preloadsOf({ params, url }: FastifyRequest): string | undefined {
  const { board_name } = params as { board_name?: string };
  if (board_name === undefined) return undefined;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const board = `/api/boards/${encodeURIComponent(board_name)}`;
  const paths = ['/api/session', board, `${board}/sprints`];
  const sprint = searchParams.get('sprint') ?? 'current';
  if (/^\/b\/[^/]+(\/stories\/[^/]+)?\/?$/.test(pathname) && /^[\da-z]+$/.test(sprint)) {
    const base = /^\d+$/.test(sprint) ? '/api' : board;
    paths.push(`${base}/sprints/${sprint}/stories?fields=${encodeURIComponent(CARD_FIELDS)}`);
  }
  return paths.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(', ');
}

const NOT_BUILT = 'The board in the browser is not built; `npm run build` builds it.';

/** Whether a client of `/` accepts HTML; other clients are programs and get the OpenAPI document. */
function wantsPage(request: FastifyRequest, reply: FastifyReply): boolean {
  vary(reply, 'Accept');
  return requireAcceptable(request, ['text/html', 'application/json']) === 'text/html';
}

/** The files of a folder, without the page and the compressed variants. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => file !== 'index.html' && !/\.(br|gz)$/.test(file));
}
