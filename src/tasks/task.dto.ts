import { int32, Member, oneOf, ReadOnly, text } from '../http/validation';
import { Shown, shown } from '../http/schema';
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

const title = text(255, { blank: false });

class TaskFields {
  @Member(oneOf(...STATUSES))
  status?: Status;

  @Member(text(100), { nullable: true })
  assignee?: string | null;
}

export class CreateTask extends TaskFields {
  @Member(title, { required: true, example: 'Write the migration' })
  title: string;

  @Member(int32, {
    nullable: true,
    description: 'One more than the greatest of the story where it is absent or null.',
  })
  seq?: number | null;
}

@ReadOnly('id', 'story_id', 'created_at', 'updated_at', 'done_at', 'version')
export class UpdateTask extends TaskFields {
  @Member(title)
  title?: string;

  @Member(int32)
  seq?: number;
}
