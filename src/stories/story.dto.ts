import type { Kind } from '../http/validation';
import {
  anyOf,
  identifier,
  instant,
  int32,
  labels,
  Member,
  oneOf,
  points,
  ReadOnly,
  text,
  wordList,
} from '../http/validation';
import { PageQuery } from '../http/listing';
import { Deleted, Shown, shown } from '../http/schema';
import type { Status } from './story.entity';
import { STATUSES } from './story.entity';

/** A story as clients see it. */
export class StoryView {
  @Shown(shown.id)
  id: number;

  @Shown(shown.text)
  board_name: string;

  @Shown({ ...shown.id, description: 'Null in the backlog.' }, { nullable: true })
  sprint_id: number | null;

  @Shown(shown.text)
  title: string;

  @Shown(shown.text, { nullable: true })
  description: string | null;

  @Shown(shown.integer)
  seq: number;

  @Shown({ ...shown.integer, description: 'Smaller is more urgent.' }, { nullable: true })
  priority: number | null;

  @Shown({ type: 'string', enum: STATUSES })
  status: Status;

  @Shown(shown.number, { nullable: true })
  points: number | null;

  @Shown(shown.text, { nullable: true })
  assignee: string | null;

  @Shown(shown.texts)
  labels: string[];

  @Shown(shown.text, { nullable: true })
  external_id: string | null;

  @Shown(shown.instant)
  created_at: string;

  @Shown(shown.instant)
  updated_at: string;

  @Shown(shown.instant, { nullable: true })
  done_at: string | null;

  @Shown(shown.id)
  version: number;
}

export class StoryDeleted extends Deleted {
  @Shown(shown.count)
  tasks_deleted: number;
}

const title = text(255, { blank: false });

/** What a client may say of a story, whether it makes or changes it. */
class StoryFields {
  @Member(text(32_767), { nullable: true })
  description?: string | null;

  @Member(int32, { nullable: true, description: 'Smaller is more urgent.' })
  priority?: number | null;

  @Member(oneOf(...STATUSES))
  status?: Status;

  @Member(points, { nullable: true, description: 'At most two decimals.' })
  points?: number | null;

  @Member(text(100), { nullable: true })
  assignee?: string | null;

  @Member(labels)
  labels?: string[];

  @Member(text(100), { nullable: true, description: 'Unique on its board.' })
  external_id?: string | null;
}

export class CreateStory extends StoryFields {
  @Member(title, { required: true, example: 'Users can reset their password' })
  title: string;

  @Member(int32, {
    nullable: true,
    description: 'One more than the greatest of the list where it is absent or null.',
  })
  seq?: number | null;
}

@ReadOnly('id', 'board_name', 'created_at', 'updated_at', 'done_at', 'version')
export class UpdateStory extends StoryFields {
  @Member(title)
  title?: string;

  @Member(int32)
  seq?: number;

  @Member(identifier, {
    nullable: true,
    description: 'Null moves the story to the backlog; a sprint of another board to that board.',
  })
  sprint_id?: number | null;
}

export const SORTABLE = ['seq', 'priority', 'points', 'title', 'created_at', 'updated_at'] as const;
export type Sortable = (typeof SORTABLE)[number];

export const STORY_MEMBERS = [
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

/** The different words of `q`. */
export const wordsOf = (q: string): string[] => [
  ...new Set(q.split(/\s+/).filter((word) => word !== '')),
];

/** Words that are looked for at once: each is a search of its own. */
const MOST_WORDS = 20;

const anyWords = text(1000);
/** Words to look for; none of them let everything through. */
const words: Kind = {
  ...anyWords,
  emptyIsNull: false,
  read(value) {
    return typeof value === 'string' && wordsOf(value).length > MOST_WORDS
      ? { code: 'too_many', detail: `must have at most ${MOST_WORDS} different words` }
      : anyWords.read(value);
  },
};

/** Filters, sort and members of every list of stories. Several values of one filter mean any of them. */
export class StoryListQuery extends PageQuery {
  @Member(anyOf(oneOf(...STATUSES)))
  status?: Status[];

  @Member(anyOf(text(100)), { description: 'Empty means none.' })
  assignee?: (string | null)[];

  // Each is a condition of its own, and SQLite takes an expression of 1,000 levels.
  @Member(anyOf(text(50), 100), { description: 'Empty means none.' })
  label?: (string | null)[];

  @Member(anyOf(int32), { description: 'Empty means none.' })
  priority?: (number | null)[];

  @Member(anyOf(identifier), { description: 'Empty means the backlog.' })
  sprint_id?: (number | null)[];

  @Member(words, {
    description: `Words, at most ${MOST_WORDS}, that are all in the title or the description.`,
  })
  q?: string;

  @Member(anyOf(text(100)), { description: 'Empty means none.' })
  external_id?: (string | null)[];

  @Member(instant, { description: 'Stories that were changed at this instant or later.' })
  updated_since?: string;

  @Member(wordList(SORTABLE, { directions: true }), {
    description: 'Comma list; `-` before a word means descending. What has no value comes last.',
    example: 'priority,-points',
  })
  sort?: string[];

  @Member(wordList(STORY_MEMBERS), {
    description: 'Comma list of the members to show.',
    example: 'id,title',
  })
  fields?: (keyof StoryView)[];
}
