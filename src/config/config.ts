import { plainToInstance } from 'class-transformer';
import { IsDefined, IsIn, IsIP, ValidateBy, ValidateIf, validateSync } from 'class-validator';
import { isIP } from 'node:net';
import { ConfigError } from './config-error';
import type { DatabaseTarget } from './database-url';
import { readDatabaseUrl } from './database-url';
import { Integer, ListOf, OneOf, Read, Setting, SETTINGS } from './setting';

// Exported here, because the decorators below fill them.
export { SETTINGS };

/** Addresses on which a service can be called as localhost. */
const LOCAL = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '::']);

/**
 * The settings of a process, which are read from its environment once. A new setting is a new property
 * of this class; `npm run docs:settings` writes its documentation.
 */
export class Config {
  @Setting('HOST', '127.0.0.1', 'Address to listen on: an IP address or localhost.')
  @ValidateIf(({ host }: Config) => host !== 'localhost')
  @IsIP(undefined, { message: 'must be an IP address or localhost' })
  readonly host: string;

  @Setting('PORT', '3000', 'Port to listen on.')
  @Integer(0, 65_535)
  readonly port: number;

  @Setting(
    'DATABASE_URL',
    'sqlite:data/sprintline.db',
    'sqlite:FILE, mysql://user:password@host:port/database or mariadb://… with user and password percent-encoded (add ?tls=true for TLS; the certificate must name the host).',
  )
  @Read(readDatabaseUrl)
  @IsDefined({
    message:
      'must be sqlite:FILE, mysql://user:password@host:3306/database or mariadb://…, in which the user and the password are percent-encoded; its only parameter is tls=true',
  })
  readonly database: DatabaseTarget;

  @Setting(
    'DATABASE_POOL',
    '10',
    'Connections of an instance to a MySQL or MariaDB server; all but four of them (at least one) can run changes. Long lists and reports use up to 32 more.',
  )
  @Integer(1, 1000)
  readonly databasePool: number;

  @Setting(
    'DATABASE_DEADLINE_MS',
    '4000',
    'Milliseconds for the database work of a request, retries included; before it, a change may wait twice as long for other changes.',
  )
  @Integer(100, 60_000)
  readonly databaseDeadlineMs: number;

  @Setting(
    'AUTH',
    'auto',
    'auto requires a token as soon as one exists; off never does, and logs a warning at every start.',
  )
  @OneOf('auto', 'off')
  readonly auth: 'auto' | 'off';

  @Setting(
    'ALLOWED_HOSTS',
    '',
    'Host names without a port, besides localhost and HOST, under which clients may call the service, separated by commas. If it is empty, a service that does not listen on loopback accepts any name, unless AUTH is off.',
  )
  @ListOf(
    isHostName,
    'must be host names without a scheme or a port, as in planner.example.org',
    (item) => (isIP(item) === 6 ? `[${item}]` : item),
  )
  readonly allowedHosts: string[];

  @Setting(
    'CORS_ORIGINS',
    '',
    'Origins whose pages may call the service from a browser, as in https://app.example.org, separated by commas.',
  )
  @ListOf(isOrigin, 'must be origins without a path, as in https://app.example.org')
  readonly corsOrigins: string[];

  @Setting(
    'TRUST_PROXY',
    '',
    'Addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, as in 10.0.0.0/8, separated by commas.',
  )
  @ListOf(isNetwork, 'must be addresses or networks, as in 10.0.0.1 or 10.0.0.0/8')
  readonly trustProxy: string[];

  @Setting(
    'RATE_LIMIT',
    '0',
    'Requests a minute for each token, or each address without one; 0 for no limit, 6000 is sensible.',
  )
  @Integer(0, 1_000_000)
  readonly rateLimit: number;

  @Setting(
    'MAX_CONNECTIONS',
    '10000',
    'Maximum number of open connections, of which one address may have 90 %.',
  )
  @Integer(1, 1_000_000)
  readonly maxConnections: number;

  @Setting(
    'BODY_LIMIT',
    '1048576',
    'Maximum bytes of a request body; a batch may have four times as many, an imported file has up to 32 MiB.',
  )
  @Integer(1024, 104_857_600)
  readonly bodyLimit: number;

  @Setting('URL_LIMIT', '8192', 'Maximum characters of a URL.')
  @Integer(1024, 65_536)
  readonly urlLimit: number;

  @Setting(
    'HEADER_LIMIT',
    '32768',
    'Maximum bytes of the URL and the headers of a request together.',
  )
  @Integer(4096, 1_048_576)
  readonly headerLimit: number;

