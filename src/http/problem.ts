/** The errors that a field, a parameter or a header can have, by their stable codes. */
export const FIELD_ERRORS = {
  ambiguous_date: 'The date can be read in several orders (import).',
  blank: 'The string is empty or contains only white space.',
  changed: 'The file was changed after the export: its checksum does not match (import).',
  cut: 'The end of the file is missing (import).',
  duplicate: 'The value, the field or the parameter occurs more than once.',
  excluded: 'The field or parameter cannot be combined with another one of the request.',
  invalid_cursor: 'The cursor does not belong to this list with these filters and this sort.',
  invalid_date: 'The date or date-time does not exist or does not have the required format.',
  invalid_key: 'The idempotency key is not 1 to 255 visible ASCII characters.',
  invalid_text: 'The string contains invalid characters, such as NUL or a lone surrogate.',
  invalid_type: 'The value has the wrong type, such as a string instead of a number.',
  invalid_value: 'The value is not one of the allowed values.',
  malformed: 'The CSV or JSON is not well-formed at this line (import).',
  not_admin: 'The first token must have the scope `admin`.',
  not_for_admin: 'An admin token cannot be restricted to certain boards.',
  not_found: 'The value refers to something that does not exist.',
  not_nullable: 'The value must not be null.',
  out_of_range: 'The number or date is outside the allowed range.',
  read_only: 'The field is read-only, and its value is not the stored one.',
  rejected: 'The operation was rejected; the `code` of the problem gives the reason (batch).',
  required: 'The field is required.',
  seq_exhausted: 'The last item of the list has the greatest possible `seq` (import).',
  too_deep: 'The body is nested too deep.',
  too_long: 'The string has too many characters.',
  too_few: 'There are too few items.',
  too_many: 'There are too many items.',
  too_precise: 'The number has too many decimals.',
  unexpected: 'An export of a board cannot have this line at this position (import).',
  unknown_field: 'There is no field or parameter with this name.',
  unknown_version: 'The export was written by a later version (import).',
  unrepeatable:
    'The request cannot have an idempotency key, because its response must not be stored.',
} as const satisfies Record<string, string>;

export type FieldErrorCode = keyof typeof FIELD_ERRORS;

/** An error of a request; exactly one of `pointer`, `parameter`, `header` and `line` is set. */
export interface FieldError {
  /** RFC 6901 JSON pointer into the body. */
  pointer?: string;
  /** Name of a path or query parameter. */
  parameter?: string;
  header?: string;
  /** Line of a file on which a row begins, or number of an entry of a JSON file. */
  line?: number;
  /** The column and the text of a cell whose meaning the mapping of an import can define. */
  column?: string;
  value?: string;
  code: FieldErrorCode;
  detail: string;
}

/** Where a field error is: a field of the body, a parameter, or a header. */
export type ErrorLocation = 'pointer' | 'parameter' | 'header';

/** Maximum characters of a name in a `detail`; a client may have made it up. */
const MAX_SHOWN = 100;

/** Returns the error of a field, a parameter or a header. @param text what follows the name in the `detail` */
export function fieldError(
  location: ErrorLocation,
  name: string,
  code: FieldErrorCode,
  text: string,
): FieldError {
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name || '""';
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { [location]: location === 'pointer' ? pointer : name, code, detail: `${shown} ${text}` };
}

/**
 * Every problem, by its stable code: status, title, default detail. `npm run docs:errors` writes
 * docs/errors.md from these two catalogues.
 */
