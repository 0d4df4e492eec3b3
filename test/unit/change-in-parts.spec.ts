import { changeInParts, Interrupted } from '../../src/boards/change-in-parts';
import { Change } from '../../src/database/change';
import { OPEN } from '../../src/http/access';
import { Clock } from '../../src/time/clock';

const caller = { ...OPEN, clientKey: 'test' };

/** The managers are numbers. */
type Part = (manager: never) => Promise<void>;

const numberOf = ({ manager }: Change): number => manager as unknown as number;

/** Runs work in parts; each transaction gets its number as the manager. */
function run<T>(
  work: (change: Change, rest: () => Promise<void>) => Promise<T>,
  transaction: (part: Part, number: number) => Promise<void>,
): Promise<T> {
  let count = 0;
  let pause: () => Promise<void>;
  return changeInParts(
    (manager, rest) => {
      pause = rest;
      return new Change(manager, caller, new Clock(), undefined, rest);
    },
    (part) => transaction(part as Part, (count += 1)),
    (change) => work(change, pause),
  );
}

describe('a change in parts', () => {
  it('ends a transaction at each pause, and continues in the next one', async () => {
    const log: string[] = [];
    const result = await run(
      async (change, pause) => {
        log.push(`begins in ${numberOf(change)}`);
        await pause();
        log.push(`continues in ${numberOf(change)}`);
        await pause();
        log.push(`ends in ${numberOf(change)}`);
        return 'done';
      },
      async (part, number) => {
        await part(number as never);
        log.push(`commit ${number}`);
      },
    );
    expect(result).toBe('done');
    expect(log).toEqual([
      'begins in 1',
      'commit 1',
      'continues in 2',
      'commit 2',
      'ends in 3',
      'commit 3',
    ]);
  });

  it('rolls back its last transaction if it fails', async () => {
    const committed: number[] = [];
    const running = run(
      async (_change, pause) => {
        await pause();
        throw new Error('wrong file');
      },
      async (part, number) => {
        await part(number as never);
        committed.push(number);
      },
    );
    await expect(running).rejects.toThrow('wrong file');
    expect(committed).toEqual([1]);
  });

  it('is interrupted if a transaction must run again after its work', async () => {
    let steps = 0;
    const work = async (_change: Change, pause: () => Promise<void>): Promise<number> => {
      steps += 1;
      await pause();
      return (steps += 1);
    };
    const again = async (part: Part): Promise<void> => {
      await part(0 as never);
      await part(0 as never);
    };
    await expect(run(work, again)).rejects.toThrow(Interrupted);
    expect(steps).toBe(1);
  });

  it('ends if one of its transactions cannot be committed', async () => {
    let steps = 0;
    const work = async (_change: Change, pause: () => Promise<void>): Promise<void> => {
      steps += 1;
      await pause();
      steps += 1;
    };
    const full = async (part: Part): Promise<void> => {
      await part(0 as never);
      throw new Error('disk full');
    };
    await expect(run(work, full)).rejects.toThrow('disk full');
    expect(steps).toBe(1);
  });
});
