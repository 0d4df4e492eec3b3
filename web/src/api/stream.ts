import { noteTime } from '../util/calendar';
import { delayAfter, Pause } from '../util/retry';
import { isHidden } from '../util/visible';
import { ApiError, errorOf } from './problem';
import type { Board } from './types';

export interface StreamHandlers {
  /** Called with each event, including `ready` and `reset`. */
  onEvent(type: string, data: unknown): void;
  /** Called when the stream opens or closes. */
  onState(isOpen: boolean): void;
  /** Called after 401, 403 and 404, as for a deleted or renamed board. Resolves with whether to try again. */
  onGone(error: ApiError): Promise<boolean>;
}

/** The service sends a comment every 15 s. */
const SILENCE_MS = 40_000;
/** Milliseconds between two checks. A long timer would stop while the computer sleeps; its clock goes on. */
const CHECK_MS = 5000;

/**
 * Milliseconds after which a hidden page closes its stream. With HTTP/1.1, all tabs of a browser share six connections
 * to the service, so six streams would keep every other request waiting.
 */
const HIDDEN_MS = 30_000;

/**
 * Reads the live stream of a board after a revision until `stop` is called, and reconnects when the connection
 * is lost. It closes the stream when the page has been hidden for 30 s, and opens it again when the page is shown.
 * `EventSource` is not used because it gives up after one 503.
 */
export function openStream(
  board: () => Pick<Board, 'id' | 'name'>,
  after: () => number,
  handlers: StreamHandlers,
) {
  let isStopped = false;
  let abort = new AbortController();
  const pause = new Pause();
  let attempt = 0;
  let isPaused = false;

  const read = async (): Promise<void> => {
    abort = new AbortController();
    let heardAt = Date.now();
    const timer = setInterval(() => {
      // The clock may also be set back.
      if (Math.abs(Date.now() - heardAt) >= SILENCE_MS) abort.abort();
    }, CHECK_MS);
    try {
      const { id, name } = board();
      const response = await fetch(
        `/api/boards/${encodeURIComponent(name)}/stream?after=${after()}&board_id=${id}`,
        { headers: { Accept: 'text/event-stream' }, signal: abort.signal, cache: 'no-store' },
      );
      noteTime(response);
      if (!response.ok || !response.body) throw await errorOf(response);
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        heardAt = Date.now();
        for (const { type, data } of parser.push(value)) {
          attempt = 0;
          handlers.onState(true);
          handlers.onEvent(type, JSON.parse(data));
        }
      }
    } finally {
      clearInterval(timer);
    }
  };

  const run = async (): Promise<void> => {
    while (!isStopped) {
      let failure: unknown;
      try {
        await read();
      } catch (error) {
        failure = error;
        if (error instanceof ApiError && [401, 403, 404].includes(error.status)) {
          handlers.onState(false);
          if (isStopped || !(await handlers.onGone(error))) return;
        }
      }
      if (isStopped) return;
      handlers.onState(false);
      do await pause.wait(isPaused ? HIDDEN_MS : delayAfter(failure, attempt++));
      while (isPaused && !isStopped);
    }
  };

  let hiding: ReturnType<typeof setTimeout>;
  const stopWatching = isHidden.subscribe((hidden) => {
    clearTimeout(hiding);
    if (hidden) {
      hiding = setTimeout(() => {
        isPaused = true;
        abort.abort();
      }, HIDDEN_MS);
    } else if (isPaused) {
      isPaused = false;
      pause.end();
    }
  });
  window.addEventListener('online', pause.end);
  void run();

  return {
    stop(): void {
      isStopped = true;
      clearTimeout(hiding);
      stopWatching();
      window.removeEventListener('online', pause.end);
      abort.abort();
      pause.end();
    },
  };
}

/** Parses `text/event-stream` (HTML standard, section 9.2.6) as it arrives in chunks. */
export class EventParser {
  private rest = '';
  private type = '';
  private data: string[] = [];

  push(chunk: string): { type: string; data: string }[] {
    const events: { type: string; data: string }[] = [];
    const lines = (this.rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.data.length > 0) {
          events.push({ type: this.type || 'message', data: this.data.join('\n') });
        }
        this.type = '';
        this.data = [];
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'event') this.type = value;
      else if (name === 'data') this.data.push(value);
    }
    return events;
  }
}