export const PROBLEMS = {
  bad_request: [400, 'Bad request', 'The request or its URL is not well-formed.'],
  invalid_request: [400, 'Invalid request', 'The request is invalid; `errors` lists every error.'],
  invalid_file: [
    400,
    'Invalid file',
    'The file cannot be imported; `errors` lists the lines with an error, if it has any. Nothing was imported.',
  ],
  unknown_format: [
    400,
    'Unknown format',
    'The format of the file was not recognised; the parameter `format` sets it.',
  ],
  ambiguous_dates: [
    400,
    'Ambiguous dates',
    'The dates of the file can be read in several orders; `mapping.date_order` sets the order.',
  ],
  malformed_body: [400, 'Malformed body', 'The body does not match its content type.'],
  unauthorized: [401, 'Unauthorized', 'A valid token is required: `Authorization: Bearer …`.'],
  cross_site_request: [
    403,
    'Cross-site request',
    'Pages of other sites cannot change data, except those of CORS_ORIGINS.',
  ],
  forbidden: [403, 'Forbidden', 'The token does not allow this request.'],
  proxied: [
    403,
    'Proxied request',
    'Requests that come through a proxy are rejected until a token exists; create one first.',
  ],
  board_not_found: [404, 'Board not found', 'There is no board with this name.'],
  no_current_sprint: [
    404,
    'No current sprint',
    'The board has no sprint that has begun and is not completed.',
  ],
  no_next_sprint: [404, 'No next sprint', 'The board has no later sprint that is not completed.'],
  no_previous_sprint: [404, 'No previous sprint', 'No earlier sprint of the board has begun.'],
  route_not_found: [404, 'No such resource', 'There is no resource at this path.'],
  session_not_found: [404, 'Session not found', 'The browser is not signed in.'],
  sprint_not_found: [404, 'Sprint not found', 'There is no sprint with this id.'],
  story_not_found: [404, 'Story not found', 'There is no story with this id.'],
  task_not_found: [404, 'Task not found', 'There is no task with this id.'],
  token_not_found: [404, 'Token not found', 'There is no token with this id.'],
  method_not_allowed: [
    405,
    'Method not allowed',
    'The resource does not support this method; `Allow` lists the methods that it supports.',
  ],
  not_acceptable: [406, 'Not acceptable', 'The resource has no format that `Accept` allows.'],
  request_timeout: [408, 'Request timeout', 'The request did not arrive in time.'],
  board_not_empty: [
    409,
    'Board not empty',
    'The board has sprints or stories; `?force=true` deletes them, too.',
  ],
  external_id_taken: [
    409,
    'External id taken',
    'Another story or sprint of the board, or another task of the story, has this `external_id`.',
  ],
  last_admin: [
    409,
    'Last admin token',
    'The last valid admin token cannot be deleted while other tokens exist; create another first.',
  ],
  name_taken: [409, 'Name taken', 'Another board has this name.'],
  no_next_sprint_to_carry_to: [
    409,
    'No next sprint to carry over to',
    'The board has no later sprint that is not completed.',
  ],
  not_enough_history: [
    409,
    'Not enough history',
    'A forecast needs at least three completed sprints of the board.',
  ],
  seq_exhausted: [
    409,
    'No seq left',
    'The last item of the list has the greatest possible `seq`; send a `seq`, or give that item a smaller one.',
  ],
  sprint_full: [409, 'Sprint full', 'The sprint would have more than 2,000 stories.'],
  sprint_completed: [
    409,
    'Sprint completed',
    'The sprint is completed: its dates and its set of stories cannot be changed.',
  ],
  sprint_not_completed: [409, 'Sprint not completed', 'Only a completed sprint can be reopened.'],
  sprint_not_begun: [409, 'Sprint not begun', 'A sprint cannot be started before its start date.'],
  sprint_not_started: [
    409,
    'Sprint not started',
    'A sprint cannot be completed before its start date.',
  ],
  too_many_tasks: [409, 'Too many tasks', 'The story has 1,000 tasks, which is the maximum.'],
  precondition_failed: [
    412,
    'Precondition failed',
    'The resource has changed since the `If-Match` or `version` that was sent; read it again.',
  ],
  batch_too_large: [
    413,
    'Batch too large',
    'The operations take too long. Nothing was changed; send them in several batches.',
  ],
  content_too_large: [
    413,
    'Content too large',
    'The body, or the data that would be stored for it, is too large.',
  ],
  uri_too_long: [414, 'URI too long', 'The URL is too long.'],
  unsupported_media_type: [
    415,
    'Unsupported media type',
    'The body must be application/json or application/x-www-form-urlencoded, in UTF-8, uncompressed.',
  ],
  misdirected_request: [
    421,
    'Misdirected request',
    'The service does not have this host name; ALLOWED_HOSTS lists its names.',
  ],
  idempotency_key_reused: [
    422,
    'Idempotency key reused',
    'Another request used this `Idempotency-Key` in the last 24 hours.',
  ],
  too_many_requests: [
    429,
    'Too many requests',
    'The rate limit is exceeded; `Retry-After` says how many seconds to wait.',
  ],
  too_many_streams: [
    429,
    'Too many streams',
    'The token, or the address without one, has too many open streams.',
  ],
  headers_too_large: [431, 'Headers too large', 'The headers are too large.'],
  internal_error: [500, 'Internal error', 'The service has a bug; the log has the request id.'],
  database_unavailable: [
    503,
    'Database unavailable',
    'The database is unreachable or too slow. If the request was a change, it may or may not be stored. Try again.',
  ],
  overloaded: [503, 'Overloaded', 'The service has too many requests. Try again.'],
  shutting_down: [503, 'Shutting down', 'This instance is shutting down. Try again.'],
} as const satisfies Record<string, readonly [number, string, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The most errors of a request that are reported, and the most that the detail names. */
export const MAX_ERRORS = 1000;
const MAX_DETAILS = 10;

/** An error response as in RFC 9457. Services throw it; `ProblemFilter` writes the response. */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  /** Headers of the response. */
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string = PROBLEMS[code][2],
    readonly options: {
      errors?: FieldError[];
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: options.cause });
    [this.status, this.title] = PROBLEMS[code];
    const mayRetry = this.status === 429 || this.status === 503;
    this.headers = { ...(mayRetry && { 'Retry-After': '1' }), ...options.headers };
  }

  /** Returns the problem of a request with these errors, of which it has up to `MAX_ERRORS`. */
  static invalid(all: FieldError[]): Problem {
    const errors = all.slice(0, MAX_ERRORS);
    const count = errors.length < all.length ? `more than ${MAX_ERRORS}` : errors.length;
    const details = errors.slice(0, MAX_DETAILS).map(({ detail }) => detail);
    if (errors.length > MAX_DETAILS) details.push('…');
    const detail =
      errors.length === 1 ? details[0] : `The request has ${count} errors: ${details.join('; ')}`;
    return new Problem('invalid_request', detail, { errors });
  }

  /** Returns the document of RFC 9457, section 3. @param instance the path of the request */
  document(instance: string, requestId: string): Record<string, unknown> {
    return {
      type: `urn:sprintline:problem:${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.detail,
      instance,
      code: this.code,
      ...(this.options.errors && { errors: this.options.errors }),
      request_id: requestId,
    };
  }
}

/** @param owner what has it, such as a story of the board */
export const externalIdTaken = (owner: string, externalId: string): Problem =>
  new Problem('external_id_taken', `Another ${owner} has the \`external_id\` "${externalId}".`);
