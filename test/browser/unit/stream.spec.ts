import type { ApiError } from '../../../web/src/api/problem';
import { EventParser, openStream } from '../../../web/src/api/stream';
import { isHidden } from '../../../web/src/util/visible';
import { afterwards } from '../../support/faults';

jest.mock('../../../web/src/util/visible', () => ({
  isHidden: jest.requireActual('@preact/signals').signal(false),
}));

const EVENTS =
  'retry: 2000\n\nid: 3\nevent: ready\ndata: {"revision":3}\n\n: comment\n\nid: 4\r\nevent: story.moved\r\ndata: a\r\ndata: b\r\n\r\n';

test('parses a stream whose chunks are cut anywhere', () => {
  for (let cut = 0; cut <= EVENTS.length; cut++) {
    const parser = new EventParser();
    const events = [...parser.push(EVENTS.slice(0, cut)), ...parser.push(EVENTS.slice(cut))];
    expect(events).toEqual([
      { type: 'ready', data: '{"revision":3}' },
      { type: 'story.moved', data: 'a\nb' },
    ]);
  }
});

test('returns no incomplete event', () => {
  expect(new EventParser().push('id: 4\ndata: a\n')).toEqual([]);
});

describe('The reader of a stream', () => {
  /** Starts a reader whose requests the test answers. */
  function listen(after: { revision: number }) {
    const requests: { url: string; signal: AbortSignal; answer: (response: Response) => void }[] =
      [];
    const seen: string[] = [];
    const gone = jest.fn<Promise<boolean>, [ApiError]>(() => Promise.resolve(false));
    (globalThis as any).window = new EventTarget();
    jest.spyOn(globalThis, 'fetch').mockImplementation(
      (url, init) =>
        new Promise((answer, reject) => {
          const signal = init?.signal as AbortSignal;
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          requests.push({ url: url as string, signal, answer });
        }),
    );
    const stream = openStream(
      () => ({ id: 7, name: 'a b' }),
      () => after.revision,
      {
        onState: (isOpen) => {
          const word = isOpen ? 'open' : 'closed';
          if (seen.at(-1) !== word) seen.push(word);
        },
        onEvent: (type, data) => {
          after.revision = (data as { revision: number }).revision;
          seen.push(`${type} ${after.revision}`);
        },
        onGone: gone,
      },
    );
    afterwards(() => {
      stream.stop();
      jest.restoreAllMocks();
      jest.useRealTimers();
    });
    return { requests, seen, gone, stream };
  }

  /** A response to whose stream the test writes. */
  function body() {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const encoder = new TextEncoder();
    afterwards(() => writer.close().catch(() => undefined));
    return {
      response: new Response(readable),
      write: (text: string) => writer.write(encoder.encode(text)),
      end: () => writer.close(),
    };
  }

  const problem = (status: number) =>
    new Response(JSON.stringify({ code: 'x' }), {
      status,
      headers: { 'Content-Type': 'application/problem+json' },
    });

  /** Waits for a request; the pauses before it end when the connection is back. */
  async function request<T>(requests: readonly T[], index: number): Promise<T> {
    for (;;) {
      const found = requests[index];
      if (found) return found;
      (globalThis as any).window.dispatchEvent(new Event('online'));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test('continues after the last event if the connection is lost, and after 503', async () => {
    const { requests, seen } = listen({ revision: 3 });
    const first = await request(requests, 0);
    expect(first.url).toBe('/api/boards/a%20b/stream?after=3&board_id=7');
    const stream = body();
    first.answer(stream.response);
    await stream.write(
      'id: 4\nevent: story.moved\ndata: {"revision":4}\n\nid: 5\nevent: story.cre',
    );
    await stream.end();
    (await request(requests, 1)).answer(problem(503));
    const third = await request(requests, 2);
    expect(third.url).toContain('after=4');
    const again = body();
    third.answer(again.response);
    await again.write('id: 5\nevent: story.created\ndata: {"revision":5}\n\n');
    while (seen.length < 5) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['open', 'story.moved 4', 'closed', 'open', 'story.created 5']);
  });

  test('asks whether to continue after 404, and stops if there is no board', async () => {
    const { requests, gone } = listen({ revision: 0 });
    gone.mockResolvedValueOnce(true);
    (await request(requests, 0)).answer(problem(404));
    (await request(requests, 1)).answer(problem(404));
    while (gone.mock.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
    (globalThis as any).window.dispatchEvent(new Event('online'));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(requests).toHaveLength(2);
    expect(gone.mock.calls.map(([error]) => error.status)).toEqual([404, 404]);
  });

  /** Opens a stream that becomes silent after a comment. @returns the signal of its request */
  const openSilent = async (): Promise<AbortSignal> => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
    const { requests } = listen({ revision: 0 });
    const stream = body();
    const { answer, signal } = await request(requests, 0);
    answer(stream.response);
    await stream.write(': comment\n\n');
    await new Promise((resolve) => setImmediate(resolve));
    return signal;
  };

  test('aborts a connection that has been silent for 40 seconds', async () => {
    const signal = await openSilent();
    jest.advanceTimersByTime(39_000);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(2000);
    expect(signal.aborted).toBe(true);
  });

  test('aborts a connection that was silent while the computer slept', async () => {
    const signal = await openSilent();
    // The clock goes on, the timers do not.
    jest.setSystemTime(Date.now() + 8 * 3_600_000);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(5000);
    expect(signal.aborted).toBe(true);
  });

  test('closes the connection of a page that is hidden for 30 seconds, until it is shown again', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
    afterwards(() => (isHidden.value = false));
    const { requests, seen } = listen({ revision: 3 });
    const stream = body();
    const first = await request(requests, 0);
    first.signal.addEventListener('abort', () => void stream.end());
    first.answer(stream.response);
    await stream.write('id: 4\nevent: story.moved\ndata: {"revision":4}\n\n');
    isHidden.value = true;
    await jest.advanceTimersByTimeAsync(29_000);
    await stream.write(': comment\n\n');
    isHidden.value = false;
    isHidden.value = true;
    await jest.advanceTimersByTimeAsync(29_000);
    expect(first.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1000);
    expect(first.signal.aborted).toBe(true);
    await jest.advanceTimersByTimeAsync(600_000);
    (globalThis as any).window.dispatchEvent(new Event('online'));
    await jest.advanceTimersByTimeAsync(1000);
    expect([requests.length, seen]).toEqual([1, ['open', 'story.moved 4', 'closed']]);
    isHidden.value = false;
    await jest.advanceTimersByTimeAsync(0);
    expect(requests.map(({ url }) => url.split('?')[1])).toEqual([
      'after=3&board_id=7',
      'after=4&board_id=7',
    ]);
  });
});
