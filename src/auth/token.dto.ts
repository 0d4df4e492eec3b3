import type { Scope } from '../http/access';
import { SCOPES } from '../http/access';
import { boardName, instant, line, listOf, Member, oneOf, Ruled } from '../http/validation';
import type { FieldError } from '../http/problem';
import { Shown, shown } from '../http/schema';

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

@Ruled<CreateToken>(({ scope, boards = null, expires_at: expires = null }, now) => {
  const faults: FieldError[] = [];
  if (scope === 'admin' && boards !== null) {
    // It could make another one, for all boards.
    const detail = 'boards cannot be given to an admin';
    faults.push({ pointer: '/boards', code: 'not_for_admin', detail });
  }
  if (expires !== null && expires <= now.toISOString()) {
    const detail = 'expires_at must be in the future';
    faults.push({ pointer: '/expires_at', code: 'out_of_range', detail });
  }
  return faults;
})
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
