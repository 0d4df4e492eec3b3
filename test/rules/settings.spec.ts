import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config, ConfigError, SETTINGS } from '../../src/config/config';
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
    ['sqlite:///data/plan.db', { kind: 'sqlite', file: '/data/plan.db' }],
  ])('name the database: %s', (DATABASE_URL, target) => {
    expect(Config.from({ DATABASE_URL }).database).toMatchObject(target);
  });

  it.each([
    ['DATABASE_URL', 'mysql://me:%zz@db/plan'],
    ['DATABASE_URL', 'sqlite::memory:'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', 'fd00::/129'],
  ])('are invalid: %s=%s', (name, value) => {
    expect(() => Config.from({ [name]: value })).toThrow(ConfigError);
  });

  it('may be empty or blank, which means the default', () => {
    expect(Config.from({ HOST: '', PORT: ' ' })).toMatchObject({ host: '127.0.0.1', port: 3000 });
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
