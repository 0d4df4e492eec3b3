import Ajv2020 from 'ajv/dist/2020';
import type { ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Media {
  schema: object;
  /** By problem code, for error responses. */
  examples?: Record<string, object>;
}
interface Response {
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}
interface Operation {
  responses: Record<string, Response & { $ref?: string }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, object>; responses: Record<string, Response> };
}

const document = JSON.parse(
  readFileSync(join(__dirname, '../../openapi.json'), 'utf8'),
) as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
addFormats(ajv);
ajv.addSchema(document, 'openapi');

/** Templates with more literal text first: `/sprints/current` before `/sprints/{id}`. */
const templates = Object.keys(document.paths)
  .map((template) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
    text: template.replace(/\{[^}]+\}/g, '').length,
  }))
  .sort((a, b) => b.text - a.text);

/** A header that must be present wherever it is documented. */
const REVISION = 'X-Board-Revision';

const validators = new Map<string, ValidateFunction>();

/** Checks a response against the OpenAPI document. @throws Error if the document does not describe it */
export function conforms(
  method: string,
  path: string,
  answer: { status: number; headers: Headers; body: unknown },
): void {
  const [pathname = ''] = path.split('?');
  const found = templates.find(({ pattern }) => pattern.test(pathname));
  const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
  const operation = found && document.paths[found.template]?.[verb];
  // An undocumented operation must be an error, except OPTIONS, which every path has.
  if (!operation || !found) {
    if (answer.status >= 400 || method === 'OPTIONS' || pathname === '/') return;
    throw new Error(
      `${method} ${path} answered ${answer.status} but is not in openapi.json; run \`npm run openapi\``,
    );
  }
  const status = String(answer.status);
  const key = operation.responses[status] ? status : 'default';
  const declared = operation.responses[key];
  const response = declared?.$ref
    ? document.components.responses[declared.$ref.split('/').pop() ?? '']
    : declared;
  for (const name of Object.keys(document.components.headers)) {
    if (answer.headers.has(name) && !response?.headers?.[name]) {
      throw new Error(`${method} ${path} answered ${status} with ${name}, which is not documented`);
    }
  }
  const problems = response?.content?.['application/problem+json']?.examples;
  const { code } = (answer.body ?? {}) as { code?: string };
  const isListed = method === 'HEAD' || (code !== undefined && problems && code in problems);
  if (answer.status < 400 ? key === 'default' : !isListed) {
    throw new Error(
      `${method} ${path} answered ${status} ${code}, which the document does not have (@Rejects)`,
    );
  }
  if (response?.headers?.[REVISION] && !answer.headers.has(REVISION)) {
    throw new Error(`${method} ${path} answered ${status} without ${REVISION}`);
  }
  if (method === 'HEAD' || answer.status === 304) return;
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const media = response?.content?.[type];
  if (!media) throw new Error(`${method} ${path} answered ${status} as ${type}, not as documented`);
  if (!/[/+]json/.test(type)) return;
  const pointer = JSON.stringify(media.schema).replaceAll('"#/', '"openapi#/');
  let validate = validators.get(pointer);
  if (!validate) {
    validate = ajv.compile(JSON.parse(pointer) as object);
    validators.set(pointer, validate);
  }
  if (!validate(answer.body)) {
    throw new Error(
      `${method} ${path} answered ${status} against the document: ${ajv.errorsText(validate.errors)}\n` +
        JSON.stringify(answer.body).slice(0, 2000),
    );
  }
}

/** Lists every operation of the document, as `GET /api/…`. */
export function operations(): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
