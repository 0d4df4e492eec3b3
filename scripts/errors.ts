// Writes docs/errors.md from the catalogue: `npm run docs:errors`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { FIELD_ERRORS, PROBLEMS } from '../src/http/problem';

export const ERRORS_FILE = join(__dirname, '../docs/errors.md');

/** Returns the content of `docs/errors.md`. */
export async function errorsPage(): Promise<string> {
  const problems = Object.entries(PROBLEMS)
    .sort(([a, [left]], [b, [right]]) => left - right || (a < b ? -1 : 1))
    .map(([code, [status, , meaning]]) => `| ${status} | \`${code}\` | ${meaning} |`);
  const fieldErrors = Object.entries(FIELD_ERRORS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  const page = `# Errors

<!-- Written by \`npm run docs:errors\` from src/http/problem.ts; a test compares. -->

Every error response is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)),
\`application/problem+json\`:

| Field | Meaning |
|---|---|
| \`type\` | \`urn:sprintline:problem:\` and the code. |
| \`title\` | The problem in a few words; the same for every problem with this code. |
| \`status\` | The status of the response. |
| \`detail\` | What is wrong in this case, for a person. |
| \`instance\` | The path of the request. |
| \`code\` | The problem, for a program. It never changes its meaning. |
| \`errors\` | Every error in the request or in the file, at most 1,000, for example with \`invalid_request\` and \`invalid_file\`. |
| \`request_id\` | The id of the request in the log; also in the header \`X-Request-Id\`. |

A request that was answered with 429 or 503 may be sent again after the number of seconds in \`Retry-After\`.

## Problems

| Status | Code | Meaning |
|---|---|---|
${problems.join('\n')}

## Field errors

Each item of \`errors\` has a \`code\` for programs, a \`detail\` for people, and exactly one of these fields, which says
where the error is: \`pointer\` (a JSON pointer into the body, [RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)),
\`parameter\`, \`header\`, or \`line\` (of an imported file, or the number of an entry in a list of JSON). If the \`mapping\` of
an import can define the meaning of a cell, the item also has its \`column\` and \`value\`.

| Code | Meaning |
|---|---|
${fieldErrors.join('\n')}
`;
  return format(page, { ...(await resolveConfig(ERRORS_FILE)), parser: 'markdown' });
}

if (require.main === module) {
  void errorsPage().then((page) => writeFileSync(ERRORS_FILE, page));
}
