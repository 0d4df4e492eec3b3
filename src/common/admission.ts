import { Line } from './line';

/** Milliseconds of work after which the event loop comes round, so that nobody waits unheard. */
const TURN_MS = 25;

/** Those who are taken from the line in one turn, if there is time. */
const BATCH = 32;

/** Milliseconds until those who have waited too long are looked for, where nothing else happens. */
const PAUSE_MS = 50;

/** Somebody who asks to be let in. */
interface Request {
  /** Whether something is done about it; kept by `Admission` alone. */
  underWay: boolean;
  /** Where it came from; nobody waits there any more when the socket is gone. */
  readonly raw: { readonly socket: { readonly destroyed: boolean } };
}

interface Waiter {
  request: Request;
  admit: () => void;
  refuse: () => void;
}

/**
 * The way in. All that is computed is computed on one thread, so when more is asked for than it can do
 * every request would wait in the system's buffers, unseen, with those that ask how the service is. So
 * no turn of the event loop takes up more than `TURN_MS` of requests, and none where as many
 * are under way as is worthwhile: a request asks the database several times, so it would stand in line
 * there time and again. What comes beyond that waits here, or is refused where it would wait too long.
 */
export class Admission {
  /** When the present turn met its first request; 0 when it has met none. */
  private turn = 0;
  private readonly line = new Line<Waiter>();

  private underWay = 0;
  /** Set while there is no room for those in line. */
  private pause: NodeJS.Timeout | undefined;

  /** @param worthwhile how many requests may be under way at a time */
  constructor(private readonly worthwhile: () => number) {}

  /** Calls one of the two, now or later, unless nobody waits any more then. Who is admitted is under way, until it has `ended`. */
  ask(request: Request, admit: () => void, refuse: () => void): void {
    const now = performance.now();
    if (this.turn === 0) {
      this.turn = now;
      setImmediate(this.next);
    }
    if (this.line.length === 0 && this.hasRoom(now)) {
      this.began(request);
      admit();
    } else if (!this.line.join({ request, admit, refuse })) refuse();
  }

  began(request: Request): void {
    if (!request.underWay) this.underWay += 1;
    request.underWay = true;
  }

  ended(request: Request): void {
    if (!request.underWay) return;
    request.underWay = false;
    this.underWay -= 1;
    if (!this.pause) return;
    // Those in line wait for nothing else.
    clearTimeout(this.pause);
    this.pause = undefined;
    setImmediate(this.next);
  }

  /** Ends a turn, and begins the next with those who wait. */
  private readonly next = (): void => {
    if (this.line.length === 0) {
      this.turn = 0;
      return;
    }
    this.turn = performance.now();
    this.pause = undefined;
    if (!this.hasRoom(this.turn)) {
      this.refuseLate();
      this.pause = setTimeout(this.next, PAUSE_MS);
      return;
    }
    // What a request starts runs to its end before the next immediate, so that each can see the time.
    for (let i = Math.min(BATCH, this.line.length); i > 0; i -= 1) setImmediate(this.step);
    setImmediate(this.next);
  };

  private readonly step = (): void => {
    this.refuseLate();
    if (!this.hasRoom(performance.now())) return;
    const first = this.line.next();
    if (!first || first.request.raw.socket.destroyed) return;
    this.began(first.request);
    first.admit();
  };

  private hasRoom(now: number): boolean {
    return now - this.turn < TURN_MS && this.underWay < this.worthwhile();
  }

  private refuseLate(): void {
    for (let late = this.line.late(); late; late = this.line.late()) late.refuse();
  }
}
