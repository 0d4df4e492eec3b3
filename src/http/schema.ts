import { ApiProperty } from '@nestjs/swagger';

/** JSON schemas of what answers hold, described once. */
export const shown = {
  id: { type: 'integer', minimum: 1 },
  integer: { type: 'integer' },
  count: { type: 'integer', minimum: 0 },
  number: { type: 'number' },
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  instant: { type: 'string', format: 'date-time', description: 'RFC 3339, UTC, milliseconds.' },
  flag: { type: 'boolean' },
  texts: { type: 'array', items: { type: 'string' } },
} as const;

/** A member of an answer, always there. */
export const Shown = (schema: object, { nullable = false } = {}): PropertyDecorator =>
  ApiProperty({ ...schema, ...(nullable && { nullable }), required: true });

export class Deleted {
  @Shown({ type: 'boolean', enum: [true] })
  deleted: true;

  @Shown(shown.id)
  id: number;
}