  @Setting('HEADER_FIELDS', '200', 'Maximum number of headers of a request.')
  @Integer(50, 1000)
  readonly headerFields: number;

  @Setting('HEADERS_TIMEOUT_MS', '5000', 'Milliseconds for the headers of a request to arrive.')
  @Integer(100, 600_000)
  readonly headersTimeoutMs: number;

  @Setting(
    'REQUEST_TIMEOUT_MS',
    '10000',
    'Milliseconds for a whole request to arrive; not less than HEADERS_TIMEOUT_MS.',
  )
  @ValidateBy(
    {
      name: 'notLessThanHeadersTimeout',
      validator: {
        // Nothing is less than a HEADERS_TIMEOUT_MS that is not a number.
        validate: (value, context) => !(value < (context?.object as Config).headersTimeoutMs),
      },
    },
    { message: 'must not be less than HEADERS_TIMEOUT_MS' },
  )
  @Integer(100, 600_000)
  readonly requestTimeoutMs: number;

  @Setting(
    'UPLOAD_TIMEOUT_MS',
    '300000',
    'Milliseconds in which an imported file must arrive, including up to two minutes in which it waits for other imports; a client that sends nothing for REQUEST_TIMEOUT_MS is disconnected earlier.',
  )
  @Integer(1000, 3_600_000)
  readonly uploadTimeoutMs: number;

  @Setting(
    'READER_TIMEOUT_MS',
    '15000',
    'Milliseconds after which a client that reads nothing of a long response is disconnected.',
  )
  @Integer(100, 600_000)
  readonly readerTimeoutMs: number;

  @Setting(
    'SHUTDOWN_DELAY_MS',
    '',
    'Milliseconds between the stop signal and closing the port; 1000 by default, 0 on a terminal.',
  )
  @Integer(0, 600_000, () => (process.stdin.isTTY ? 0 : 1000))
  readonly shutdownDelayMs: number;

  @Setting(
    'CREATE_BOARDS',
    'implicit',
    'implicit creates a board with the first sprint or story posted to it; explicit answers 404 for a board that POST /api/boards has not created.',
  )
  @OneOf('implicit', 'explicit')
  readonly createBoards: 'implicit' | 'explicit';

  @Setting('LOG_LEVEL', 'info', 'trace, debug, info, warn, error, fatal or silent.')
  @OneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
  readonly logLevel: string;

  @Setting(
    'LOG_FORMAT',
    '',
    'json for one JSON object per line, text for readable lines; by default text on a terminal, else json.',
  )
  @Read((value) => (value === '' ? (process.stdout.isTTY ? 'text' : 'json') : value.toLowerCase()))
  @IsIn(['json', 'text'], { message: 'must be one of json, text' })
  readonly logFormat: 'json' | 'text';

  /** Whether only programs on this machine can reach the service. */
  get onLoopback(): boolean {
    return this.host === 'localhost' || this.host === '::1' || this.host.startsWith('127.');
  }

  /** The host in a URL for a browser on this machine. */
  get urlHost(): string {
    if (LOCAL.has(this.host)) return 'localhost';
    // A URL has no zone, such as that of fe80::1%eth0.
    const [address = ''] = this.host.split('%');
    return isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname : address;
  }

  /**
   * Reads and validates the environment.
   * @throws ConfigError that names every invalid setting
   */
  static from(environment: Record<string, string | undefined>): Config {
    const settings = Object.entries(SETTINGS).map(([name, setting]) => {
      const value = environment[name]?.trim() || setting.default;
      return { name, property: setting.property, value };
    });
    const values = Object.fromEntries(settings.map(({ property, value }) => [property, value]));
    const config = plainToInstance(Config, values);
    const errors = validateSync(config, { stopAtFirstError: true }).map((error) => {
      const { name, value } = settings.find(({ property }) => property === error.property)!;
      // A database URL may contain a password, so it is not repeated.
      const shown = name === 'DATABASE_URL' ? '' : ` (it is "${value}")`;
      return `${name} ${Object.values(error.constraints ?? {})[0]}${shown}`;
    });
    if (errors.length > 0) throw new ConfigError(errors);
    return config;
  }
}

/** A name as in the `Host` header, without the port: `example.org`, `10.0.0.7` or `[::1]`. */
function isHostName(name: string): boolean {
  if (name.includes('*') || !URL.canParse(`http://${name}/`)) return false;
  return new URL(`http://${name}/`).hostname === name;
}

function isOrigin(url: string): boolean {
  return !url.includes('*') && URL.canParse(url) && new URL(url).origin === url;
}

function isNetwork(network: string): boolean {
  const [address = '', bits, ...rest] = network.split('/');
  const longest = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= longest))
  );
}
