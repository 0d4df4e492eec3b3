import { OmitType, PartialType } from '@nestjs/swagger';
import { ReadOnly } from '../http/read-only';
import { Shown, shown } from '../http/schema';
import { Doc, IsInt32, IsOneOf, IsText, Nullable, Optional } from '../http/validation';
import type { Status } from '../stories/story.entity';
import { STATUSES } from '../stories/story.entity';

/** A task as clients see it. */
export class TaskView {
  @Shown(shown.id)
  id: number;

  @Shown(shown.id)
  story_id: number;

  @Shown(shown.text)
  title: string;

  @Shown(shown.integer)
  seq: number;

  @Shown({ type: 'string', enum: STATUSES })
  status: Status;

  @Shown(shown.text, { nullable: true })
  assignee: string | null;

  @Shown(shown.instant)
  created_at: string;

  @Shown(shown.instant)
  updated_at: string;

  @Shown(shown.instant, { nullable: true })
  done_at: string | null;

  @Shown(shown.id)
  version: number;
}

export class CreateTask {
  @IsText(255, { blank: false })
  @Doc({ example: 'Write the migration' })
  title: string;

  @Nullable()
  @IsInt32()
  @Doc({ description: 'One more than the greatest of the story where it is absent or null.' })
  seq?: number | null;

  @Optional()
  @IsOneOf(STATUSES)
  status?: Status;

  @Nullable()
  @IsText(100)
  assignee?: string | null;
}

@ReadOnly('id', 'story_id', 'created_at', 'updated_at', 'done_at', 'version')
export class UpdateTask extends PartialType(OmitType(CreateTask, ['seq']), {
  skipNullProperties: false,
}) {
  @Optional()
  @IsInt32()
  seq?: number;
}
