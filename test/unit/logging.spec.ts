import { createLogger } from '../../src/logging/logger';

it('an error is logged without the failed statement, which contains user data', () => {
  const lines: string[] = [];
  const driver = Object.assign(new Error('Lock wait timeout exceeded'), {
    code: 'ER_LOCK_WAIT_TIMEOUT',
    errno: 1205,
    sql: `INSERT INTO stories (title) VALUES ('a secret plan')`,
    parameters: ['a secret plan'],
  });
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  logger.error({ err: new Error('a request failed', { cause: driver }) }, 'a request failed');
  expect(lines.join('')).not.toContain('a secret plan');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    err: {
      type: 'Error',
      message: 'a request failed',
      stack: expect.stringContaining('logging.spec'),
      cause: { code: 'ER_LOCK_WAIT_TIMEOUT', errno: 1205, message: 'Lock wait timeout exceeded' },
    },
  });
});
