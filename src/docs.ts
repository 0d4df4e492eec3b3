import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { createReadStream, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RouteSettings } from './http/route';
import { policyOfPage } from './http/security-headers';

/** The OpenAPI document, which is committed, tested and served. */
export const DOCUMENT_FILE = join(__dirname, '..', 'openapi.json');

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
export function setUpDocs(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  let text: string | undefined;
  const document = (): string => (text ??= readFileSync(DOCUMENT_FILE, 'utf8'));
  const send = (reply: FastifyReply, type: string, content: string): void => {
    void reply
      .header('Content-Security-Policy', POLICY)
      .type(`${type}; charset=utf-8`)
      .send(content);
  };
  const isPublic = { config: { scope: 'public' } satisfies RouteSettings };
  server.get('/openapi.json', isPublic, (_request, reply) =>
    send(reply, 'application/json', document()),
  );
  server.get('/docs', isPublic, (_request, reply) => send(reply, 'text/html', PAGE));
  server.get('/docs/init.js', isPublic, (_request, reply) =>
    send(reply, 'text/javascript', SCRIPT),
  );
  const assets = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const [name, type] of Object.entries(ASSETS)) {
    server.get(`/docs/${name}`, isPublic, (_request, reply) =>
      reply
        .header('Cache-Control', 'public, max-age=3600')
        .type(type)
        .send(createReadStream(join(assets, name))),
    );
  }
}
