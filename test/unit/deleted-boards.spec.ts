import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOADING } from '../../src/boards/board.entity';
import { DeletedBoards } from '../../src/boards/deleted-boards.service';
import type { Database } from '../../src/database/database';
import type { UnitOfWork } from '../../src/database/unit-of-work';
import { Clock } from '../../src/time/clock';

it.each(Array.from({ length: 12 }, (_, i) => i))(
  'a board that is deleted %i microtasks after the start of the purge is purged in the same run',
  async (microtasks) => {
    const deleted = new Set<number>();
    const database = {
      isReady: async () => true,
      query: async () => [...deleted].map((id) => ({ id })),
    };
    const unitOfWork = {
      maintain: async () => {
        deleted.clear();
        return true;
      },
    };
    const deletedBoards = new DeletedBoards(
      database as unknown as Database,
      unitOfWork as unknown as UnitOfWork,
      new Clock(),
    );
    void deletedBoards.purge();
    for (let i = 0; i < microtasks; i += 1) await Promise.resolve();
    deleted.add(1);
    void deletedBoards.purge();
    await sleep(5);
    expect(deleted.size).toBe(0);
  },
);

it('a run that fails is logged like other work in the background', async () => {
  const failure = new Error('the table is broken');
  const logFailure = jest.fn();
  const query = () => Promise.reject(failure);
  const database = { isReady: async () => true, query, logFailure } as unknown as Database;
  await new DeletedBoards(database, {} as UnitOfWork, new Clock()).purge();
  expect(logFailure).toHaveBeenCalledWith(expect.any(Logger), failure);
});

describe('a load that the purge has seen five minutes before', () => {
  /** Purges twice, with these times of the last part of the load; returns the statements of both. */
  async function purges(first: string, second: string): Promise<string[]> {
    const statements: string[] = [];
    const manager = new Proxy(
      {},
      {
        get: (_target, name: string) => async () => {
          statements.push(name);
          // A part of the load, or its end, has been committed since the purge read the board.
          return name === 'update' ? { affected: 0 } : name === 'find' ? [] : null;
        },
      },
    );
    const clock = new Clock();
    let updated_at = first;
    const deletedBoards = new DeletedBoards(
      {
        isReady: async () => true,
        query: async () => [{ id: 1, updated_at, version: LOADING }],
      } as unknown as Database,
      { maintain: (work: (one: object) => unknown) => work(manager) } as unknown as UnitOfWork,
      clock,
    );
    await deletedBoards.purge();
    clock.now = () => new Date(Date.now() + 300_000);
    updated_at = second;
    await deletedBoards.purge();
    return statements;
  }

  it('is not ended if it has made progress since', async () => {
    expect(await purges('2026-11-24 12:00:00.000', '2026-11-24 12:04:00.000')).toEqual([]);
  });

  it('loses no row if it cannot be ended, because it has just been published', async () => {
    const time = '2026-11-24 12:00:00.000';
    expect(await purges(time, time)).toEqual(['update']);
  });
});
