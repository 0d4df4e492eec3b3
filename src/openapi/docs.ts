import accepts from 'accepts';
import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { etagOf, notModified } from '../http/responses/etag';
import { vary } from '../http/responses/formats';
import type { RouteSettings } from '../http/route';
import { policyOfPage } from '../http/security-headers';

/** The OpenAPI document, which is committed, tested and served. */
export const DOCUMENT_FILE = join(__dirname, '../..', 'openapi.json');

/** The page has no form. */
const POLICY = policyOfPage("form-action 'none'");

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Sprintline</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/index.css" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/init.js"></script>
  </body>
</html>
`;

/** No validator: it would send the document to another service. */
const SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
});
`;

const ASSETS = {
  'favicon-32x32.png': 'image/png',
  'index.css': 'text/css; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Serves `/openapi.json` and `/docs`. */
export function serveDocs(server: FastifyInstance): void {
  const page = { 'Content-Security-Policy': POLICY };
  serve(server, '/openapi.json', 'application/json; charset=utf-8', page, () =>
    readFileSync(DOCUMENT_FILE),
  );
  serve(server, '/docs', 'text/html; charset=utf-8', page, () => PAGE);
  serve(server, '/docs/init.js', 'text/javascript; charset=utf-8', page, () => SCRIPT);
  const assets = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const [name, type] of Object.entries(ASSETS)) {
    const cached = { 'Cache-Control': 'public, max-age=3600' };
    serve(server, `/docs/${name}`, type, cached, () => readFileSync(join(assets, name)));
  }
}

/**
 * Serves a file from memory, plain or compressed. It is compressed once: no token is needed to request it, so
 * many requests, or slow ones, must take neither processor time nor memory.
 */
function serve(
  server: FastifyInstance,
  path: string,
  type: string,
  headers: Record<string, string>,
  read: () => Buffer | string,
): void {
  let file: { plain: Buffer; gzip: Buffer; etag: string } | undefined;
  const load = (): NonNullable<typeof file> => {
    const plain = Buffer.from(read());
    return { plain, gzip: gzipSync(plain), etag: etagOf(plain) };
  };
  server.get(path, { config: { scope: 'public' } satisfies RouteSettings }, (request, reply) => {
    const { plain, gzip, etag } = (file ??= load());
    vary(reply, 'accept-encoding');
    reply.headers(headers);
    if (notModified(reply, etag)) return reply.send('');
    void reply.type(type);
    const isGzip = accepts(request.raw).encoding(['gzip', 'identity']) === 'gzip';
    if (!isGzip || type === 'image/png') return reply.send(plain);
    return reply.header('Content-Encoding', 'gzip').send(gzip);
  });
}
