import type { OpenAPIObject } from '@nestjs/swagger';
import { EXAMPLES, PARAMETERS } from './examples';

/** What an operation does, beyond its summary. `patch…` and the current, next and previous sprint share it. */
const DESCRIPTIONS: Record<string, string> = {
  listBoards: 'All boards that the caller may see, by name.',
  createBoard:
    'A board is also created by the first sprint or story that is posted to it, in UTC; create it first to choose its time zone.',
  showBoard: '`revision` is the number of the latest event of the board.',
  updateBoard:
    'Changes the fields that are sent. With a new name the board keeps its id, and the old name is free.',
  deleteBoard:
    'A board with sprints or stories is deleted only with `force=true`; its log is deleted in any case.',
  listSprintsOfBoard: 'By `start_date`, then `id`. `state` selects the sprints in one state.',
  createSprint:
    'Creates the board, too, if it does not exist. Sprints may overlap; without an `end_date` a sprint ends when the next one starts.',
  showCurrentSprint:
    'The active sprint that started last or, without an active one, the last that has ended and is not completed. One request has all that a task board shows.',
  showNextSprint: 'The first sprint after the current one that is not completed.',
  showPreviousSprint: 'The last sprint before the current one that has started.',
  showSprint: 'Without its stories. `state` follows from the dates and from today on the board.',
  updateSprint:
    'Changes the fields that are sent; null clears `end_date`, `name` or `goal`. The dates of a completed sprint cannot be changed.',
  deleteSprint:
    'Moves its stories to the end of the backlog. A completed sprint is deleted only with `force=true`.',
  startSprint:
    'What is in the sprint now is its commitment, which reports compare with what is completed. Sent again, it commits anew. A sprint that is never started commits to what is in it at the end of its first day.',
  completeSprint:
    'Stories that are done stay in the sprint; the others are moved to the backlog, to the next sprint or to the sprint with an id, in their order and in one transaction. The response is the report, which does not change any more. `dry_run` only shows it.',
  reopenSprint:
    'Makes a completed sprint open again. The stories that were carried over stay where they are.',
  listStoriesOfSprint:
    'By `seq`, then `id`. The list is complete unless `limit` is given; a filter that is given several times matches any of its values.',
  createStoryInSprint: 'Creates a story at the end of the sprint, or where its `seq` puts it.',
  listBacklog: 'By `seq`, then `id`, with the filters of every list of stories.',
  createStoryInBacklog:
    'Creates a story at the end of the backlog, and the board with it if it does not exist.',
  listStoriesOfBoard: 'The stories of the backlog and of all sprints, completed ones too.',
  showStory: 'Its tasks are at `/api/stories/{story_id}/tasks`.',
  updateStory:
    'Changes the fields that are sent. `sprint_id` moves the story to another sprint, also of another board, or with null to the backlog; its `seq` stays as it is.',
  deleteStory: 'Deletes the story with its tasks. Its history remains.',
  moveStory:
    'Puts the story first, last, or before or after another story, in its list or in the list of another sprint.',
  moveStoriesOfBoard:
    'Puts up to 1,000 stories of the board next to each other, in the order of `story_ids`.',
  runBatch:
    'Up to 1,000 creations, updates, deletions, moves, starts and completions in their order, in one transaction: the first that fails rolls back all of them, and `errors` names it. What an operation creates is named by `as`; later operations have `"$name"` instead of its id. `set` has the fields of the single request. `dry_run` shows the results and changes nothing.',
  importFileIntoBoard:
    'Creates and updates the sprints, stories and tasks of a file, all or none; the board is created if it does not exist. Rows are found again by their `external_id`, so a second import of the same file changes nothing. In a form, `mapping` must precede `file`. A file has at most 32 MiB. `dry_run` answers the same and changes nothing.',
  listTasksOfStory: 'By `seq`, then `id`.',
  createTask: 'Creates a task at the end of the story. A story has at most 1,000 tasks.',
  showTask: 'One part of a story.',
  updateTask: 'Changes the fields that are sent; `done_at` follows from `status`.',
  deleteTask: 'The story keeps its other tasks.',
  showReportOfSprint:
    'Computed from the event log: committed + added + re-estimated − removed = completed + unfinished. Of a completed sprint it does not change any more.',
  showBurndownOfSprint:
    'A row for each calendar day in the time zone of the board, with the state at the end of that day; the last row agrees with the report.',
  showVelocity:
    'What the last completed sprints committed to and completed, with the average and the median.',
  showForecast:
    'A Monte Carlo simulation of the completed sprints of the board, of which it needs three. With the same `seed` the result is the same.',
  listEventsOfBoard:
    'The log of the board after a revision, at most 1,000 events; `Link` is the URL of the next page. The log has every change, in order and without a gap.',
  streamEventsOfBoard:
    'The same events as they happen, until the client disconnects. It continues after `Last-Event-ID`, else after `after`, else from now; a comment is sent every 15 s.',
  listHistoryOfStory: 'The events of one story, from its creation, on every board that it was on.',
  exportBoard:
    'A JSON value on each line: a header, the sprints, the stories, each followed by its tasks, with `log` the events, and the number of lines with their checksum. An import reads it.',
  checkLiveness: 'For the process manager. It needs no token, and no database.',
  checkReadiness:
    'For a load balancer: 503 while the database is unavailable and while the instance is stopping. It needs no token.',
  showMetrics: 'In the text format of Prometheus.',
  listTokens: 'Without their secrets.',
  showSession:
    'Who calls, and what this caller may do; all null, and no boards, for a browser that is not signed in.',
  createSession:
    'Sets a cookie, which from then on is sent instead of the token. It ends with the token, or 30 days after its last use.',
  deleteSession: 'Ends the session of the cookie, and clears it.',
  createToken:
    'The response shows the secret, this once. The first token must have the scope `admin`; from then on every request needs a token.',
  showToken: 'Without its secret.',
  deleteToken:
    'The token is rejected from then on. The last token with the scope `admin` can be deleted only when there are no others.',
};

