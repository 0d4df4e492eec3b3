import { rmSync } from 'node:fs';
import type { Provided } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  const { mysqlServer, folder } = globalThis as Provided;
  await mysqlServer?.destroy();
  if (folder) rmSync(folder, { recursive: true, force: true });
}
