import { Body as NestBody, Query as NestQuery } from '@nestjs/common';
import type { RouteSettings } from '../route';
import { Route } from '../route';

const declaring =
  (settings: RouteSettings, decorator: () => ParameterDecorator) => (): ParameterDecorator =>
    ((target: object, key: string, index: number) => {
      Route(settings)(target, key, Object.getOwnPropertyDescriptor(target, key)!);
      decorator()(target, key, index);
    }) as ParameterDecorator;

/** Nest's `@Body()`. The `InputGuard` rejects body fields that are sent to a handler without it. */
export const Body = declaring({ readsBody: true }, NestBody);

/** Nest's `@Query()`. The `InputGuard` rejects parameters that are sent to a handler without it. */
export const Query = declaring({ readsQuery: true }, NestQuery);
