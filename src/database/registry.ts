import { Session } from '../auth/session.entity';
import { Token } from '../auth/token.entity';
import { Board } from '../boards/board.entity';
import { Event } from '../events/event.entity';
import { Sprint } from '../sprints/sprint.entity';
import { Story } from '../stories/story.entity';
import { Task } from '../tasks/task.entity';
import { IdempotencyKey } from './idempotency-key.entity';
import { IdempotencyPart } from './idempotency-part.entity';
import { Initial1763700000000 } from './migrations/1-initial';
import { ExternalIds1763709000000 } from './migrations/10-external-ids';
import { Sessions1763710000000 } from './migrations/11-sessions';
import { SearchCapitalSharpS1763711000000 } from './migrations/12-search-capital-sharp-s';
import { SearchComposed1763712000000 } from './migrations/13-search-composed';
import { TokenRevisions1763713000000 } from './migrations/14-token-revisions';
import { IdempotencyKeys1763701000000 } from './migrations/2-idempotency-keys';
import { Tokens1763702000000 } from './migrations/3-tokens';
import { StoriesOfASprint1763703000000 } from './migrations/4-stories-of-a-sprint';
import { LongAnswers1763704000000 } from './migrations/5-long-answers';
import { BacklogTotals1763705000000 } from './migrations/6-backlog-totals';
import { OpenSprints1763706000000 } from './migrations/7-open-sprints';
import { RevisionTags1763707000000 } from './migrations/8-revision-tags';
import { StartsAndWorkingDays1763708000000 } from './migrations/9-starts-and-working-days';

/** Every entity, for the application, the command line and the tests alike. */
export const entities = [
  Board,
  Sprint,
  Story,
  Task,
  Event,
  IdempotencyKey,
  IdempotencyPart,
  Token,
  Session,
];

/** Every migration, in the order in which they run. */
export const migrations = [
  Initial1763700000000,
  IdempotencyKeys1763701000000,
  Tokens1763702000000,
  StoriesOfASprint1763703000000,
  LongAnswers1763704000000,
  BacklogTotals1763705000000,
  OpenSprints1763706000000,
  RevisionTags1763707000000,
  StartsAndWorkingDays1763708000000,
  ExternalIds1763709000000,
  Sessions1763710000000,
  SearchCapitalSharpS1763711000000,
  SearchComposed1763712000000,
  TokenRevisions1763713000000,
];
