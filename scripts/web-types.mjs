// Generates the types of the REST API for web/, if openapi.json is newer than these. They are not committed.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const source = 'openapi.json';
const target = 'web/src/api/schema.d.ts';

if (!existsSync(target) || statSync(target).mtimeMs < statSync(source).mtimeMs) {
  const document = JSON.parse(readFileSync(source, 'utf8'));
  writeFileSync(target, astToString(await openapiTS(document)));
}
