import { applyDecorators, HttpCode } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Scope } from './access';
import {
  ApiCreatedResponse,
  ApiExtension,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Format, Formats, RouteSettings, Writing } from './route';
import { MEDIA_TYPES } from './route';

const SETTINGS = Symbol('route settings');

/** How the OpenAPI document's writer is told what a route tells. */
export const SETTING = 'x-setting-';

/** Adds to what a route tells; the decorators of one handler add up. */
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
