import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The document that is committed, tested and served: all three are one file. */
export const DOCUMENT_FILE = join(__dirname, '..', 'openapi.json');

/** `/openapi.json`, `/docs`, and the way to them. */
export function setUpDocs(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  let text: string | undefined;
  const document = (): string => (text ??= readFileSync(DOCUMENT_FILE, 'utf8'));
  server.get('/openapi.json', { config: {} }, (_request, reply) => {
    void reply.type('application/json; charset=utf-8').send(document());
  });
  server.get('/', { config: {} }, (_request, reply) => {
    void reply.redirect('/docs', 302);
  });
  SwaggerModule.setup(
    'docs',
    app,
    () => JSON.parse(document()) as ReturnType<typeof SwaggerModule.createDocument>,
    { customSiteTitle: 'Sprintline', raw: false },
  );
}
