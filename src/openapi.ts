import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from './app.module';
import { Config } from './config/config';
import { DOCUMENT_FILE } from './openapi/docs';
import { createAdapter } from './http/adapter';
import type { Schema } from './http/validation/property';
import { createLogger } from './logging/logger';
import { addExamples } from './openapi/add-examples';
import { FIELD_ERROR, HEADERS, PROBLEM } from './openapi/components';
import type { Operation } from './openapi/operations';
import { completeOperation } from './openapi/operations';
import { ProblemResponses } from './openapi/problems';
import { nameSchemas } from './openapi/schemas';

// Writes the OpenAPI document: `npm run openapi`. The plugin of @nestjs/swagger reads the DTOs during
// `nest build`, so only the built program knows the whole document.

/** Builds the document from the controllers, without a database or a port. */
async function buildDocument(): Promise<OpenAPIObject> {
  const config = Config.from({});
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(config),
    createAdapter(config, createLogger('silent')),
    { preview: true, logger: false, abortOnError: false },
  );
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder()
      .setTitle('Sprintline')
      .setDescription(
        'Sprint planning over REST. Requests are JSON or forms; responses are bare JSON objects and ' +
          'arrays; errors are problem documents (RFC 9457).',
      )
      .setVersion(version)
      .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
      .addServer('/')
      .addBearerAuth({
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'spl_…',
        description: 'A token, once one exists.',
      })
      .setOpenAPIVersion('3.1.0')
      .build(),
  );
  await app.close();
  return addExamples(nameSchemas(complete(document)));
}

/** Completes the operations, and adds the components that no DTO declares. */
function complete(document: OpenAPIObject): OpenAPIObject {
  const components = document.components as Record<string, Schema>;
  const schemas = components.schemas as Record<string, Schema>;
  const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
  const problems = new ProblemResponses();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      completeOperation(path, method, operation, schemas, problems);
    }
  }
  document.tags = TAGS.map(([name, description]) => ({ name, description }));
  // Requests need a token only if one exists.
  document.security = [{}, { bearer: [] }];
  components.schemas = { ...schemas, Problem: PROBLEM, FieldError: FIELD_ERROR };
  components.headers = HEADERS;
  components.responses = problems.components;
  return document;
}

/** The groups of operations, in the order in which a reader needs them. */
const TAGS = [
  ['Boards', 'Workspaces, usually one for each team.'],
  ['Sprints', 'The iterations of a board, and the stories in them.'],
  ['Stories', 'The work of a board: its backlog, and moving stories.'],
  ['Tasks', 'The parts of a story.'],
  ['Reports', 'Report, burndown, velocity and forecast, computed from the events.'],
  ['Events', 'The log of a board: every change with its time and its actor.'],
  ['Transfer', 'A board as a file.'],
  ['Operations', 'Health and metrics.'],
  ['Session', 'Signing in and out in a browser.'],
  ['Tokens', 'Access tokens. Once one exists, every request needs a token.'],
] as const;

/** Writes openapi.json or, with `--print`, standard output. */
async function main(): Promise<void> {
  const text = `${JSON.stringify(await buildDocument(), null, 2)}\n`;
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(DOCUMENT_FILE, text);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
