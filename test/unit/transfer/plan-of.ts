import type { Mapping } from '../../../src/transfer/import/import.dto';
import { mapSource } from '../../../src/transfer/import/mapping';
import type { ImportPlan } from '../../../src/transfer/import/plan';
import type { SourceReader } from '../../../src/transfer/files/source';
import { fileOf } from './files';

/** Returns the plan of a file at a fixed time; values are counted by name. */
export async function planOf(
  read: SourceReader,
  file: string | Buffer | ReturnType<typeof fileOf>,
  mapping: Mapping = {},
): Promise<ImportPlan & { codes: Record<string, number> }> {
  const stream = typeof file === 'string' || Buffer.isBuffer(file) ? fileOf(file, 97) : file;
  const source = await read(stream, mapping);
  const plan = await mapSource(source, mapping, {
    now: new Date('2026-11-21T09:30:00Z'),
    timeZone: 'UTC',
  });
  const codes = Object.fromEntries(plan.warnings.list().map(({ code, count }) => [code, count]));
  return { ...plan, codes };
}

export function counts(values: readonly (string | number | null | undefined)[]) {
  const found: Record<string, number> = {};
  for (const value of values) found[String(value)] = (found[String(value)] ?? 0) + 1;
  return found;
}
