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

it.each(['json', 'text'] as const)(
  'a line has no control characters of a client, as %s',
  (format) => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) }, format);
    const hostile = 'a\u009b31m\u007f\u0085\u001b[2J\r\n12:00:00 info forged';
    const request = { method: hostile, url: hostile, status: 200, duration_ms: 1 };
    logger.info({ address: hostile, nested: { value: hostile } }, hostile);
    logger.info(request);
    logger.error({ err: Object.assign(new Error('x'), { stack: hostile }) }, 'failed');
    for (const line of lines) {
      expect(line).toMatch(/\n$/);
      expect(line.slice(0, -1)).not.toMatch(/(?!\n)\p{Cc}/u);
      expect(line).not.toMatch(/^12:00:00 info forged/m);
      expect(line).toContain('a\\u009b31m');
    }
    expect(lines).toHaveLength(3);
  },
);
