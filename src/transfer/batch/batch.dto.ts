import type { Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath, OmitType } from '@nestjs/swagger';
import { IsArray, IsObject } from 'class-validator';
import { CompleteSprint } from '../../completion/completion.dto';
import { Deleted, EnumField, IdField } from '../../http/responses/schema';
import {
  IsFlag,
  IsOneOf,
  IsPosition,
  IsReferenceName,
  IsWordOrId,
  REFERENCE_NAME_SCHEMA,
  REFERENCE_SCHEMA,
} from '../../http/validation/choices';
import { HasAtMost, HasItems } from '../../http/validation/collections';
import { ID_SCHEMA } from '../../http/validation/numbers';
import { Doc, MayBeAbsent, MayBeAbsentOrNull } from '../../http/validation/property';
import { IsText } from '../../http/validation/text';
import { CreateSprint, SprintDeleted, SprintView, UpdateSprint } from '../../sprints/sprint.dto';
import type { Position } from '../../stories/move.dto';
import { MoveStory } from '../../stories/move.dto';
import type { SprintOfBody } from '../../stories/sprint-of-body';
import { SPRINT_WORDS } from '../../stories/sprint-of-body';
import { CreateStory, StoryDeleted, StoryView, UpdateStory } from '../../stories/story.dto';
import { CreateTask, TaskView, UpdateTask } from '../../tasks/task.dto';

// The bodies of single requests, in which a name such as `$story` may stand for an id.

const NAMED = { named: true };

export class BatchCreateStory extends CreateStory {
  /** `current` or `next`, an id, or a name such as `$sprint`; null, the default, is the backlog. */
  @MayBeAbsentOrNull() @IsWordOrId(SPRINT_WORDS, NAMED) sprint_id?: SprintOfBody;
}

export class BatchUpdateStory extends UpdateStory {
  /** `current` or `next`, an id, or a name such as `$sprint`; null is the backlog. */
  @MayBeAbsentOrNull() @IsWordOrId(SPRINT_WORDS, NAMED) override sprint_id?: SprintOfBody;
}

export class BatchMoveStory extends MoveStory {
  /** `current` or `next`, an id, or a name such as `$sprint`; null is the backlog. */
  @MayBeAbsentOrNull() @IsWordOrId(SPRINT_WORDS, NAMED) override sprint_id?: SprintOfBody;
  /** Default: `last`. */
  @MayBeAbsent() @IsPosition(NAMED) override position?: Position;
}

export class BatchCompleteSprint extends OmitType(CompleteSprint, ['dry_run']) {
  /** `backlog` (default), `next`, an id, or a name such as `$sprint`. */
  @MayBeAbsent()
  @IsWordOrId(['backlog', 'next'], NAMED)
  override unfinished?: 'backlog' | 'next' | number;
}

export class BatchCreateTask extends CreateTask {
  @IsWordOrId([], NAMED) story_id: number;
}

/** The class of `set` for each kind of operation; null if it has no `set`. */
export const KINDS = {
  create: { story: BatchCreateStory, sprint: CreateSprint, task: BatchCreateTask },
  update: { story: BatchUpdateStory, sprint: UpdateSprint, task: UpdateTask },
  delete: { story: null, sprint: null, task: null },
  move: { story: BatchMoveStory },
  start: { sprint: null },
  complete: { sprint: BatchCompleteSprint },
} as const satisfies Record<string, Partial<Record<ResourceType, Type<object> | null>>>;

const RESOURCE_TYPES = ['story', 'sprint', 'task'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];
export type OperationName = keyof typeof KINDS;

/** The fields of an operation; which of them it may have depends on its `op` and `type`. */
export class BatchOperation {
  @IsOneOf(Object.keys(KINDS)) op: OperationName;
  @IsOneOf(RESOURCE_TYPES) type: ResourceType;
  @MayBeAbsent() @IsWordOrId([], NAMED) id?: number | 'current';
  @MayBeAbsent() @IsReferenceName() as?: string;
  @MayBeAbsent() @IsText(1000) if_match?: string;
  @MayBeAbsent() @IsObject() set?: object;
}

/** An operation that may name the current sprint instead of an id; see `takesCurrent`. */
export class BatchSprintAction extends BatchOperation {
  @MayBeAbsent() @IsWordOrId(['current'], NAMED) override id?: number | 'current';
}

