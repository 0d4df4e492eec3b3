/**
 * Every fault that a request can have, by its stable code. Like the problems below, they are what
 * docs/errors.md lists.
 */
export const FIELD_ERRORS = {
  blank: 'The text has nothing but white space.',
  duplicate: 'It is given more than once where once is all there may be.',
  invalid_cursor: 'The cursor is not one of this list with these filters and this sort.',
  invalid_date:
    'There is no such day or instant, or it is not written in the form that is asked for.',
  invalid_key:
    'The idempotency key is empty, too long, or has other than visible ASCII characters.',
  invalid_text: 'The text has characters that may not be in it, such as NUL or a lone surrogate.',
  invalid_type: 'It is of another kind than is asked for, such as a text where a number must be.',
  invalid_value: 'It is none of the values that may be given here.',
  excluded: 'It cannot be sent together with another.',
  not_admin: 'The first token must be for an admin.',
  not_for_admin: 'An admin cannot be held to certain boards.',
  not_found: 'It names something that is not there.',
  not_nullable: 'It cannot be null.',
  out_of_range: 'It is smaller or greater, or earlier or later, than it may be.',
  read_only: 'It cannot be changed, and what was sent is not what is stored.',
  required: 'It is missing.',
  seq_exhausted: 'The list ends at the greatest `seq` there is (import).',
  taken: 'Another story of the board has this `external_id` (import).',
  too_deep: 'The body is nested too deep.',
  too_long: 'The text has too many characters.',
  too_many: 'There are too many of them.',
  too_precise: 'The number has too many decimals.',
  unrepeatable: 'The answer must not be stored, so the request cannot be made repeatable.',
  unknown_field: 'There is no member or parameter of this name.',
} as const satisfies Record<string, string>;

export type FieldErrorCode = keyof typeof FIELD_ERRORS;

/** One fault of a request; exactly one of the three places is set. */
export interface FieldError {
  /** RFC 6901 JSON pointer into the body. */
  pointer?: string;
  /** Name of a path or query parameter. */
  parameter?: string;
  /** Name of a header field. */
  header?: string;
  code: FieldErrorCode;
  detail: string;
}

/**
 * Every problem that the service answers with, by its stable code: status, title, and what it means
 * to a client. docs/errors.md is held to this catalogue by a test.
 */
