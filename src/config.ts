import { isIP } from 'node:net';

/** Where the data lives. */
export type DatabaseTarget =
  | { kind: 'sqlite'; file: string }
  | {
      kind: 'mysql' | 'mariadb';
      host: string;
      port: number;
      user: string;
      password: string;
      database: string;
      tls: boolean;
    };

/** A setting of the environment: its default, what it is for, and how its text is read. */
interface Setting<T> {
  default: string;
  about: string;
  read: (text: string) => T;
}

const setting = <T>(fallback: string, about: string, read: (text: string) => T): Setting<T> => ({
  default: fallback,
  about,
  read,
});

const integer =
  (min: number, max: number) =>
  (text: string): number => {
    if (!/^\d{1,10}$/.test(text) || Number(text) < min || Number(text) > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return Number(text);
  };

const oneOf =
  <T extends string>(...values: T[]) =>
  (text: string): T => {
    const value = values.find((candidate) => candidate === text.toLowerCase());
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return value;
  };

const list = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

function databaseTarget(text: string): DatabaseTarget {
  if (text.startsWith('sqlite:')) {
    const file = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (file === '' || file.includes(':memory:')) {
      throw new Error('must name a file, as in sqlite:data/sprintline.db');
    }
    return { kind: 'sqlite', file };
  }
  const example = 'mysql://user:password@host:3306/database';
  if (!/^(mysql|mariadb):\/\//.test(text) || !URL.canParse(text)) {
    throw new Error(`must be sqlite:FILE, ${example} or mariadb://…`);
  }
  const url = new URL(text);
  const database = decodeURIComponent(url.pathname.slice(1));
  if (url.hostname === '' || database === '') {
    throw new Error(`must name a host and a database, as in ${example}`);
  }
  return {
    kind: url.protocol === 'mariadb:' ? 'mariadb' : 'mysql',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
    tls: url.searchParams.get('tls') === 'true',
  };
}

/** Every setting there is. `.env.example` and docs/operations.md are held to this list by a test. */
export const SETTINGS = {
  HOST: setting('127.0.0.1', 'Address to listen on.', (text) => {
    if (text !== 'localhost' && isIP(text) === 0) throw new Error('must be an IP address');
    return text;
  }),
  PORT: setting('3000', 'Port to listen on.', integer(0, 65535)),
  DATABASE_URL: setting(
    'sqlite:data/sprintline.db',
    'sqlite:FILE, mysql://user:password@host:port/database or mariadb://… (add ?tls=true for TLS).',
    databaseTarget,
  ),
  DATABASE_POOL: setting('10', 'Connections to a MySQL or MariaDB server.', integer(1, 1000)),
  DATABASE_DEADLINE_MS: setting(
    '4000',
    'Time for the database work of a request, waiting and retries included.',
    integer(100, 60_000),
  ),
  AUTH: setting(
    'auto',
    'auto asks for tokens once there is one; off never does, and says so at every start.',
    oneOf('auto', 'off'),
  ),
  ALLOWED_HOSTS: setting(
    '',
    'Further host names under which the service may be called, separated by commas.',
    list,
  ),
  SHUTDOWN_DELAY_MS: setting(
    '',
    'Time between the stop signal and the closing of the door; 1000, or 0 on a terminal.',
    (text) => (text === '' ? (process.stdin.isTTY ? 0 : 1000) : integer(0, 600_000)(text)),
  ),
  LOG_LEVEL: setting(
    'info',
    'trace, debug, info, warn, error, fatal or silent.',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  ),
} as const;

/** The settings of one process, read once at its start. */
export class Config {
  constructor(
    readonly host: string,
    readonly port: number,
    readonly database: DatabaseTarget,
    readonly databasePool: number,
    readonly databaseDeadlineMs: number,
    readonly auth: 'auto' | 'off',
    readonly allowedHosts: string[],
    readonly shutdownDelayMs: number,
    readonly logLevel: string,
  ) {}

  /**
   * Reads and checks the environment.
   * @throws ConfigError that names every setting at fault and what it should be.
   */
  static from(environment: Record<string, string | undefined>): Config {
    const faults: string[] = [];
    const read = <K extends keyof typeof SETTINGS>(
      name: K,
    ): ReturnType<(typeof SETTINGS)[K]['read']> => {
      const { default: fallback, read: reader } = SETTINGS[name];
      const text = environment[name]?.trim() || fallback;
      try {
        return reader(text) as ReturnType<(typeof SETTINGS)[K]['read']>;
      } catch (error) {
        // A database URL may hold a password, so its value is not repeated.
        const shown = name === 'DATABASE_URL' ? '' : ` (it is "${text}")`;
        faults.push(`${name} ${(error as Error).message}${shown}`);
        return undefined as ReturnType<(typeof SETTINGS)[K]['read']>;
      }
    };
    const config = new Config(
      read('HOST'),
      read('PORT'),
      read('DATABASE_URL'),
      read('DATABASE_POOL'),
      read('DATABASE_DEADLINE_MS'),
      read('AUTH'),
      read('ALLOWED_HOSTS'),
      read('SHUTDOWN_DELAY_MS'),
      read('LOG_LEVEL'),
    );
    if (faults.length > 0) throw new ConfigError(faults);
    return config;
  }
}

/** Settings that cannot be used; the message has a line for each. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(['The configuration cannot be used:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
  }
}
