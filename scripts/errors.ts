// Writes docs/errors.md from the catalogue: `npm run docs:errors`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { FAULTS, PROBLEMS } from '../src/http/problem';

export const ERRORS_FILE = join(__dirname, '../docs/errors.md');

/** The page, as it must stand in the repository. */
export async function errorsPage(): Promise<string> {
  const problems = Object.entries(PROBLEMS)
    .sort(([a, [left]], [b, [right]]) => left - right || (a < b ? -1 : 1))
    .map(([code, [status, , meaning]]) => `| ${status} | \`${code}\` | ${meaning} |`);
  const faults = Object.entries(FAULTS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  const page = `# Errors

<!-- Written by \`npm run docs:errors\` from src/common/problem.ts; a test compares. -->

What is refused is answered with a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)),
\`application/problem+json\`:

| Member | |
|---|---|
| \`type\` | \`urn:sprintline:problem:\` and the code. |
| \`title\` | The problem in a few words; the same for every problem of the code. |
| \`status\` | The status of the answer. |
| \`detail\` | What is wrong in this case, for a person. |
| \`instance\` | The path that was asked for. |
| \`code\` | The problem, for a program. It never changes its meaning. |
| \`errors\` | With \`invalid_request\`: every fault of the request. |
| \`request_id\` | Finds the request in the log; also in the header \`X-Request-Id\`. |

A problem with the status 503 may be sent again after as many seconds as \`Retry-After\` says.

## Problems

| Status | Code | Meaning |
|---|---|---|
${problems.join('\n')}

## Faults

Each item of \`errors\` says where it is, in one of \`pointer\` (a JSON pointer into the body,
[RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)), \`parameter\` and \`header\`; what it is, in \`code\`; and what
may be done about it, in \`detail\`.

| Code | Meaning |
|---|---|
${faults.join('\n')}
`;
  return format(page, { ...(await resolveConfig(ERRORS_FILE)), parser: 'markdown' });
}

if (require.main === module) {
  void errorsPage().then((page) => writeFileSync(ERRORS_FILE, page));
}
