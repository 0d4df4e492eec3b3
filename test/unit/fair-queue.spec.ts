import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../../src/database/fair-queue';

describe('the queue of changes', () => {
  /** Queues work of these clients in this order and returns the order in which it starts. */
  async function startOrder(queue: FairQueue, clients: string): Promise<string> {
    let order = '';
    const work = [...clients].map((client) =>
      queue.run(client, async () => {
        order += client;
        await setImmediate();
      }),
    );
    await Promise.all(work);
    return order;
  }

  it('makes a client wait for at most one change of each other client, however many they have sent', async () => {
    const queue = new FairQueue(1, 1000);
    expect(await startOrder(queue, 'aaaaaabbc')).toBe('abcabaaaa');
    // The queue forgets clients whose changes have run.
    expect(await startOrder(queue, 'aabc')).toBe('abca');
  });

  it('does not let clients that come later overtake a change whose turn it is', async () => {
    const queue = new FairQueue(1, 1000);
    let order = '';
    const later: Promise<void>[] = [];
    const change = (client: string, meanwhile?: () => void): Promise<void> =>
      queue.run(client, async () => {
        order += client;
        meanwhile?.();
        await setImmediate();
      });
    const joined = (): void => void later.push(change('b'), change('c'));
    await Promise.all([change('a'), change('a', joined), change('a')]);
    await Promise.all(later);
    expect(order).toBe('aaabc');
  });

  it('keeps the order of the changes of one client', async () => {
    const queue = new FairQueue(1, 1000);
    const order: number[] = [];
    const numbers = Array.from({ length: 50 }, (_, i) => i);
    const change = (i: number): Promise<void> =>
      queue.run('a', async () => {
        order.push(i);
        await setImmediate();
      });
    await Promise.all(numbers.slice(0, 40).map(change));
    // Sent when an earlier change of the client has just ended.
    const [first, ...others] = numbers.slice(40, 45).map(change);
    await first;
    await Promise.all([...others, ...numbers.slice(45).map(change)]);
    expect(order).toEqual(numbers);
  });

  it('runs changes concurrently up to its limit', async () => {
    const queue = new FairQueue(2, 1000);
    let running = 0;
    let most = 0;
    const change = async (): Promise<void> => {
      most = Math.max(most, (running += 1));
      await setImmediate();
      running -= 1;
    };
    await Promise.all(['a', 'a', 'a', 'b', 'b'].map((client) => queue.run(client, change)));
    expect(most).toBe(2);
  });

  it('rejects changes that wait too long, which do not delay the next one of their client', async () => {
    const queue = new FairQueue(1, 20);
    const first = queue.run('a', () => sleep(60));
    const late = [1, 2].map(() => queue.run('a', () => Promise.resolve()));
    for (const change of late) await expect(change).rejects.toMatchObject({ code: 'overloaded' });
    await first;
    expect(await startOrder(queue, 'bac')).toBe('bac');
    expect(await queue.run('a', () => Promise.resolve('done'))).toBe('done');
  });

  it('runs the next change after one that fails', async () => {
    const queue = new FairQueue(1, 1000);
    const failed = queue.run('a', () => Promise.reject(new Error('failed')));
    await expect(failed).rejects.toThrow('failed');
    expect(await queue.run('a', () => Promise.resolve('done'))).toBe('done');
  });
});
