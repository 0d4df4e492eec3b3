import { ApiProperty } from '@nestjs/swagger';
import type { Scope } from '../http/access';
import { SCOPES } from '../http/access';
import { IsText } from '../http/validation';

/** Who calls the service and what it may do; all null, and no boards, for a caller who is not signed in. */
export class SessionView {
  /** The name of the token; `anonymous` where none is required. */
  @ApiProperty({ type: 'string', nullable: true }) actor: string | null;
  @ApiProperty({ type: 'string', enum: SCOPES, nullable: true }) scope: Scope | null;
  /** The names of the only boards that the caller may see. Null: all boards. */
  @ApiProperty({ type: [String], nullable: true }) boards: string[] | null;
  /** Whether the service requires a token. */
  @ApiProperty() token_required: boolean;
}

export class CreateSession {
  /** A valid token. */
  @IsText(200, { blank: false }) token: string;
}
