import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');
const cli = join(root, 'dist/cli.js');
const run = promisify(execFile);
const output = async (...words: string[]): Promise<string> =>
  (await run(process.execPath, [cli, ...words])).stdout;

describe('the command line', () => {
  it('shows the version of the program', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(await output('--version')).toBe(`${version}\n`);
  });

  it('shows its commands and examples, without loading the application', async () => {
    const script = `
      process.on('exit', () => {
        const loaded = Object.keys(require.cache).filter((file) => /typeorm|nestjs|fastify/.test(file));
        console.log('loaded: ' + loaded.join());
      });
      require(${JSON.stringify(cli)}).run(['--help']);`;
    const { stdout } = await run(process.execPath, ['-e', script]);
    for (const name of ['seed', 'import', 'tokens', 'backup', 'migrate']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +[a-z]`, 'm'));
      expect(stdout).toMatch(new RegExp(`^ .*sprintline ${name}`, 'm'));
    }
    expect(stdout).toMatch(/^loaded: $/m);
  });

  it.each(['tokens', 'import'])('shows examples of %s', async (name) => {
    expect(await output(name, '--help')).toMatch(new RegExp(`Examples:\\n {2}sprintline ${name} `));
  });

  it.each(['import', 'export'])('shows no empty default of %s', async (name) => {
    expect(await output(name, '--help')).not.toMatch(/default:\s+(false|\[\])/);
  });

  it('rejects an unknown command and suggests a similar one', async () => {
    await expect(output('tokns')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean tokens?'),
    });
  });

  it.each(['migrate', 'seed'])('says in one sentence that %s has no SQLite file', async (name) => {
    const environment = { ...process.env, DATABASE_URL: `sqlite:${__filename}` };
    await expect(run(process.execPath, [cli, name], { env: environment })).rejects.toMatchObject({
      code: 1,
      stderr: 'DATABASE_URL names a file that is not an SQLite database.\n',
    });
  });

  it('fails if a new token, which is shown once, cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sprintline-command-'));
    try {
      const create = `"$0" "$1" tokens create --name ada --scope admin > /dev/full`;
      const environment = { ...process.env, DATABASE_URL: `sqlite:${join(folder, 'board.db')}` };
      await expect(
        run('sh', ['-c', create, process.execPath, cli], { env: environment }),
      ).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Standard output cannot be written: ENOSPC'),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
