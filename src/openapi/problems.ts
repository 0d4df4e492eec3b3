import type { PathParameter } from '../http/input/path';
import { NOT_FOUND } from '../http/input/path';
import type { ProblemCode } from '../http/problem';
import { Problem, PROBLEMS } from '../http/problem';
import type { RouteSettings } from '../http/route';
import type { Schema } from '../http/validation/property';
import { RELATIVE } from '../sprints/sprint.queries';
import type { Header } from './components';
import { referTo } from './components';

/** The properties of an operation that determine its problems. */
interface Rejecting {
  operationId: string;
  method: string;
  path: string;
  /** Parameters, also those in headers. */
  parameters: { name: string }[];
  settings: RouteSettings;
}

/** Problems of any request, before its operation is known, and of defects. */
const UNEXPECTED: ProblemCode[] = [
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
];

/** The problems that an operation can have, besides the unexpected ones. */
function problemsOf({ method, path, parameters, settings }: Rejecting): ProblemCode[] {
  const changes = method !== 'get';
  const has = (name: string): boolean => parameters.some((parameter) => parameter.name === name);
  const relative = RELATIVE.find((which) => new RegExp(`/sprints/${which}(/|$)`).test(path));
  const missing = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    if (!(name in NOT_FOUND)) throw new Error(`add ${name} to NOT_FOUND in http/input/path.ts`);
    return NOT_FOUND[name as PathParameter];
  });
  const isPublic = settings.scope === 'public';
  const codes: (ProblemCode | false | undefined)[] = [
    'bad_request',
    'invalid_request',
    changes && 'malformed_body',
    !isPublic && 'unauthorized',
    !isPublic && 'forbidden',
    !isPublic && 'proxied',
    changes && 'cross_site_request',
    ...missing,
    relative && `no_${relative}_sprint`,
    'not_acceptable',
    has('If-Match') && 'precondition_failed',
    changes && 'content_too_large',
    changes && 'unsupported_media_type',
    !isPublic && 'misdirected_request',
    has('Idempotency-Key') && 'idempotency_key_reused',
    !isPublic && 'too_many_requests',
    !isPublic && 'database_unavailable',
    !settings.always && 'overloaded',
    'shutting_down',
    ...(settings.problems ?? []),
  ];
  return codes.filter((code) => code !== undefined && code !== false);
}

/** The names of responses with several codes that many operations have. */
const COMMON: Record<string, ProblemCode[]> = {
  BadRequest: ['bad_request', 'invalid_request'],
  BadRequestOrBody: ['bad_request', 'invalid_request', 'malformed_body'],
  Forbidden: ['forbidden', 'proxied'],
  ForbiddenChange: ['forbidden', 'proxied', 'cross_site_request'],
  Unavailable: ['database_unavailable', 'overloaded', 'shutting_down'],
};

const HEADERS: Record<number, Header[]> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The error responses of the document, each named after the codes that it can have. */
export class ProblemResponses {
  private readonly codesOf = new Map<string, string>();
  /** The components. `Problem` is the response for the codes that no operation lists. */
  readonly components: Record<string, Schema> = {
    Problem: describe('Any other error; `code` says which.', UNEXPECTED, [
      'Retry-After',
      'WWW-Authenticate',
      'Allow',
    ]),
  };

  /** The error responses of an operation, by status. */
  of(operation: Rejecting): Record<string, Schema> {
    const byStatus = new Map<number, ProblemCode[]>();
    for (const code of new Set(problemsOf(operation))) {
      const [status] = PROBLEMS[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    const responses = [...byStatus].map(([status, codes]): [string, Schema] => {
      return [String(status), refTo(this.name(nameOf(codes, operation), codes))];
    });
    return { ...Object.fromEntries(responses), default: refTo('Problem') };
  }

  /** Adds the component for these codes, unless another operation has added it. */
  private name(name: string, codes: ProblemCode[]): string {
    const known = this.codesOf.get(name);
    if (known === keyOf(codes)) return name;
    if (known !== undefined) throw new Error(`two responses have the name ${name}`);
    this.codesOf.set(name, keyOf(codes));
    const [code] = codes as [ProblemCode];
    const description =
      codes.length === 1
        ? PROBLEMS[code][2]
        : codes.map((each) => `- \`${each}\`: ${PROBLEMS[each][2]}`).join('\n');
    this.components[name] = describe(description, codes, HEADERS[PROBLEMS[code][0]] ?? []);
    return name;
  }
}

const keyOf = (codes: readonly ProblemCode[]): string => [...codes].sort().join();
const refTo = (name: string): Schema => ({ $ref: `#/components/responses/${name}` });
/** Writes the first letter of a word as a capital. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const pascal = (code: string): string => code.split('_').map(capital).join('');

/** Names a response after one or two codes or, if it has more, after the operation: `CompleteSprintConflict`. */
function nameOf(codes: ProblemCode[], { operationId }: Rejecting): string {
  const common = Object.entries(COMMON).find(([, others]) => keyOf(others) === keyOf(codes));
  if (common) return common[0];
  if (codes.length <= 2) return [...codes].sort().map(pascal).join('Or');
  const kind = PROBLEMS[codes[0] as ProblemCode][0] === 409 ? 'Conflict' : 'Problem';
  const operation = operationId
    .replace(/^patch/, 'update')
    .replace(/(Current|Next|Previous)Sprint$/, 'Sprint');
  return capital(operation) + kind;
}

/** Describes a response, with an example for each of its codes. */
function describe(description: string, codes: readonly ProblemCode[], headers: Header[]): Schema {
  return {
    description,
    headers: referTo('X-Request-Id', ...headers),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: PROBLEMS[code][1], value: example(code) }]),
        ),
      },
    },
  };
}

function example(code: ProblemCode): object {
  const problem =
    code === 'invalid_request'
      ? Problem.invalid([
          { pointer: '/points', code: 'invalid_type', detail: 'points must be a number' },
        ])
      : new Problem(code);
  return problem.document('/api/sprints/1/stories', '630565f2-74ce-433b-9d9f-528c52b30251');
}
