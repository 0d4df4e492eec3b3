import { signal } from '@preact/signals';
import { isKnownZone, todayIn } from '../../util/calendar';
import { alertError } from '../announce';
import type { ConfirmedBoard } from './confirmed-board';

const CHECK_MS = 15_000;
/** The time that the first read of a board takes at most. */
const READ_MS = 60_000;
/** Minutes after which a new day is reported again: the clock of another instance of the service may be behind. */
const LATER_MIN = [1, 2, 4, 8];

/** The date in the time zone of a board, on which the states of its sprints depend. */
export class Today {
  readonly date = signal('');
  /** How often a new day was reported. */
  readonly reports = signal(0);
  /** The time zone for which `date` was computed. */
  private zone = '';
  private timer?: ReturnType<typeof setInterval>;
  private later: ReturnType<typeof setTimeout>[] = [];

  /** @param onNextDay called when a new day begins, and again until it has begun on the service */
  constructor(
    private readonly confirmed: ConfirmedBoard,
    private readonly onNextDay: () => void,
  ) {}

  watch(): void {
    if (this.date.value) return;
    // The sprints may have been read before midnight.
    this.check(READ_MS);
    this.check();
    this.timer = setInterval(() => this.check(), CHECK_MS);
  }

  /** @param ago how many milliseconds before now; 0 is today */
  check(ago = 0): void {
    const zone = this.confirmed.state.value?.board.time_zone;
    if (!zone) return;
    if (zone !== this.zone && !isKnownZone(zone)) {
      alertError(
        `This browser does not know the time zone ${zone} of the board. Dates are shown in UTC.`,
      );
    }
    this.zone = zone;
    const date = todayIn(zone, ago);
    if (date === this.date.value) return;
    const isNext = this.date.value !== '';
    this.date.value = date;
    if (!isNext) return;
    this.report();
    this.later.forEach(clearTimeout);
    this.later = LATER_MIN.map((min) => setTimeout(() => this.report(), min * 60_000));
  }

  private report(): void {
    this.reports.value += 1;
    this.onNextDay();
  }

  stop(): void {
    clearInterval(this.timer);
    this.later.forEach(clearTimeout);
  }
}
