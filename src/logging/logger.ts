import type { LoggerService } from '@nestjs/common';
import type { DestinationStream, Level, Logger as Pino } from 'pino';
import pino from 'pino';
import { toJson, toText } from './text';

/** Creates a logger that writes JSON lines or, as `text`, lines for people, by default to standard output. */
export function createLogger(
  level: string,
  destination: DestinationStream = onceInEachTurn(standardOutput()),
  format: 'json' | 'text' = 'json',
): Pino {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  const formatLine = format === 'json' ? toJson : toText;
  return pino(options, { write: (line) => destination.write(formatLine(line)) });
}

/**
 * Writes the lines of one turn of the event loop together: each write takes a twentieth of a short request.
 * When the process exits, the lines of its last turn are written, too.
 */
function onceInEachTurn(destination: DestinationStream): DestinationStream {
  let lines = '';
  const write = (): void => {
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  process.once('exit', write);
  return {
    write: (line) => {
      if (lines === '') setImmediate(write);
      lines += line;
    },
  };
}

/** Maximum bytes of the buffer. */
const MAX_BUFFER = 1024 * 1024;
/** Milliseconds between two attempts to write it. */
const RETRY_MS = 100;

/**
 * Returns a destination that writes to standard output. A failed write does not stop the service: the lines stay in a
 * buffer, and further lines are dropped once it is full. Without these options, pino ends the process when the disk is
 * full, and its exit handler retries forever.
 */
function standardOutput(): DestinationStream {
  const stream = pino.destination({
    // Node.js makes a pipe non-blocking when `process.stdout` is read.
    dest: process.stdout.fd,
    sync: true,
    // With 0, `flush` does nothing.
    minLength: 1,
    maxLength: MAX_BUFFER,
    retryEAGAIN: () => false,
  });
  let timer: NodeJS.Timeout | undefined;
  const retry = (): void => {
    timer = undefined;
    stream.flush();
  };
  stream.on('error', () => {
    timer ??= setTimeout(retry, RETRY_MS).unref();
  });
  return stream;
}

/**
 * Returns the properties of an error that are logged. The error of a driver also has the whole statement with
 * the content of stories, which must not be logged.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, errno } = error as { code?: string; errno?: number };
  return {
    type: error.constructor.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(errno !== undefined && { errno }),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

/** Nest's logger, which writes to pino. */
export class NestLogger implements LoggerService {
  readonly log = this.writes('info');
  readonly warn = this.writes('warn');
  readonly error = this.writes('error');
  readonly fatal = this.writes('fatal');
  readonly debug = this.writes('debug');
  readonly verbose = this.writes('trace');

  constructor(private readonly pino: Pino) {}

  /** The last of `rest` is the context; a string before it is a message or a stack. */
  private writes(level: Level): (message: unknown, ...rest: unknown[]) => void {
    return (message, ...rest) => {
      const context = rest.pop();
      const text = rest.find((item) => typeof item === 'string');
      if (message instanceof Error) this.pino[level]({ context, err: message }, message.message);
      else if (typeof message === 'object') this.pino[level]({ context, ...message }, text);
      else {
        // Start messages of the framework do not interest operators, and `main` reports why it cannot listen.
        const quiet =
          (level === 'info' && FRAMEWORK.has(context as string)) ||
          (level === 'error' && context === 'NestApplication');
        const fields = { context, ...(text !== undefined && { stack: text }) };
        this.pino[quiet ? 'debug' : level](fields, message as string);
      }
    };
  }
}

const FRAMEWORK = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);
