import type Libsql from 'libsql';
import type mysql2 from 'mysql2';

// A service uses one of the two, and either takes ten megabytes and more: so it is loaded when it is
// wanted, by the one means that does so at once.
/* eslint-disable @typescript-eslint/no-require-imports */

/** SQLite, with the interface of better-sqlite3, but prebuilt in the package for every platform. */
export const loadLibsql = (): typeof Libsql => require('libsql') as typeof Libsql;

export const loadMysql2 = (): typeof mysql2 => require('mysql2') as typeof mysql2;
