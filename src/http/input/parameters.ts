import { Body as NestBody, Query as NestQuery } from '@nestjs/common';

const DECLARED = Symbol('declared input');
type Input = 'body' | 'query';

/** Whether a handler has a parameter for the body or the query. */
export const declares = (handler: object, input: Input): boolean =>
  ((Reflect.getMetadata(DECLARED, handler) ?? []) as Input[]).includes(input);

const declaring = (input: Input, decorator: () => ParameterDecorator) => (): ParameterDecorator =>
  ((target: object, key: string, index: number) => {
    const handler = (target as Record<string, object>)[key] as object;
    const others = (Reflect.getMetadata(DECLARED, handler) ?? []) as Input[];
    Reflect.defineMetadata(DECLARED, [...others, input], handler);
    decorator()(target, key, index);
  }) as ParameterDecorator;

/** Nest's `@Body()`. The `InputGuard` rejects body fields that are sent to a handler without it. */
export const Body = declaring('body', NestBody);

/** Nest's `@Query()`. The `InputGuard` rejects parameters that are sent to a handler without it. */
export const Query = declaring('query', NestQuery);