/** The fields besides `op` and `type` that a kind of operation may have. */
export const operationFields = (op: OperationName, takesSet: boolean): (keyof BatchOperation)[] => [
  ...(op === 'create' ? (['as'] as const) : (['id', 'if_match'] as const)),
  ...(takesSet ? (['set'] as const) : []),
];

/** Whether an operation may name the current sprint instead of an id, as the path of its request may. */
export const takesCurrent = (op: OperationName): boolean => op === 'start' || op === 'complete';

/** The classes of `set`, whose schemas are part of the OpenAPI document. */
export const SET_TYPES: Type<object>[] = Object.values(KINDS).flatMap((types) =>
  Object.values<Type<object> | null>(types).filter((SetDto) => SetDto !== null),
);

function schemaOf(op: OperationName, type: string, SetDto: Type<object> | null): object {
  const all = {
    id: {
      oneOf: [
        ...(takesCurrent(op) ? [{ type: 'string', enum: ['current'] }] : []),
        ID_SCHEMA,
        REFERENCE_SCHEMA,
      ],
    },
    as: REFERENCE_NAME_SCHEMA,
    if_match: { type: 'string', maxLength: 1000 },
    ...(SetDto && { set: { $ref: getSchemaPath(SetDto) } }),
  };
  const fields = operationFields(op, SetDto !== null);
  return {
    type: 'object',
    properties: {
      op: { type: 'string', enum: [op] },
      type: { type: 'string', enum: [type] },
      ...Object.fromEntries(fields.map((name) => [name, all[name as keyof typeof all]])),
    },
    required: ['op', 'type', op === 'create' ? 'set' : 'id'],
    additionalProperties: false,
  };
}

export const MAX_OPERATIONS = 1000;

export class Batch {
  /** Performed in this order, all or none. */
  @Doc({
    type: 'array',
    minItems: 1,
    maxItems: MAX_OPERATIONS,
    items: {
      oneOf: Object.entries(KINDS).flatMap(([op, types]) =>
        Object.entries<Type<object> | null>(types).map(([type, SetDto]) =>
          schemaOf(op as OperationName, type, SetDto),
        ),
      ),
    },
  })
  // Decorators are applied from the last to the first, and only the first error is reported.
  @HasAtMost(MAX_OPERATIONS)
  @HasItems()
  @IsArray()
  operations: unknown[];

  /** Responds with the same results, but changes nothing. */
  @MayBeAbsent() @IsFlag() dry_run?: boolean;
}

export class BatchStory extends StoryView {
  @EnumField(['create', 'update', 'move']) op: string;
  @EnumField(['story']) type: string;
}

export class BatchSprint extends SprintView {
  @EnumField(['create', 'update', 'start', 'complete']) op: string;
  @EnumField(['sprint']) type: string;
}

export class BatchTask extends TaskView {
  @EnumField(['create', 'update']) op: string;
  @EnumField(['task']) type: string;
}

export class BatchStoryDeleted extends StoryDeleted {
  @EnumField(['delete']) op: string;
  @EnumField(['story']) type: string;
}

export class BatchSprintDeleted extends SprintDeleted {
  @EnumField(['delete']) op: string;
  @EnumField(['sprint']) type: string;
}

export class BatchTaskDeleted extends Deleted {
  @EnumField(['delete']) op: string;
  @EnumField(['task']) type: string;
}

export const RESULT_TYPES = [
  BatchStory,
  BatchSprint,
  BatchTask,
  BatchStoryDeleted,
  BatchSprintDeleted,
  BatchTaskDeleted,
];

export class BatchRevision {
  /** The first revision of the board that the batch made; null if it changed nothing. */
  @IdField() from: number | null;
  /** The last revision that it made. */
  @IdField() to: number | null;
}

export class BatchResult {
  /** For each operation, in order: the resource after it, or the response of a deletion. */
  @ApiProperty({
    type: 'array',
    items: { oneOf: RESULT_TYPES.map((type) => ({ $ref: getSchemaPath(type) })) },
  })
  results: { op: OperationName; type: ResourceType; id: number }[];

  /** The ids of the resources that the operations with `as` created, by these names. */
  @ApiProperty({ type: 'object', additionalProperties: ID_SCHEMA })
  refs: Record<string, number>;

  @ApiProperty() revision: BatchRevision;
}
