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

/** Items between commas, each read by itself; none where the text is empty. */
const listOf =
  (read: (item: string) => string) =>
  (text: string): string[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(read);

/** A name as `Host` has it, without the port: `example.org`, `10.0.0.7` or `[::1]`. */
function hostName(text: string): string {
  const name = isIP(text) === 6 ? `[${text}]` : text.toLowerCase();
  if (!URL.canParse(`http://${name}/`) || new URL(`http://${name}/`).hostname !== name) {
    throw new Error('must be host names without a scheme or a port, as in planner.example.org');
  }
  return name;
}

function origin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text.toLowerCase()) {
    throw new Error('must be origins without a path, as in https://app.example.org');
  }
  return text.toLowerCase();
}

function network(text: string): string {
  const [address = '', bits, ...rest] = text.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
  if (longest < 0 || !fits || rest.length > 0) {
    throw new Error('must be addresses or networks, as in 10.0.0.1 or 10.0.0.0/8');
  }
  return text;
}

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

/** Every setting there is. `.env.example` and docs/configuration.md are written from this list. */
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
    'Host names, besides localhost, under which the service may be called, separated by commas.',
    listOf(hostName),
  ),
  CORS_ORIGINS: setting(
    '',
    'Origins whose pages may call the service from a browser, as in https://app.example.org, separated by commas.',
    listOf(origin),
  ),
  TRUST_PROXY: setting(
    '',
    'Addresses or networks of the proxies whose X-Forwarded-* are believed, as in 10.0.0.0/8, separated by commas.',
    listOf(network),
  ),
  RATE_LIMIT: setting(
    '0',
    'Requests a minute for each token, or each address without one; 0 for no limit, 6000 is sensible.',
    integer(0, 1_000_000),
  ),
  MAX_CONNECTIONS: setting('10000', 'Connections of clients at once.', integer(1, 1_000_000)),
  BODY_LIMIT: setting('1048576', 'Bytes of a body.', integer(1024, 104_857_600)),
  BODY_DEPTH: setting('32', 'Levels of a JSON body.', integer(4, 1000)),
  BODY_MEMBERS: setting(
    '1000',
    'Members of a body, or parameters of a query, in all.',
    integer(100, 1_000_000),
  ),
  URL_LIMIT: setting('8192', 'Characters of a URL.', integer(1024, 65_536)),
  HEADER_LIMIT: setting(
    '32768',
    'Bytes of a URL and the header fields together.',
    integer(4096, 1_048_576),
  ),
  HEADER_FIELDS: setting('200', 'Header fields of a request.', integer(50, 1000)),
  HEADERS_TIMEOUT_MS: setting(
    '5000',
    'Time for the header fields of a request to arrive.',
    integer(100, 600_000),
  ),
  REQUEST_TIMEOUT_MS: setting(
    '10000',
    'Time for a whole request to arrive; not less than HEADERS_TIMEOUT_MS.',
    integer(100, 600_000),
  ),
  READER_TIMEOUT_MS: setting(
    '15000',
    'Time in which the reader of a long answer must take something of it.',
    integer(100, 600_000),
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

type Read = <K extends keyof typeof SETTINGS>(name: K) => ReturnType<(typeof SETTINGS)[K]['read']>;

/** The settings of one process, read once at its start. */
export class Config {
  readonly host = this.read('HOST');
  readonly port = this.read('PORT');
  readonly database = this.read('DATABASE_URL');
  readonly databasePool = this.read('DATABASE_POOL');
  readonly databaseDeadlineMs = this.read('DATABASE_DEADLINE_MS');
  readonly auth = this.read('AUTH');
  readonly allowedHosts = this.read('ALLOWED_HOSTS');
  readonly corsOrigins = this.read('CORS_ORIGINS');
  readonly trustProxy = this.read('TRUST_PROXY');
  readonly rateLimit = this.read('RATE_LIMIT');
  readonly maxConnections = this.read('MAX_CONNECTIONS');
  readonly bodyLimit = this.read('BODY_LIMIT');
  readonly bodyDepth = this.read('BODY_DEPTH');
  readonly bodyMembers = this.read('BODY_MEMBERS');
  readonly urlLimit = this.read('URL_LIMIT');
  readonly headerLimit = this.read('HEADER_LIMIT');
  readonly headerFields = this.read('HEADER_FIELDS');
  readonly headersTimeoutMs = this.read('HEADERS_TIMEOUT_MS');
  readonly requestTimeoutMs = this.read('REQUEST_TIMEOUT_MS');
  readonly readerTimeoutMs = this.read('READER_TIMEOUT_MS');
  readonly shutdownDelayMs = this.read('SHUTDOWN_DELAY_MS');
  readonly logLevel = this.read('LOG_LEVEL');

  private constructor(private readonly read: Read) {}

  /** Whether only programs of this machine reach the service. */
  get onLoopback(): boolean {
    return this.host === 'localhost' || this.host === '::1' || this.host.startsWith('127.');
  }

  /**
   * Reads and checks the environment.
   * @throws ConfigError that names every setting at fault and what it should be.
   */
  static from(environment: Record<string, string | undefined>): Config {
    const faults: string[] = [];
    const config = new Config((name) => {
      const { default: fallback, read } = SETTINGS[name];
      const text = environment[name]?.trim() || fallback;
      try {
        return read(text) as never;
      } catch (error) {
        // A database URL may hold a password, so its value is not repeated.
        const shown = name === 'DATABASE_URL' ? '' : ` (it is "${text}")`;
        faults.push(`${name} ${(error as Error).message}${shown}`);
        return undefined as never;
      }
    });
    if (config.headersTimeoutMs > config.requestTimeoutMs) {
      faults.push('REQUEST_TIMEOUT_MS must not be less than HEADERS_TIMEOUT_MS');
    }
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
