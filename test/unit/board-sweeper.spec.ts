import { setTimeout as sleep } from 'node:timers/promises';
import { BoardSweeper } from '../../src/boards/board-sweeper';
import type { Database } from '../../src/database/database';
import type { UnitOfWork } from '../../src/database/unit-of-work';
import { Clock } from '../../src/time/clock';

it.each(Array.from({ length: 12 }, (_, i) => i))(
  'a board that is deleted %i microtasks after the start of the sweeper is swept in the same run',
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
    const sweeper = new BoardSweeper(
      database as unknown as Database,
      unitOfWork as unknown as UnitOfWork,
      new Clock(),
    );
    void sweeper.sweep();
    for (let i = 0; i < microtasks; i += 1) await Promise.resolve();
    deleted.add(1);
    void sweeper.sweep();
    await sleep(5);
    expect(deleted.size).toBe(0);
  },
);
