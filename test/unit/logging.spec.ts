import { createLogger, NestLogger } from '../../src/logging/logger';

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

it('a logged error of the framework has its message and stack, as JSON and as text', () => {
  const error = new Error('a task failed');
  const written = (format: 'json' | 'text'): string => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    new NestLogger(createLogger('info', destination, format)).error(error, 'ExpiredKeys');
    return lines.join('');
  };
  expect(JSON.parse(written('json'))).toMatchObject({
    level: 'error',
    msg: 'a task failed',
    context: 'ExpiredKeys',
    err: { message: 'a task failed', stack: error.stack },
  });
  const [first, ...stack] = written('text').trimEnd().split('\n');
  expect(first).toMatch(/^\d\d:\d\d:\d\d error ExpiredKeys: a task failed$/);
  expect(stack.map((line) => line.slice(2))).toEqual(error.stack?.split('\n'));
});
