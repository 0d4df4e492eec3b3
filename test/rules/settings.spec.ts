import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config, SETTINGS } from '../../src/config/config';
import { ConfigError } from '../../src/config/config-error';
import { afterwards } from '../support/faults';
import { printed } from '../support/print';

const root = join(__dirname, '../..');
const file = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the settings', () => {
  it('equal those in .env.example and docs/configuration.md, which `npm run docs:settings` writes', () => {
    const [example, page] = printed('settings', 'envExample', 'configurationPage');
    expect(file('.env.example')).toBe(example);
    expect(file('docs/configuration.md')).toBe(page);
  });

  it('have defaults that work', () => {
    const defaults = Object.fromEntries(
      Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
    );
    expect(Config.from(defaults)).toMatchObject({ host: '127.0.0.1', port: 3000 });
    expect(Config.from({})).toMatchObject({ host: '127.0.0.1', port: 3000 });
  });

  it('are all validated at once, and an error never repeats a password', () => {
    const invalid = { PORT: '99999', DATABASE_URL: 'mysql://me:secret@', LOG_LEVEL: 'loud' };
    expect(() => Config.from(invalid)).toThrow(ConfigError);
    try {
      Config.from(invalid);
    } catch (error) {
      const { errors } = error as ConfigError;
      expect(errors.map((text) => text.split(' ')[0])).toEqual([
        'PORT',
        'DATABASE_URL',
        'LOG_LEVEL',
      ]);
      expect(errors.join()).not.toContain('secret');
    }
  });

  it.each([
    ['mysql://me@[::1]:3307/plan', { kind: 'mysql', host: '::1', port: 3307, tls: false }],
    ['mariadb://me:a%2Fb@db/plan?tls=true', { kind: 'mariadb', password: 'a/b', tls: true }],
    ['mysql://me@db/plan?tls=false', { tls: false }],
    ['mysql://a%40b@db/plan', { host: 'db', port: 3306, user: 'a@b', database: 'plan' }],
    ['sqlite:///data/plan.db', { kind: 'sqlite', file: '/data/plan.db' }],
  ])('name the database: %s', (DATABASE_URL, target) => {
    expect(Config.from({ DATABASE_URL }).database).toMatchObject(target);
  });

  it.each([
    ['DATABASE_URL', 'mysql://me:%zz@db/plan'],
    ['DATABASE_URL', 'mysql://me@db/'],
    ['DATABASE_URL', 'mysql://me@db:0/plan'],
    ['DATABASE_URL', 'mysql://me@db/plan?tls=1'],
    ['DATABASE_URL', 'mysql://me@db/plan?ssl=true'],
    ['DATABASE_URL', 'mysql://me@db/plan?tls=true&tls=false'],
    ['DATABASE_URL', 'mysql://me@db/plan#?tls=true'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'sqlite::memory:'],
    ['HOST', 'plan.example.org'],
    ['PORT', '0x50'],
    ['ALLOWED_HOSTS', 'plan.example.org:3000'],
    ['ALLOWED_HOSTS', '*.example.org'],
    ['CORS_ORIGINS', 'https://app.example.org/'],
    ['CORS_ORIGINS', 'https://*.example.org'],
    ['REQUEST_TIMEOUT_MS', '4999'],
    ['TRUST_PROXY', 'proxy'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', 'fd00::/129'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
  ])('are invalid: %s=%s', (name, value) => {
    expect(() => Config.from({ [name]: value })).toThrow(ConfigError);
  });

  it('are compared only with valid ones', () => {
    const environment = { HEADERS_TIMEOUT_MS: '5 s', REQUEST_TIMEOUT_MS: '9000' };
    expect(() => Config.from(environment)).toThrow(
      expect.objectContaining({ errors: [expect.stringMatching(/^HEADERS_TIMEOUT_MS /)] }),
    );
  });

  it('may be empty or blank, which means the default', () => {
    expect(Config.from({ HOST: '', PORT: ' ' })).toMatchObject({ host: '127.0.0.1', port: 3000 });
  });

  it('may be in upper case, and lists may have spaces', () => {
    const environment = { AUTH: 'OFF', ALLOWED_HOSTS: 'Plan.example.org, FD00::7' };
    expect(Config.from(environment)).toMatchObject({
      auth: 'off',
      allowedHosts: ['plan.example.org', '[fd00::7]'],
    });
  });

  it.each([
    ['localhost', true],
    ['::1', true],
    ['127.0.0.2', true],
    ['0.0.0.0', false],
    ['12.7.0.1', false],
  ])('know whether other machines can reach the service: HOST=%s', (HOST, onLoopback) => {
    expect(Config.from({ HOST })).toMatchObject({ onLoopback });
  });

  it.each([
    [true, { shutdownDelayMs: 0, logFormat: 'text' }],
    [undefined, { shutdownDelayMs: 1000, logFormat: 'json' }],
  ])('have defaults for a terminal: %s', (isTTY, defaults) => {
    for (const stream of [process.stdin, process.stdout]) {
      const before = stream.isTTY;
      stream.isTTY = isTTY as boolean;
      afterwards(() => (stream.isTTY = before));
    }
    expect(Config.from({})).toMatchObject(defaults);
  });

  it('may name the network of one address', () => {
    const trustProxy = ['10.0.0.7/32', 'fd00::7/128'];
    expect(Config.from({ TRUST_PROXY: trustProxy.join() })).toMatchObject({ trustProxy });
  });

  it('include all settings of the compose file', () => {
    const [service = ''] = file('docker-compose.yml').split('\n  database:');
    const block = /environment:\n((?: {6}.*\n)+)/.exec(service)?.[1] ?? '';
    const names = [...block.matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name]) => name);
    expect(names).toEqual(['DATABASE_URL', 'AUTH', 'ALLOWED_HOSTS']);
    expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining(names));
  });
});

it('the read-only container of the compose file has a folder for temporary files', () => {
  const [service = ''] = file('docker-compose.yml').split('\n  database:');
  expect(service).toContain('read_only: true');
  expect(service).toContain('tmpfs: [/tmp]');
});
