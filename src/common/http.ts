import { applyDecorators, HttpCode } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Scope } from './access';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Format, Formats, Writing } from './formats';
import { MEDIA_TYPES } from './formats';

/** What a route tells the hooks of `app.setup`. */
export interface RouteSettings {
  /** Where the created resource is found. */
  location?: (body: { id: number; name: string }) => string;
  /** The media types that it answers in; application/json where it says nothing. */
  produces?: string[];
  /** Answered under pressure too: what tells how the service is. */
  always?: true;
  /** The answer to this POST is what a GET of the resource would read next, and is tagged like it. */
  tagged?: boolean;
  /** The formats that it answers in, where there are several. */
  formats?: Formats;
  /** What a token must allow; `public` asks for none. A route that does not say is not served. */
  scope?: Scope | 'public';
  /** Shows nothing of boards that the caller may not see, though its path names no board. */
  filtered?: boolean;
  /** Its answer must not be stored, so it cannot be repeated with an `Idempotency-Key`. */
  unrepeatable?: boolean;
}

const SETTINGS = Symbol('route settings');

/** Adds to what a route tells; the decorators of one handler add up. */
export function Route(settings: RouteSettings): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const all = { ...(Reflect.getMetadata(SETTINGS, handler) as RouteSettings), ...settings };
    Reflect.defineMetadata(SETTINGS, all, handler);
    (RouteConfig(all) as MethodDecorator)(target, key, descriptor);
  };
}

/**
 * What a caller must be allowed to do for this route and method. A caller that may see certain boards
 * only is held to the board that the path names; where it names none, `filtered` says that the service
 * holds it to them, else it is refused.
 */
export const Needs = (
  scope: Scope | 'public',
  { filtered = false }: { filtered?: boolean } = {},
): MethodDecorator => Route({ scope, filtered });

/** Describes a handler that answers 200 with one object, or a bare array of them. */
export function Answers(summary: string, type: Type<unknown> | [Type<unknown>]): MethodDecorator {
  return applyDecorators(
    HttpCode(200),
    ApiOperation({ summary }),
    Array.isArray(type) ? ApiOkResponse({ type: type[0], isArray: true }) : ApiOkResponse({ type }),
  );
}

/** Describes a handler that answers 201 with what it made, and where it is found from then on. */
export function Creates(
  summary: string,
  type: Type<unknown>,
  location: RouteSettings['location'],
): MethodDecorator {
  return applyDecorators(
    HttpCode(201),
    Route({ location }),
    ApiOperation({ summary }),
    ApiCreatedResponse({ type }),
  );
}

/** Describes a handler that acts on a resource and answers 200 with what it is then. */
export const AnswersAction = (summary: string, type: Type<unknown>): MethodDecorator =>
  applyDecorators(Answers(summary, type), Route({ tagged: true }));

/** Describes a handler whose answer has several formats: JSON and others. */
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
