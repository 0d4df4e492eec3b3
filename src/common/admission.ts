import { Line } from './line';

/** Milliseconds of work after which the event loop comes round, so that nobody waits unheard. */
const TURN_MS = 50;

/** Those who are taken from the line in one turn, if there is time. */
const BATCH = 32;

interface Waiter {
  admit: () => void;
  refuse: () => void;
}

/**
 * The way in. All that is computed is computed on one thread, so when more is asked for than it can do
 * every request would wait in the system's buffers, unseen, with those that ask how the service is. So
 * no turn of the event loop takes up more than `TURN_MS` of requests; what comes beyond that waits
 * here, or is refused where it would wait too long.
 */
export class Admission {
  /** When the present turn met its first request; 0 when it has met none. */
  private turn = 0;
  private readonly line = new Line<Waiter>();

  /** Calls one of the two, now or later. */
  ask(admit: () => void, refuse: () => void): void {
    const now = performance.now();
    if (this.turn === 0) {
      this.turn = now;
      setImmediate(this.next);
    }
    if (this.line.length === 0 && now - this.turn < TURN_MS) admit();
    else if (!this.line.join({ admit, refuse })) refuse();
  }

  /** Ends a turn, and begins the next with those who wait. */
  private readonly next = (): void => {
    if (this.line.length === 0) {
      this.turn = 0;
      return;
    }
    this.turn = performance.now();
    // What a request starts runs to its end before the next immediate, so that each can see the time.
    for (let i = Math.min(BATCH, this.line.length); i > 0; i -= 1) setImmediate(this.step);
    setImmediate(this.next);
  };

  private readonly step = (): void => {
    for (let late = this.line.late(); late; late = this.line.late()) late.refuse();
    if (performance.now() - this.turn < TURN_MS) this.line.next()?.admit();
  };
}
