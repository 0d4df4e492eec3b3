import { ApiProperty } from '@nestjs/swagger';
import type { Scope } from '../http/access';
import { SCOPES } from '../http/access';
import { IsText } from '../http/validation/text';

/**
 * The caller and its access. If a token is required and the caller is not signed in, `actor` and `scope` are null and
 * `boards` is empty.
 */
export class SessionView {
  /** The name of the token; `anonymous` if no token is required. */
  @ApiProperty({ type: 'string', nullable: true }) actor: string | null;
  @ApiProperty({ type: 'string', enum: SCOPES, nullable: true }) scope: Scope | null;
  /** Names of the boards that the caller may see. Null: all boards. */
  @ApiProperty({ type: [String], nullable: true }) boards: string[] | null;
  /** Whether the service requires a token. */
  @ApiProperty() token_required: boolean;
}

export class CreateSession {
  /** A valid token. */
  @IsText(200, { blank: false }) token: string;
}
