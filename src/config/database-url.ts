/** The database of DATABASE_URL. */
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

/** Reads DATABASE_URL; undefined if it has neither a file nor a host and a database, or an unknown parameter. */
export function readDatabaseUrl(value: string): DatabaseTarget | undefined {
  if (value.startsWith('sqlite:')) {
    const file = value.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    return file === '' || file.includes(':memory:') ? undefined : { kind: 'sqlite', file };
  }
  if (!/^(mysql|mariadb):\/\//.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  try {
    const database = decodeURIComponent(url.pathname.slice(1));
    if (url.hostname === '' || database === '') return undefined;
    // mysql2 connects to port 3306 instead of 0.
    if (Number(url.port || 3306) === 0) return undefined;
    // If a parameter such as ssl=true were ignored, the connection would have no TLS.
    const parameters = url.search + url.hash;
    if (!['', '?tls=false', '?tls=true'].includes(parameters)) return undefined;
    return {
      kind: url.protocol === 'mariadb:' ? 'mariadb' : 'mysql',
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(url.port || 3306),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database,
      tls: parameters === '?tls=true',
    };
  } catch {
    // Malformed percent-encoding.
    return undefined;
  }
}
