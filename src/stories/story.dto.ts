import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { PageQuery } from '../http/listing';
import { ReadOnly } from '../http/read-only';
import {
  CountField,
  Deleted,
  EnumField,
  IdField,
  InstantField,
  IntegerField,
} from '../http/schema';
import {
  AnyId,
  AnyInt32,
  AnyOf,
  AnyText,
  Doc,
  HasWords,
  IsId,
  IsInstant,
  IsInt32,
  IsLabels,
  IsOneOf,
  IsPoints,
  IsText,
  IsWordList,
  Nullable,
  Optional,
} from '../http/validation';
import type { Status } from './story.entity';
import { STATUSES } from './story.entity';

/** A story as clients see it. */
export class StoryView {
  @IdField() id: number;
  @ApiProperty() board_name: string;
  /** Null in the backlog. */
  @IdField() sprint_id: number | null;
  @ApiProperty() title: string;
  @ApiProperty() description: string | null;
  @IntegerField() seq: number;
  /** Smaller is more urgent. */
  @IntegerField() priority: number | null;
  @EnumField(STATUSES) status: Status;
  @ApiProperty() points: number | null;
  @ApiProperty() assignee: string | null;
  @ApiProperty() labels: string[];
  @ApiProperty() external_id: string | null;
  @InstantField() created_at: string;
  @InstantField() updated_at: string;
  @InstantField() done_at: string | null;
  @IdField() version: number;
}

export class StoryDeleted extends Deleted {
  @CountField() tasks_deleted: number;
}

export class CreateStory {
  @IsText(255, { blank: false })
  @Doc({ example: 'Users can reset their password' })
  title: string;

  @Nullable()
  @IsText(32_767)
  description?: string | null;

  @Nullable()
  @IsInt32()
  @Doc({ description: 'Default: one more than the greatest of the list.' })
  seq?: number | null;

  @Nullable()
  @IsInt32()
  @Doc({ description: 'Smaller is more urgent.' })
  priority?: number | null;

  @Optional()
  @IsOneOf(STATUSES)
  status?: Status;

  @Nullable()
  @IsPoints()
  @Doc({ description: 'At most two decimals.' })
  points?: number | null;

  @Nullable()
  @IsText(100)
  assignee?: string | null;

  @Optional()
  @IsLabels()
  labels?: string[];

  @Nullable()
  @IsText(100)
  @Doc({ description: 'Unique on its board.' })
  external_id?: string | null;
}

@ReadOnly('id', 'board_name', 'created_at', 'updated_at', 'done_at', 'version')
export class UpdateStory extends PartialType(OmitType(CreateStory, ['seq']), {
  skipNullProperties: false,
}) {
  @Optional()
  @IsInt32()
  seq?: number;

  @Nullable()
  @IsId()
  @Doc({
    description: 'Null moves the story to the backlog; a sprint of another board to that board.',
  })
  sprint_id?: number | null;
}

export const SORTABLE = ['seq', 'priority', 'points', 'title', 'created_at', 'updated_at'] as const;
export type Sortable = (typeof SORTABLE)[number];

export const STORY_FIELDS = [
  'id',
  'board_name',
  'sprint_id',
  'title',
  'description',
  'seq',
  'priority',
  'status',
  'points',
  'assignee',
  'labels',
  'external_id',
  'created_at',
  'updated_at',
  'done_at',
  'version',
] as const satisfies readonly (keyof StoryView)[];

/** Words of `q`; each is a search of its own. */
const MAX_WORDS = 20;

/** Filters, sort and fields of every list of stories. Of several values of a filter any may match. */
export class StoryListQuery extends PageQuery {
  @Optional()
  @AnyOf(STATUSES)
  status?: (Status | null)[];

  @Optional()
  @AnyText(100)
  @Doc({ description: 'Empty means none.' })
  assignee?: (string | null)[];

  // Each value is a condition of its own, and SQLite allows an expression of 1,000 levels.
  @Optional()
  @AnyText(50, 100)
  @Doc({ description: 'Empty means none.' })
  label?: (string | null)[];

  @Optional()
  @AnyInt32()
  @Doc({ description: 'Empty means none.' })
  priority?: (number | null)[];

  @Optional()
  @AnyId()
  @Doc({ description: 'Empty means the backlog.' })
  sprint_id?: (number | null)[];

  @Nullable()
  @IsText(1000)
  @HasWords(MAX_WORDS)
  @Doc({
    description: `At most ${MAX_WORDS} words; the title or the description contains each of them.`,
  })
  q?: string | null;

  @Optional()
  @AnyText(100)
  @Doc({ description: 'Empty means none.' })
  external_id?: (string | null)[];

  @Optional()
  @IsInstant()
  @Doc({ description: 'Stories that were changed at this instant or later.' })
  updated_since?: string;

  @Optional()
  @IsWordList(SORTABLE, { directions: true })
  @Doc({
    description: 'Comma list; `-` before a word means descending. Null comes last.',
    example: 'priority,-points',
  })
  sort?: string[];

  @Optional()
  @IsWordList(STORY_FIELDS)
  @Doc({ description: 'Comma list of the fields to show.', example: 'id,title' })
  fields?: (keyof StoryView)[];
}
