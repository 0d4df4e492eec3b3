import type { Type } from '@nestjs/common';
import type { FieldError, FieldErrorCode } from '../../http/problem';
import { MAX_ERRORS, Problem } from '../../http/problem';
import { isReference } from '../../http/validation/choices';
import { isObject } from '../../http/validation/collections';
import { tryValidate } from '../../http/validation/validation.pipe';
import { withPauses } from '../../time/time-slice';
import {
  Batch,
  BatchOperation,
  BatchSprintAction,
  operationFields,
  KINDS,
  MAX_OPERATIONS,
  takesCurrent,
} from './batch.dto';
import type { OperationName, ResourceType } from './batch.dto';

/** The kinds of operations, such as `create story`. */
export type Kind = {
  [Op in OperationName]: `${Op} ${keyof (typeof KINDS)[Op] & string}`;
}[OperationName];

/** An operation of a valid form; ids may be names, until `resolve` has replaced them. */
export interface Operation extends BatchOperation {
  kind: Kind;
  set: object;
}

/** The types of the resources that these fields of `set` refer to. */
const REFERENCES = { sprint_id: 'sprint', story_id: 'story', unfinished: 'sprint' } as const;

/**
 * Validates a batch with the DTOs of the single requests.
 * @throws Problem with the validation errors of all operations, up to 1,000
 */
export async function readBatch(
  body: Record<string, unknown>,
): Promise<{ operations: Operation[]; dryRun: boolean }> {
  const list = body.operations;
  const errors: FieldError[] = [];
  const { dry_run: dryRun = false } =
    // Without the operations, which are validated one by one. One too many is enough for the error: the pipe
    // copies a list before it counts its items, and a body may have millions.
    (await check(errors, '', Batch, {
      ...body,
      ...(Array.isArray(list) && { operations: list.slice(0, MAX_OPERATIONS + 1).fill(null) }),
    })) ?? {};
  const operations: Operation[] = [];
  if (Array.isArray(list) && !errors.some(({ pointer }) => pointer === '/operations')) {
    const names = new Map<string, unknown>();
    for await (const [i, sent] of withPauses(list.entries())) {
      const operation = await readOperation(errors, `/operations/${i}`, sent, names);
      if (operation) operations.push(operation);
      if (errors.length > MAX_ERRORS) break;
    }
  }
  if (errors.length > 0) throw Problem.invalid(errors);
  return { operations, dryRun };
}

/** @param names the types of the resources that earlier operations create, by name; this operation adds its own */
async function readOperation(
  errors: FieldError[],
  pointer: string,
  sent: unknown,
  names: Map<string, unknown>,
): Promise<Operation | undefined> {
  if (!isObject(sent)) {
    errors.push({ pointer, code: 'invalid_type', detail: 'an operation must be a JSON object' });
    return undefined;
  }
  const fail = (field: string, code: FieldErrorCode, detail: string): void => {
    errors.push({ pointer: `${pointer}/${field}`, code, detail: `${field} ${detail}` });
  };
  const { set = {}, ...others } = sent;
  const { op, type, as } = sent as unknown as BatchOperation;
  const OperationDto = takesCurrent(op) ? BatchSprintAction : BatchOperation;
  const operation = await check(errors, pointer, OperationDto, {
    set: isObject(set) ? {} : set,
    ...others,
  });
  const SetDto = setOf(op, type);
  if (SetDto === undefined) {
    if (operation) fail('op', 'invalid_value', `cannot be ${op} for a ${type}`);
  } else {
    const fields = operationFields(op, SetDto !== null);
    for (const field of ['id', 'as', 'if_match', 'set'] as const) {
      if (field in sent && !fields.includes(field)) {
        fail(field, 'excluded', `is not a field of the operation "${op}" of a ${type}`);
      }
    }
    if (op !== 'create' && sent.id === undefined) fail('id', 'required', 'is required');
  }
  const refer = (field: string, name: unknown, wanted: unknown): void => {
    if (!isReference(name)) return;
    const of = names.get(name);
    if (of === undefined)
      fail(field, 'not_found', `has the name ${name}, which no earlier operation gives`);
    else if (of !== wanted) fail(field, 'invalid_value', `names ${name}, which has another type`);
  };
  refer('id', sent.id, type);
  for (const [field, name, wanted] of isObject(set) ? referencesOf(set) : []) {
    refer(`set/${field}`, name, wanted);
  }
  if (op === 'create' && as !== undefined) {
    const name = `$${as}`;
    if (names.has(name)) fail('as', 'duplicate', 'is given twice');
    names.set(name, type);
  }
  const body =
    SetDto && isObject(set) ? await check(errors, `${pointer}/set`, SetDto, { ...set }) : undefined;
  return operation && Object.assign(operation, { kind: `${op} ${type}` as Kind, set: body ?? {} });
}

/** Validates fields; undefined if there are errors, which are added with their pointers. */
async function check<T extends object>(
  errors: FieldError[],
  pointer: string,
  Dto: Type<T>,
  fields: Record<string, unknown>,
): Promise<T | undefined> {
  const { dto, errors: own } = await tryValidate(Dto, fields);
  for (const each of own) errors.push({ ...each, pointer: pointer + (each.pointer ?? '') });
  return dto;
}

/** Yields the fields of `set` that may name a resource of an earlier operation: field, value, type. */
function* referencesOf(
  set: Record<string, unknown>,
): Generator<[field: string, value: unknown, type: ResourceType]> {
  for (const [field, type] of Object.entries(REFERENCES)) yield [field, set[field], type];
  const { position } = set;
  if (!isObject(position)) return;
  for (const side of ['before', 'after']) yield [`position/${side}`, position[side], 'story'];
}

/** Replaces the names in an operation by the ids that they stand for. */
export function resolve(operation: Operation, ids: ReadonlyMap<string, number>): Operation {
  if (ids.size === 0) return operation;
  const idOf = <T>(value: T): T | number =>
    isReference(value) ? (ids.get(value) ?? value) : value;
  // A copy of the same class, by which the services know its read-only fields.
  const copy = Object.create(Object.getPrototypeOf(operation.set) as object) as object;
  const set = Object.assign(copy, operation.set) as Record<string, unknown>;
  for (const field of Object.keys(REFERENCES)) {
    if (field in set) set[field] = idOf(set[field]);
  }
  const { position } = set;
  if (isObject(position)) {
    set.position = Object.fromEntries(
      Object.entries(position).map(([side, value]) => [side, idOf(value)]),
    );
  }
  return { ...operation, id: idOf(operation.id), set };
}

function setOf(op: string, type: string): Type<object> | null | undefined {
  const types: Record<string, Type<object> | null> = Object.hasOwn(KINDS, op)
    ? KINDS[op as OperationName]
    : {};
  return Object.hasOwn(types, type) ? types[type] : undefined;
}
