import type { ExecFileOptions } from 'node:child_process';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

  it.each(['import', 'export'])(
    'shows no token as an option in the examples of %s, because other users see the options of a process',
    async (name) => {
      const [, examples] = (await output(name, '--help')).split('Examples:');
      expect(examples).toContain('--url');
      expect(examples).toContain('SPRINTLINE_TOKEN=');
      expect(examples).not.toContain('--token');
    },
  );

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

  describe('in a folder without a database', () => {
    let folder: string;
    let options: ExecFileOptions;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'sprintline-command-'));
      options = { cwd: folder, env: { ...process.env, DATABASE_URL: 'sqlite:data/board.db' } };
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it('creates no token that cannot be written, because it is shown only once', async () => {
      const create = `"$0" "$1" tokens create --name ada --scope admin > /dev/full`;
      await expect(run('sh', ['-c', create, process.execPath, cli], options)).rejects.toMatchObject(
        {
          code: 1,
          stderr: expect.stringContaining('Standard output cannot be written: ENOSPC'),
        },
      );
      const { stdout } = await run(process.execPath, [cli, 'tokens', 'list', '--json'], options);
      expect(JSON.parse(stdout as string)).toEqual([]);
    });

    it.each([
      'tokens list',
      'tokens delete 1',
      'export board.ndjson --board Board',
      'backup copy.db',
    ])('creates none for %s', async (command) => {
      await expect(
        run(process.execPath, [cli, ...command.split(' ')], options),
      ).rejects.toMatchObject({ code: 1, stderr: 'There is no database data/board.db.\n' });
      expect(readdirSync(folder)).toEqual([]);
    });
  });
});
