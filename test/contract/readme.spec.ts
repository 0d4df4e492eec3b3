import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandOf, examplesOf } from '../../scripts/readme';
import { useApp } from '../support/app';

const README = join(__dirname, '../../README.md');
const examples = examplesOf(readFileSync(README, 'utf8'));

describe('the README', () => {
  const service = useApp({ engine: 'sqlite' });

  it('shows ten calls', () => expect(examples).toHaveLength(10));

  it.each(examples.map((example, i) => [i + 1, example] as const))(
    'shows the actual response to call %i',
    async (i, example) => {
      service.clock.set(`2026-11-20T09:${String(29 + i)}:00.000Z`);
      const { stdout } = await promisify(execFile)('bash', ['-c', commandOf(example, service.url)]);
      const { request_id, ...answer } = JSON.parse(stdout);
      const { request_id: shown, ...expected } = JSON.parse(example.answer);
      expect(answer).toEqual(expected);
      expect(typeof request_id).toBe(typeof shown);
    },
  );
});
