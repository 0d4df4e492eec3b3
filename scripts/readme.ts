// Sends the calls of the README to a service with an empty database, and compares the responses:
// `tsx scripts/readme.ts README.md http://localhost:3000`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A curl command in the README, and the JSON of the response below it. */
export interface Example {
  command: string;
  answer: string;
}

/** Finds the calls in a Markdown text: each `sh` block with a curl command before a `json` block. */
export function examplesOf(markdown: string): Example[] {
  return [...markdown.matchAll(/```sh\n(curl [\s\S]*?)```\s*```json\n([\s\S]*?)```/g)].map(
    ([, command = '', answer = '']) => ({ command: command.trim(), answer }),
  );
}

/** Returns the shell command of a call, with the address of the service at `base`. */
export function commandOf({ command }: Example, base: string): string {
  return command
    .replaceAll('localhost:3000', new URL(base).host)
    .replace('curl ', 'curl --silent --show-error --max-time 20 ');
}

/** Parses a response, and replaces its request id and its times with fixed values. */
function normalize(answer: string): unknown {
  return JSON.parse(answer, (name, value: unknown) => {
    if (name === 'request_id') return '(id)';
    if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value)) return '(instant)';
    return value;
  });
}

if (require.main === module) {
  const [file = 'README.md', base = 'http://localhost:3000'] = process.argv.slice(2);
  const examples = examplesOf(readFileSync(file, 'utf8'));
  let wrong = examples.length === 0 ? 1 : 0;
  for (const example of examples) {
    const answer = execFileSync('bash', ['-c', commandOf(example, base)], { encoding: 'utf8' });
    const holds = JSON.stringify(normalize(answer)) === JSON.stringify(normalize(example.answer));
    console.log(`${holds ? 'ok   ' : 'WRONG'} ${example.command.split('\n')[0]}`);
    if (holds) continue;
    wrong += 1;
    console.log(`expected:\n${example.answer}answered:\n${answer}`);
  }
  process.exit(wrong === 0 ? 0 : 1);
}
