import { ApiProperty } from '@nestjs/swagger';
import { CountField, EnumField, IntegerField } from '../../http/responses/schema';
import { IsFlag, IsOneOf } from '../../http/validation/choices';
import { IsRecord } from '../../http/validation/collections';
import { isDate } from '../../http/validation/dates';
import { MAX_INT32, MIN_INT32 } from '../../http/validation/numbers';
import { MayBeAbsent } from '../../http/validation/property';
import { IsTimeZone, isLonger } from '../../http/validation/text';
import type { Status } from '../../stories/story.entity';
import { STATUSES } from '../../stories/story.entity';
import { integer, oneOf } from '../export/field-predicates';

/** The formats that an import reads. */
export const IMPORT_FORMATS = [
  'sprintline',
  'csv',
  'jira-csv',
  'jira-json',
  'trello',
  'taiga',
  'linear-csv',
  'github',
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

export interface SprintDates {
  start_date: string;
  end_date?: string | null;
}

const isText = (value: unknown): boolean => typeof value === 'string' && !isLonger(value, 255);

function areDates(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { start_date, end_date = null, ...others } = value as Partial<SprintDates>;
  return (
    isDate(start_date) &&
    (end_date === null || (isDate(end_date) && start_date <= end_date)) &&
    Object.keys(others).length === 0
  );
}

/** How an import interprets a file where it is ambiguous. */
export class Mapping {
  /** Columns of the file, by the field that is read from them. */
  @MayBeAbsent()
  @IsRecord('must be the name of a column', { type: 'string' }, isText)
  columns?: Record<string, string>;
  /** Our status for each status in the file, by its name. */
  @MayBeAbsent()
  @IsRecord(
    `must be one of ${STATUSES.join(', ')}`,
    { type: 'string', enum: [...STATUSES] },
    oneOf(STATUSES),
  )
  status?: Record<string, Status>;
  /** Our priority for each priority in the file, by its name; smaller is more urgent. */
  @MayBeAbsent()
  @IsRecord('must be an integer of 32 bits', { type: 'integer' }, integer(MIN_INT32, MAX_INT32))
  priority?: Record<string, number>;
  /** Dates of the sprints that have none in the file, by their names. */
  @MayBeAbsent()
  @IsRecord(
    'must have a start_date and, not before it, an end_date or null',
    {
      type: 'object',
      required: ['start_date'],
      properties: {
        start_date: { type: 'string', format: 'date' },
        end_date: { type: ['string', 'null'], format: 'date' },
      },
      additionalProperties: false,
    },
    areDates,
  )
  sprints?: Record<string, SprintDates>;
  @MayBeAbsent() @IsOneOf(DATE_ORDERS) date_order?: DateOrder;
  /** The time zone of times in the file that have none. Default: the time zone of the board. */
  @MayBeAbsent() @IsTimeZone() time_zone?: string;
  /** What sub-tasks become. */
  @MayBeAbsent() @IsOneOf(['tasks', 'stories', 'skip']) subtasks?: 'tasks' | 'stories' | 'skip';
  @MayBeAbsent() @IsOneOf(['skip', 'import']) archived?: 'skip' | 'import';
}

export class ImportQuery {
  /** Default: `auto`, which detects it. */
  @MayBeAbsent() @IsOneOf(['auto', ...IMPORT_FORMATS]) format?: ImportFormat | 'auto';
  /** Responds with the same result, but changes nothing. */
  @MayBeAbsent() @IsFlag() dry_run?: boolean;
}

export class ImportCounts {
  @CountField() sprints: number;
  @CountField() stories: number;
  @CountField() tasks: number;
}

export class SkippedRow {
  /** Line on which the row begins, or number of the entry in JSON. */
  @IntegerField() line: number;
  @ApiProperty() code: string;
  @ApiProperty() detail: string;
}

export class ImportWarning {
  @ApiProperty() code: string;
  @CountField() count: number;
  /** The first of them, at most 5. */
  @ApiProperty() examples: string[];
}

export class UnmappedName {
  @ApiProperty() value: string;
  @CountField() count: number;
}

export class Unmapped {
  /** Statuses of the file whose meaning is unknown; they became `todo`. */
  @ApiProperty() statuses: UnmappedName[];
  /** Priorities of the file whose meaning is unknown; the stories have none. Absent if all are known. */
  @ApiProperty() priorities?: UnmappedName[];
}

/** What an import did. */
export class ImportView {
  @EnumField(IMPORT_FORMATS) format: ImportFormat;
  /** The mapping that was applied. An import with it has the same result. */
  @ApiProperty() mapping: Mapping;
  @ApiProperty() created: ImportCounts;
  @ApiProperty() updated: ImportCounts;
  @ApiProperty() unchanged: ImportCounts;
  /** Rows that were not imported, at most 1,000; if there are more, a warning has their number. */
  @ApiProperty() skipped: SkippedRow[];
  @ApiProperty() warnings: ImportWarning[];
  @ApiProperty() unmapped: Unmapped;
}
