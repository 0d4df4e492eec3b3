import type { MysqlServer } from './mysql-server';

export default async function globalTeardown(): Promise<void> {
  await (globalThis as { mysqlServer?: MysqlServer }).mysqlServer?.destroy();
}
