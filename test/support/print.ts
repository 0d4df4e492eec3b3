import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/**
 * Returns the results of functions of a script. Scripts use Prettier, an ES module that jest cannot load,
 * so the script runs in a separate process.
 */
export function printed(script: string, ...functions: string[]): string[] {
  const program = `
    const script = require('./scripts/${script}');
    Promise.all(${JSON.stringify(functions)}.map((name) => script[name]())).then((texts) =>
      process.stdout.write(JSON.stringify(texts)));`;
  const output = execFileSync(process.execPath, ['--import', 'tsx', '-e', program], {
    cwd: root,
    encoding: 'utf8',
  });
  return JSON.parse(output) as string[];
}
