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

/** Nest's `@Body()`. What is sent to a handler without it is rejected by the `InputGuard`. */
export const Body = declaring('body', NestBody);

/** Nest's `@Query()`. What is sent to a handler without it is rejected by the `InputGuard`. */
export const Query = declaring('query', NestQuery);