export const PROBLEMS = {
  malformed_body: [400, 'Malformed body', 'The body cannot be read as what its content type says.'],
  invalid_request: [
    400,
    'Invalid request',
    'Something in the request is not allowed; `errors` names each fault.',
  ],
  bad_request: [400, 'Bad request', 'The request is not well-formed HTTP, or its URL is not.'],
  unauthorized: [
    401,
    'Unauthorized',
    'The request must bring a token that is valid: `Authorization: Bearer …`.',
  ],
  forbidden: [403, 'Forbidden', 'The token does not allow this.'],
  cross_site: [
    403,
    'Cross-site request',
    "Another site's page may not write here; CORS_ORIGINS lists those that may.",
  ],
  proxied: [
    403,
    'Proxied request',
    'While there is no token, nothing that a proxy passed on is answered: create a token first.',
  ],
  board_not_found: [404, 'Board not found', 'There is no board of this name.'],
  sprint_not_found: [404, 'Sprint not found', 'There is no sprint with this id.'],
  story_not_found: [404, 'Story not found', 'There is no story with this id.'],
  task_not_found: [404, 'Task not found', 'There is no task with this id.'],
  token_not_found: [404, 'Token not found', 'There is no token with this id.'],
  no_current_sprint: [404, 'No current sprint', 'No sprint of the board is active today.'],
  no_next_sprint: [404, 'No next sprint', 'No sprint of the board is planned for later.'],
  no_previous_sprint: [404, 'No previous sprint', 'No earlier sprint of the board has started.'],
  route_not_found: [404, 'No such resource', 'Nothing is served at this path.'],
  method_not_allowed: [
    405,
    'Method not allowed',
    'The resource does not have this method; `Allow` lists those it has.',
  ],
  not_acceptable: [406, 'Not acceptable', 'The resource has no form that `Accept` asks for.'],
  request_timeout: [408, 'Request timeout', 'The request did not arrive in time.'],
  last_admin: [
    409,
    'Last admin token',
    'The last admin token can only go when it is the last token; make another one first.',
  ],
  name_taken: [409, 'Name taken', 'Another board has this name.'],
  board_not_empty: [
    409,
    'Board not empty',
    'The board has sprints or stories; `?force=true` deletes them with it.',
  ],
  external_id_taken: [
    409,
    'External id taken',
    'Another story of the board has this `external_id`.',
  ],
  seq_exhausted: [
    409,
    'No seq left',
    'The list ends at the greatest `seq` there is; send one, or move a story.',
  ],
  too_many_tasks: [409, 'Too many tasks', 'The story has 1,000 tasks, and can have no more.'],
  sprint_completed: [
    409,
    'Sprint completed',
    'The sprint is completed: its dates and its set of stories are fixed.',
  ],
  not_enough_history: [
    409,
    'Not enough history',
    'A forecast needs at least three completed sprints of the board.',
  ],
  sprint_not_started: [
    409,
    'Sprint not started',
    'Only a sprint that has started can be completed.',
  ],
  sprint_not_completed: [409, 'Sprint not completed', 'Only a completed sprint can be reopened.'],
  no_next_sprint_to_carry_to: [
    409,
    'No next sprint to carry over to',
    'No sprint of the board comes after this one that is not completed.',
  ],
  precondition_failed: [
    412,
    'Precondition failed',
    'The resource is not what `If-Match` or `version` says; read it again.',
  ],
  content_too_large: [
    413,
    'Content too large',
    'The body, or what would be stored for it, is larger than is taken.',
  ],
  uri_too_long: [414, 'URI too long', 'The URL is longer than is taken.'],
  unsupported_media_type: [
    415,
    'Unsupported media type',
    'A body is application/json or application/x-www-form-urlencoded, UTF-8, not compressed.',
  ],
  misdirected_request: [
    421,
    'Misdirected request',
    'The service is not called by this name; ALLOWED_HOSTS lists those that it has.',
  ],
  idempotency_key_reused: [
    422,
    'Idempotency key reused',
    'Another request was made with this `Idempotency-Key` in the last 24 hours.',
  ],
  too_many_requests: [
    429,
    'Too many requests',
    'More requests than the token, or the address, may make; `Retry-After` says when to go on.',
  ],
  headers_too_large: [431, 'Headers too large', 'The header fields are larger than is taken.'],
  internal_error: [
    500,
    'Internal error',
    'A defect of the service. The request id finds it in the log.',
  ],
  database_unavailable: [
    503,
    'Database unavailable',
    'The database is away, or did not answer in time; nothing is known to be changed. Try again.',
  ],
  overloaded: [503, 'Overloaded', 'More requests than the service can take. Try again.'],
  shutting_down: [503, 'Shutting down', 'This instance is going down. Try again.'],
} as const satisfies Record<string, readonly [number, string, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/**
 * A refusal, in the terms of RFC 9457. Services throw it; the one filter turns it into an answer.
 * It is the only way to say no.
 */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  /** Header fields of the answer. */
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
    // What cannot be served now may be in a second (RFC 9110, section 10.2.3).
    this.headers = { ...(this.status === 503 && { 'Retry-After': '1' }), ...options.headers };
  }

  /** A request with faults, all of them named. */
  static invalid(errors: FieldError[]): Problem {
    const [first] = errors;
    const detail =
      errors.length === 1 && first
        ? first.detail
        : `The request has ${errors.length} faults: ${errors.map((e) => e.detail).join('; ')}`;
    return new Problem('invalid_request', detail, { errors });
  }

  /** The document of RFC 9457, section 3. `instance` is the path that was asked for. */
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
