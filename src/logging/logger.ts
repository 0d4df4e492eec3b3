import type { LoggerService } from '@nestjs/common';
import type { DestinationStream, Logger as Pino } from 'pino';
import pino from 'pino';

/** One JSON object a line, on standard output where it is not said otherwise. */
export function createLogger(level: string, destination?: DestinationStream): Pino {
  const options = {
    level,
    base: null,
    timestamp: isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

let millisecond = 0;
let time = '';

/** As pino's own, but the text is made once a millisecond, in which a busy service writes several lines. */
function isoTime(): string {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    time = `,"time":"${new Date(now).toISOString()}"`;
  }
  return time;
}

/**
 * What the log has of an error. A driver puts the whole statement into it, with what somebody wrote in
 * a story; that is nothing for a log.
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

/** Lets Nest, and what is built on it, log to the same place. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Pino) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest gives the context last; what comes before it is a text, an error, or an object and a text. */
  private write(
    level: 'info' | 'warn' | 'error' | 'fatal' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = rest.pop();
    const text = rest.find((item) => typeof item === 'string');
    if (message instanceof Error) this.pino[level]({ context, err: message }, message.message);
    else if (typeof message === 'object') this.pino[level]({ context, ...message }, text);
    else {
      // The life of the framework is nothing to an operator.
      const quiet = level === 'info' && FRAMEWORK.has(context as string);
      this.pino[quiet ? 'debug' : level](
        { context, ...(text !== undefined && { stack: text }) },
        message as string,
      );
    }
  }
}

const FRAMEWORK = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);