interface Media {
  schema?: { $ref?: string; type?: string | string[]; items?: { $ref?: string } };
  example?: unknown;
}
interface Operation {
  operationId: string;
  description?: string;
  parameters: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description?: string; content?: Record<string, Media> }>;
}
type Schemas = Record<string, { properties?: Record<string, unknown> }>;

/** Adds the descriptions and examples of the operations to a document whose schemas are named. */
export function describeOperations(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas as Schemas;
  const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
  for (const operation of Object.values(paths).flatMap((each) => Object.values(each))) {
    const { operationId, parameters, requestBody, responses } = operation;
    operation.description = DESCRIPTIONS[operationId] ?? DESCRIPTIONS[baseOf(operationId)];
    if (operation.description === undefined) throw new Error(`${operationId} has no description`);
    for (const parameter of parameters) {
      if (parameter.in === 'path') parameter.example = PARAMETERS[parameter.name];
    }
    for (const [status, response] of Object.entries(responses)) {
      if (status.startsWith('2')) response.description ||= status === '201' ? 'Created.' : 'OK.';
    }
    for (const { content } of [requestBody ?? { content: {} }, ...Object.values(responses)]) {
      const media = content?.['application/json'];
      // A file is of any form.
      if (media && !Array.isArray(media.schema?.type)) media.example = exampleOf(media, schemas);
    }
  }
  return document;
}

/** The operation that has the same description. */
const baseOf = (operationId: string): string =>
  operationId
    .replace(/^patch/, 'update')
    .replace(/^(\w+)(Current|Next|Previous)Sprint$/, (_, rest: string) => `${rest}Sprint`);

/** An example of a body, with the properties that its schema has. */
function exampleOf({ schema }: Media, schemas: Schemas): unknown {
  const { $ref = '' } = schema?.items ?? schema ?? {};
  const name = $ref.split('/').pop() ?? '';
  if (!(name in EXAMPLES)) throw new Error(`there is no example of ${$ref}`);
  const known = schemas[name]?.properties ?? {};
  const example = Object.fromEntries(
    Object.entries(EXAMPLES[name] as object).filter(([property]) => property in known),
  );
  return schema?.items ? [example] : example;
}
