import { ApiProperty } from '@nestjs/swagger';
import type { Schema } from '../validation/property';

// The plugin of @nestjs/swagger reads the properties of a response from the TypeScript class and its
// comments. These decorators are for properties whose type says too little.

const field =
  (schema: Schema) =>
  (more: Schema = {}): PropertyDecorator =>
    ApiProperty({ ...schema, ...more });

export const IdField = field({ type: 'integer', minimum: 1 });
export const IntegerField = field({ type: 'integer' });
export const CountField = field({ type: 'integer', minimum: 0 });
export const PointsField = field({ type: 'number', minimum: 0 });
export const DateField = field({ type: 'string', format: 'date' });
export const InstantField = field({
  type: 'string',
  format: 'date-time',
  description: 'RFC 3339, UTC, milliseconds.',
});

/** A string that is one of `words`. */
export const EnumField = (words: readonly string[]): PropertyDecorator =>
  ApiProperty({ type: 'string', enum: [...words] });

export class Deleted {
  @ApiProperty({ type: 'boolean', enum: [true] }) deleted: true;
  @IdField() id: number;
}
