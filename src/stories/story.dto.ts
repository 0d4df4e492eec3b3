import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { ReadOnly } from '../http/input/read-only';
import {
  AnyId,
  AnyInt32,
  AnyOf,
  AnyText,
  EarliestInstant,
  HasWords,
  IsWordList,
} from '../http/lists/filters';
import { PageQuery } from '../http/lists/page.dto';
import {
  CountField,
  Deleted,
  EnumField,
  IdField,
  InstantField,
  IntegerField,
} from '../http/responses/schema';
import { IsOneOf, IsWordOrId } from '../http/validation/choices';
import { IsLabels } from '../http/validation/collections';
import { IsDecimal, IsInt32 } from '../http/validation/numbers';
import { Doc, MayBeAbsent, MayBeAbsentOrNull } from '../http/validation/property';
import { IsText } from '../http/validation/text';
import type { SprintOfBody } from './sprint-of-body';
import { SPRINT_WORDS } from './sprint-of-body';
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
  @IsText(255, { blank: false }) @Doc({ example: 'Users can reset their password' }) title: string;
  @MayBeAbsentOrNull() @IsText(32_767) description?: string | null;
  /** Default: one more than the greatest `seq` of the list. */
  @MayBeAbsentOrNull() @IsInt32() seq?: number | null;
  /** Smaller is more urgent. */
  @MayBeAbsentOrNull() @IsInt32() priority?: number | null;
  @MayBeAbsent() @IsOneOf(STATUSES) status?: Status;
  /** At most two decimals. */
  @MayBeAbsentOrNull() @IsDecimal(1000) points?: number | null;
  @MayBeAbsentOrNull() @IsText(100) assignee?: string | null;
  @MayBeAbsent() @IsLabels() labels?: string[];
  /** Unique on its board. */
  @MayBeAbsentOrNull() @IsText(100) external_id?: string | null;
}

@ReadOnly('id', 'board_name', 'created_at', 'updated_at', 'done_at', 'version')
export class UpdateStory extends PartialType(OmitType(CreateStory, ['seq']), {
  skipNullProperties: false,
}) {
  @MayBeAbsent() @IsInt32() seq?: number;
  /**
   * Null moves the story to the backlog; a sprint of another board moves it to that board. `current` and
   * `next` name sprints of its own board.
   */
  @MayBeAbsentOrNull() @IsWordOrId(SPRINT_WORDS) sprint_id?: SprintOfBody;
}

const SORTABLE = ['seq', 'priority', 'points', 'title', 'created_at', 'updated_at'] as const;
export type Sortable = (typeof SORTABLE)[number];

/** The fields of a story in the order of its representation. `representStory` does not compile if one is missing here. */
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

/** Filters, sort and fields of every list of stories. A filter with several values matches any of them. */
export class StoryListQuery extends PageQuery {
  @MayBeAbsent() @AnyOf(STATUSES) status?: (Status | null)[];
  /** An empty value matches stories without an assignee. */
  @MayBeAbsent() @AnyText(100) assignee?: (string | null)[];
  /** An empty value matches stories without labels. */
  // Each value is a condition of its own, and SQLite allows an expression of 1,000 levels.
  @MayBeAbsent() @AnyText(50, 100) label?: (string | null)[];
  /** An empty value matches stories without a priority. */
  @MayBeAbsent() @AnyInt32() priority?: (number | null)[];
  /** An empty value matches the backlog. */
  @MayBeAbsent() @AnyId() sprint_id?: (number | null)[];
  /** The title or the description contains all words of a value. At most 20 words in total. */
  @MayBeAbsent() @AnyText(1000) @HasWords(20) q?: (string | null)[];
  /** An empty value matches stories without an external id. */
  @MayBeAbsent() @AnyText(100) external_id?: (string | null)[];
  /** Stories that were changed at this instant or later. */
  @MayBeAbsent() @EarliestInstant() updated_since?: string;
  /**
   * Comma-separated list; `-` before a word means descending. Null comes last.
   * @example priority,-points
   */
  @MayBeAbsent() @IsWordList(SORTABLE, { directions: true }) sort?: string[];
  /**
   * Comma-separated list of the fields to show; not with CSV. Each item then has only these fields, although its
   * schema requires all.
   * @example id,title
   */
  // If the type were a union of the names, the OpenAPI plugin would list them in an order that differs between builds.
  @MayBeAbsent() @IsWordList(STORY_FIELDS) fields?: string[];
  /** Takes precedence over `Accept`. */
  @MayBeAbsent() @IsOneOf(['json', 'csv']) format?: 'json' | 'csv';
}
