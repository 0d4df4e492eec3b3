import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A request of a load; they are sent in turn, over and over. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: object;
  ifNoneMatch?: string;
}

/** What a load saw. Times are in milliseconds. */
export interface Measured {
  count: number;
  rate: number;
  p50: number;
  p99: number;
}

/** wrk, which leaves the processors to the servers; without it autocannon. */
export const generator = ((): 'wrk' | 'autocannon' => {
  try {
    // It prints how it is used, and fails.
    execFileSync('wrk', ['--version'], { stdio: 'ignore' });
    return 'wrk';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'autocannon' : 'wrk';
  }
})();

/**
 * Loads a server from a process of its own.
 * @throws where a single request failed: numbers of another thing than was to be measured are none
 */
export async function load(
  url: string,
  requests: Request[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'sprintline-load-'));
  try {
    const file = join(folder, 'requests');
    const lines = requests.map(({ method, path, ifNoneMatch = '', body }) =>
      [method, path, ifNoneMatch, body ? JSON.stringify(body) : ''].join('\t'),
    );
    writeFileSync(file, `${lines.join('\n')}\n`);
    const [command, ...args] =
      generator === 'wrk'
        ? [
            ...['wrk', '-t1', `-c${connections}`, `-d${Math.ceil(seconds)}s`, '--timeout', '10s'],
            ...['-s', join(__dirname, 'wrk.lua'), url, '--', file],
          ]
        : [
            ...[process.execPath, join(__dirname, 'autocannon.mjs'), url, file],
            ...[String(connections), String(Math.ceil(seconds))],
          ];
    const output = await run(command as string, args);
    const line = /^RESULT (.*)$/m.exec(output)?.[1];
    if (line === undefined) throw new Error(`the load generator said:\n${output}`);
    const result = JSON.parse(line) as Record<string, number>;
    if (result.failed) throw new Error(`${result.failed} requests failed:\n${output}`);
    const { requests: count = 0, seconds: taken = 1, p50 = 0, p99 = 0 } = result;
    return { count, rate: count / taken, p50, p99 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (part: Buffer) => (output += part.toString()));
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}
