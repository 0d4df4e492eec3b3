// Components of the OpenAPI document that no controller and no DTO declares.

export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request: the `X-Request-Id` that it was sent with, or a new id.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'The entity tag, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string' },
  },
  'X-Board-Revision': {
    description:
      'The revision of the board that the response is about, in the state that it shows.',
    schema: { type: 'integer', minimum: 0 },
  },
  Location: {
    description: 'The URL of the created resource.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  Link: {
    description: 'The next page, if there is one, as `<…>; rel="next"`.',
    schema: { type: 'string' },
  },
  'X-Total-Count': {
    description: 'With `count=true`: the number of items on all pages.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotent-Replayed': {
    description: 'The response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'With 429 and 503: seconds after which the request may be sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'With 401, and with 403 if the scope is too small: the token that is required.',
    schema: { type: 'string' },
  },
  Allow: { description: 'With 405: the methods of the resource.', schema: { type: 'string' } },
} as const;
export type Header = keyof typeof HEADERS;

/** References to headers of a response. */
export const referTo = (...names: Header[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const FIELD_ERROR = {
  type: 'object',
  required: ['code', 'detail'],
  properties: {
    pointer: { type: 'string', description: 'RFC 6901 JSON pointer into the body.' },
    parameter: { type: 'string', description: 'Name of a path or query parameter.' },
    header: { type: 'string', description: 'Name of a header.' },
    line: {
      type: 'integer',
      description: 'Line of a file on which a row begins, or number of an entry of a JSON file.',
    },
    column: {
      type: 'string',
      enum: ['status', 'priority'],
      description: 'Column of a cell whose meaning the mapping of an import can define.',
    },
    value: { type: 'string', description: 'Text of that cell.' },
    code: { $ref: '#/components/schemas/FieldErrorCode' },
    detail: { type: 'string' },
  },
};

export const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { $ref: '#/components/schemas/ProblemCode' },
    request_id: { type: 'string' },
    errors: { type: 'array', items: { $ref: '#/components/schemas/FieldError' } },
  },
};
