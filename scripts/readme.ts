// Runs the calls that the README shows and compares their answers with those it shows:
// `tsx scripts/readme.ts README.md http://localhost:3000`, on an empty database.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A call as the README shows it, and the JSON text of the answer below it. */
export interface Example {
  command: string;
  answer: string;
}

/** The calls of a Markdown text: each block `sh` that calls curl and has a block `json` after it. */
export function examplesOf(markdown: string): Example[] {
  return [...markdown.matchAll(/```sh\n(curl [\s\S]*?)```\s*```json\n([\s\S]*?)```/g)].map(
    ([, command = '', answer = '']) => ({ command: command.trim(), answer }),
  );
}

/** The shell command of a call to the service at `base` instead of the README's. */
export function commandOf({ command }: Example, base: string): string {
  return command
    .replaceAll('localhost:3000', new URL(base).host)
    .replace('curl ', 'curl --silent --show-error --max-time 20 ');
}

/** The members of an answer, with what differs from day to day taken out. */
function steady(answer: string): unknown {
  return JSON.parse(answer, (name, value: unknown) => {
    if (name === 'request_id') return '(some id)';
    if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value)) return '(some instant)';
    return value;
  });
}

if (require.main === module) {
  const [file = 'README.md', base = 'http://localhost:3000'] = process.argv.slice(2);
  const examples = examplesOf(readFileSync(file, 'utf8'));
  let wrong = examples.length === 0 ? 1 : 0;
  for (const example of examples) {
    const answer = execFileSync('bash', ['-c', commandOf(example, base)], { encoding: 'utf8' });
    const holds = JSON.stringify(steady(answer)) === JSON.stringify(steady(example.answer));
    console.log(`${holds ? 'ok   ' : 'WRONG'} ${example.command.split('\n')[0]}`);
    if (holds) continue;
    wrong += 1;
    console.log(`expected:\n${example.answer}answered:\n${answer}`);
  }
  process.exit(wrong === 0 ? 0 : 1);
}
