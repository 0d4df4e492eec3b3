import { applyDecorators, HttpCode, UseInterceptors } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiCreatedResponse,
  ApiExtension,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import type { Scope } from './access';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import type { ProblemCode } from './problem';
import type { Format, Formats } from './responses/formats';
import { MEDIA_TYPES } from './responses/formats';

declare module 'fastify' {
  /** Settings of a route, for guards and hooks: `request.routeOptions.config`. */
  interface FastifyContextConfig {
    /** The URL of the created resource. */
    location?: (body: { id: number; name: string }) => string;
    /** Media types of its responses; by default application/json. */
    produces?: string[];
    /** Served under overload, too: health and metrics. */
    always?: true;
    /** The response to this POST is the representation of the resource and has its entity tag. */
    tagged?: boolean;
    /** Its formats, if there are several. */
    formats?: Formats;
    /** Its response is a stream without an end, which has no entity tag. */
    live?: true;
    /** The required scope; `public` requires no token. The service does not start if a route has no scope. */
    scope?: Scope | 'public';
    /** It serves callers without a token or session, too; `access` is undefined for them. */
    anonymous?: true;
    /** Its service filters by the boards that the caller may see, so its path need not name a board. */
    filtered?: boolean;
    /** Set by `@Body()` and `@Query()` of http/input/parameters. */
    readsBody?: true;
    readsQuery?: true;
    /** Its body may be this many times as long as BODY_LIMIT. */
    bodyFactor?: number;
    /** It creates the board of its path if there is none. */
    createsBoard?: true;
    /** Its response must not be stored, so it accepts no `Idempotency-Key`. */
    unrepeatable?: boolean;
    /** It accepts an `Idempotency-Key`. */
    repeatable?: boolean;
    /** This POST accepts `If-Match`, as every PUT, PATCH and DELETE does. */
    conditional?: true;
    /** Its body is a file, or a form with one, which its handler reads as it arrives; see `Upload`. */
    file?: true;
    /** Problems of its service, for the OpenAPI document. */
    problems?: ProblemCode[];
  }
}

export type RouteSettings = FastifyContextConfig;

const SETTINGS = Symbol('route settings');

/** Prefix of the OpenAPI extensions that pass the settings of a route to the document. */
export const SETTING = 'x-setting-';

/** Adds settings to a route. */
export function Route(settings: RouteSettings): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const all = { ...(Reflect.getMetadata(SETTINGS, handler) as RouteSettings), ...settings };
    Reflect.defineMetadata(SETTINGS, all, handler);
    (RouteConfig(all) as MethodDecorator)(target, key, descriptor);
    for (const [name, value] of Object.entries(settings)) {
      if (value) ApiExtension(SETTING + name, value)(target, key, descriptor);
    }
  };
}

/**
 * Sets the scope that a route requires. A token for certain boards needs access to the board of the path, too.
 * Routes whose path has no board are forbidden to such a token, unless the service filters by board (`filtered`).
 */
export const RequireScope = (
  scope: Scope | 'public',
  { filtered = false }: { filtered?: boolean } = {},
): MethodDecorator => Route({ scope, filtered });

/** The route accepts an `Idempotency-Key`. */
export const Repeatable = (): MethodDecorator =>
  applyDecorators(UseInterceptors(IdempotencyInterceptor), Route({ repeatable: true }));

/**
 * Declares the problems of the service for this operation, such as conflicts. Problems of the path, the
 * parameters and the scope are added to every operation.
 */
export const Rejects = (...problems: ProblemCode[]): MethodDecorator => Route({ problems });

/**
 * Describes a handler that answers 200 with one object, or a bare array of them. The operation is named
 * after the `summary`, up to its first comma or colon.
 */
export function Answers(
  summary: string,
  type: Type<unknown> | [Type<unknown>],
  description: string,
): MethodDecorator {
  return applyDecorators(
    HttpCode(200),
    ApiOperation({ summary, description }),
    ApiOkResponse({ type }),
  );
}

/** Describes a handler that answers 200 with a `Listing`: a bare array of JSON, or CSV. */
export const AnswersTable = (
  summary: string,
  type: Type<unknown>,
  description: string,
): MethodDecorator => AnswersIn({ json: null, csv: null }, summary, [type], description);

/** Describes a handler that answers 201 with the created resource and its `Location`. */
export function Creates(
  summary: string,
  type: Type<unknown>,
  location: RouteSettings['location'],
  description: string,
): MethodDecorator {
  return applyDecorators(
    HttpCode(201),
    Repeatable(),
    Route({ location }),
    ApiOperation({ summary, description }),
    ApiCreatedResponse({ type }),
  );
}

/** Describes a POST that acts on a resource and answers 200 with its new representation. */
export const AnswersAction = (
  summary: string,
  type: Type<unknown>,
  description: string,
): MethodDecorator =>
  applyDecorators(
    Answers(summary, type, description),
    Repeatable(),
    Route({ tagged: true, conditional: true }),
  );

/** Describes PUT and PATCH of a resource, which are the same operation. */
export const AnswersUpdate = (
  summary: string,
  type: Type<unknown>,
  description: string,
  ...problems: ProblemCode[]
): MethodDecorator =>
  applyDecorators(RequireScope('write'), Answers(summary, type, description), Rejects(...problems));

/** Describes a handler whose response, one object or a bare array of them, has several formats. */
export function AnswersIn(
  formats: Formats,
  summary: string,
  type: Type<unknown> | [Type<unknown>],
  description: string,
): MethodDecorator {
  const [model] = [type].flat() as [Type<unknown>];
  const one = { $ref: getSchemaPath(model) };
  const schemas = { ...SCHEMAS, json: Array.isArray(type) ? { type: 'array', items: one } : one };
  const content = (Object.keys(formats) as Format[]).map((format) => [
    MEDIA_TYPES[format],
    { schema: schemas[format] },
  ]);
  return applyDecorators(
    HttpCode(200),
    Route({ formats }),
    ApiOperation({ summary, description }),
    ApiExtraModels(model),
    ApiOkResponse({ content: Object.fromEntries(content) as never }),
  );
}

const SCHEMAS = {
  csv: { type: 'string' },
  svg: { type: 'string' },
  png: { type: 'string', format: 'binary' },
};
