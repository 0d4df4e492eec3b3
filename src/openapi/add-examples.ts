import type { OpenAPIObject } from '@nestjs/swagger';
import { EXAMPLES, PARAMETERS } from './examples';
import type { Media, Operation } from './operations';
import { nameOfSchema } from './operations';

type Schemas = Record<string, { properties?: Record<string, unknown> }>;

/** Adds examples to the operations of a document whose schemas are named. */
export function addExamples(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas as Schemas;
  const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
  for (const operation of Object.values(paths).flatMap((each) => Object.values(each))) {
    const { parameters, requestBody, responses } = operation;
    for (const parameter of parameters) {
      if (parameter.in === 'path') parameter.example = PARAMETERS[parameter.name];
    }
    for (const { content } of [requestBody ?? { content: {} }, ...Object.values(responses)]) {
      const media = content?.['application/json'];
      // A file has no example.
      if (media && !Array.isArray(media.schema?.type)) media.example = exampleOf(media, schemas);
    }
  }
  return document;
}

/** Returns the example of a body, with the properties that its schema has. */
function exampleOf({ schema }: Media, schemas: Schemas): unknown {
  const name = nameOfSchema(schema?.items ?? schema);
  if (!(name in EXAMPLES)) throw new Error(`add ${name} to EXAMPLES in openapi/examples.ts`);
  const known = schemas[name]?.properties ?? {};
  const example = Object.fromEntries(
    Object.entries(EXAMPLES[name] as object).filter(([property]) => property in known),
  );
  return schema?.items ? [example] : example;
}
