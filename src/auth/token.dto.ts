import { ApiProperty } from '@nestjs/swagger';
import type { Scope } from '../http/access';
import { SCOPES } from '../http/access';
import { EnumField, IdField, InstantField } from '../http/responses/schema';
import { IsOneOf } from '../http/validation/choices';
import { IsBoardNames } from '../http/validation/collections';
import { IsFutureInstant } from '../http/validation/dates';
import { Doc, MayBeAbsentOrNull, Rule } from '../http/validation/property';
import { IsName } from '../http/validation/text';

/** A token as clients see it: without the secret. */
export class TokenView {
  @IdField() id: number;
  @ApiProperty() name: string;
  @EnumField(SCOPES) scope: Scope;
  /** Null: all boards. */
  @ApiProperty() boards: string[] | null;
  @InstantField() expires_at: string | null;
  @InstantField() created_at: string;
  @InstantField({ description: 'Exact to the minute.' }) last_used_at: string | null;
}

export class NewTokenView extends TokenView {
  /** The secret. It is shown only here. */
  @ApiProperty() token: string;
}

export class CreateToken {
  /** The `actor` of events that the token causes. */
  @IsName() @Doc({ example: 'CI' }) name: string;
  /** Each scope includes those before it. The first token must be `admin`. */
  @IsOneOf(SCOPES) scope: Scope;

  /** Names of the boards that the token gives access to. Default: all. Not with `admin`. */
  // An admin could create another token for all boards. Decorators run from the last to the first.
  @MayBeAbsentOrNull()
  @Rule<CreateToken>(
    'not_for_admin',
    'cannot be given with the scope admin',
    (_, { scope }) => scope !== 'admin',
  )
  @IsBoardNames(100)
  boards?: string[] | null;

  /** Default: never. */
  @MayBeAbsentOrNull() @IsFutureInstant() expires_at?: string | null;
}
