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
import type { Scope } from './access';
import { IdempotencyInterceptor } from './idempotency.interceptor';

/** The media types of responses, by the values of `?format=`. */
export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  svg: 'image/svg+xml',
} as const;
export type Format = keyof typeof MEDIA_TYPES;

/** A response that is too long for memory. */
export interface LongText {
  pieces: Iterable<string>;
  /** A short string that changes whenever the long one does. */
  essence: string;
}

/** How a body is written in a format. */
export interface Writing {
  write: (body: never) => string | Promise<string> | LongText;
  /**
   * The part of a body that a weak entity tag is made of, where the rest differs in every response;
   * undefined where the tag is made of the whole body.
   */
  essence?: (body: never) => object | undefined;
  /** Headers of responses in this format. */
  headers?: Record<string, string>;
}

/** The formats of a route, the preferred one first. */
export type Formats = Partial<Record<Format, Writing>>;

/** Settings of a route, for guards and hooks. */
export interface RouteSettings {
  /** The URL of the created resource. */
  location?: (body: { id: number; name: string }) => string;
  /** Media types of its responses; by default application/json. */
  produces?: string[];
  /** Answered under overload, too: health and metrics. */
  always?: true;
  /** The response to this POST is the representation of the resource and has its entity tag. */
  tagged?: boolean;
  /** Its formats, where there are several. */
  formats?: Formats;
  /** The scope that it needs; `public` needs no token. A route without a scope is not served. */
  scope?: Scope | 'public';
  /** Its service leaves out boards that the caller may not see, so its path need not name a board. */
  filtered?: boolean;
  /** Its response must not be stored, so it takes no `Idempotency-Key`. */
  unrepeatable?: boolean;
}

const SETTINGS = Symbol('route settings');

/** Prefix of the OpenAPI extensions that hand the settings of a route to the document. */
export const SETTING = 'x-setting-';

/** Adds settings to a route. */
export function Route(settings: RouteSettings): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const all = { ...(Reflect.getMetadata(SETTINGS, handler) as RouteSettings), ...settings };
    Reflect.defineMetadata(SETTINGS, all, handler);
    (RouteConfig(all) as MethodDecorator)(target, key, descriptor);
    for (const [name, value] of Object.entries(settings)) {
      if (value) ApiExtension(SETTING + name, true)(target, key, descriptor);
    }
  };
}

/**
 * The scope that a route needs. A token for certain boards is checked against the board that the path
 * names; where it names none, the route is forbidden to it, unless `filtered` says that the service
 * leaves out other boards.
 */
export const Needs = (
  scope: Scope | 'public',
  { filtered = false }: { filtered?: boolean } = {},
): MethodDecorator => Route({ scope, filtered });

/** The route takes an `Idempotency-Key`. */
export const Repeatable = (): MethodDecorator => UseInterceptors(IdempotencyInterceptor);

/** Describes a handler that answers 200 with one object, or a bare array of them. */
export function Answers(summary: string, type: Type<unknown> | [Type<unknown>]): MethodDecorator {
  return applyDecorators(
    HttpCode(200),
    ApiOperation({ summary }),
    Array.isArray(type) ? ApiOkResponse({ type: type[0], isArray: true }) : ApiOkResponse({ type }),
  );
}

/** Describes a handler that answers 201 with the created resource and its `Location`. */
export function Creates(
  summary: string,
  type: Type<unknown>,
  location: RouteSettings['location'],
): MethodDecorator {
  return applyDecorators(
    HttpCode(201),
    Repeatable(),
    Route({ location }),
    ApiOperation({ summary }),
    ApiCreatedResponse({ type }),
  );
}

/** Describes a handler that acts on a resource and answers 200 with its new representation. */
export const AnswersAction = (summary: string, type: Type<unknown>): MethodDecorator =>
  applyDecorators(Answers(summary, type), Repeatable(), Route({ tagged: true }));

/** Describes a handler whose response has several formats. */
export function AnswersIn(
  { json = JSON_TEXT, ...others }: Formats,
  summary: string,
  type: Type<unknown>,
): MethodDecorator {
  const formats: Formats = { json, ...others };
  const content = (Object.keys(formats) as Format[]).map((format) => [
    MEDIA_TYPES[format],
    { schema: format === 'json' ? { $ref: getSchemaPath(type) } : { type: 'string' } },
  ]);
  return applyDecorators(
    HttpCode(200),
    Route({ formats }),
    ApiOperation({ summary }),
    ApiExtraModels(type),
    ApiOkResponse({ content: Object.fromEntries(content) as never }),
  );
}

const JSON_TEXT: Writing = { write: (body) => JSON.stringify(body) };
