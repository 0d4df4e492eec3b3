import type { Scope } from '../common/access';
import { SCOPES } from '../common/access';
import { boardName, instant, line, listOf, Member, oneOf } from '../common/fields';
import { Shown, shown } from '../common/view';

/** A token as clients see it: everything but the token. */
export class TokenView {
  @Shown(shown.id)
  id: number;

  @Shown(shown.text)
  name: string;

  @Shown({ type: 'string', enum: SCOPES })
  scope: Scope;

  @Shown({ ...shown.texts, description: 'Null: all.' }, { nullable: true })
  boards: string[] | null;

  @Shown(shown.instant, { nullable: true })
  expires_at: string | null;

  @Shown(shown.instant)
  created_at: string;

  @Shown({ ...shown.instant, description: 'True to the minute.' }, { nullable: true })
  last_used_at: string | null;
}

export class NewTokenView extends TokenView {
  @Shown({ ...shown.text, description: 'Shown this once.' })
  token: string;
}

export class CreateToken {
  @Member(line(100), {
    required: true,
    description: 'What the log calls whoever uses it.',
    example: 'CI',
  })
  name: string;

  @Member(oneOf(...SCOPES), {
    required: true,
    description: 'Each includes those before it. The first token must be `admin`.',
  })
  scope: Scope;

  @Member(listOf(boardName, 100, 'board'), {
    nullable: true,
    description: 'Names of the only boards that it may see; all where absent. Not with `admin`.',
  })
  boards?: string[] | null;

  @Member(instant, { nullable: true, description: 'Never, where absent.' })
  expires_at?: string | null;
}
