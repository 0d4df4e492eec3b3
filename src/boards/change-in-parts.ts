import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { Change } from '../database/change';

/** Milliseconds between two transactions: other processes retry the lock of an SQLite file after 4 ms at most. */
const GAP_MS = 5;

/** A transaction of a change in parts was rolled back; its work cannot be repeated. */
export class Interrupted extends Error {}

/**
 * Runs a change in several transactions. Each pause of the change ends one of them, and the next one begins
 * before the change continues.
 * @param open creates the change in the first transaction; the change calls `rest` in its pauses
 * @param transaction runs one of the transactions
 * @throws Interrupted if a transaction must run again
 */
export async function changeInParts<T>(
  open: (manager: EntityManager, rest: () => Promise<void>) => Change,
  transaction: (part: (manager: EntityManager) => Promise<void>) => Promise<void>,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  let endPart: (isLast: boolean) => void;
  let proceed: () => void;
  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      proceed = resolve;
      endPart(false);
    });
  let opened: Change | undefined;
  let result: Promise<T> | undefined;
  for (let isLast = false; !isLast;) {
    if (result) await sleep(GAP_MS);
    let hasBegun = false;
    await transaction(async (manager) => {
      if (hasBegun) throw new Interrupted('a part of the change was rolled back');
      hasBegun = true;
      const change = (opened ??= open(manager, rest));
      change.manager = manager;
      isLast = await new Promise((resolve) => {
        endPart = resolve;
        if (result) {
          proceed();
          return;
        }
        const end = (): void => endPart(true);
        result = work(change);
        result.then(end, end);
      });
      // If it has failed, the last transaction is rolled back.
      if (isLast) await result;
    });
  }
  return result as Promise<T>;
}
