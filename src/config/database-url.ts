/** The database that DATABASE_URL names. */
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

/** Reads DATABASE_URL; undefined where it does not name a file, or a host and a database. */
export function readDatabaseUrl(text: string): DatabaseTarget | undefined {
  if (text.startsWith('sqlite:')) {
    const file = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    return file === '' || file.includes(':memory:') ? undefined : { kind: 'sqlite', file };
  }
  if (!/^(mysql|mariadb):\/\//.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  try {
    const database = decodeURIComponent(url.pathname.slice(1));
    if (url.hostname === '' || database === '') return undefined;
    return {
      kind: url.protocol === 'mariadb:' ? 'mariadb' : 'mysql',
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(url.port || 3306),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database,
      tls: url.searchParams.get('tls') === 'true',
    };
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
}
