import { isTemporary, isUnauthorized } from '../api/problem';
import { signedIn } from '../state/session';
import { delayAfter, Pause } from './retry';

/** Repeats requests until the service answers. */
export class RepeatedRequests {
  private readonly pause = new Pause();
  private isStopped = false;

  constructor() {
    window.addEventListener('online', this.retry);
  }

  /**
   * Repeats a request after temporary errors, and after 401 once the user has signed in. Throws other errors. After
   * `stop`, the promise never settles.
   * @param onFailure called with each error before the request is repeated
   */
  async untilAnswered<T>(
    request: () => Promise<T>,
    onFailure?: (error: unknown) => void | Promise<void>,
  ): Promise<T> {
    for (let attempt = 0; !this.isStopped; attempt++) {
      try {
        const answer = await request();
        if (!this.isStopped) return answer;
      } catch (error) {
        if (this.isStopped) break;
        if (!isTemporary(error) && !isUnauthorized(error)) throw error;
        await onFailure?.(error);
        if (isUnauthorized(error)) await signedIn();
        await this.pause.wait(delayAfter(error, attempt));
      }
    }
    return new Promise(() => undefined);
  }

  /** Repeats waiting requests now. */
  readonly retry = (): void => this.pause.end();

  stop(): void {
    this.isStopped = true;
    window.removeEventListener('online', this.retry);
    this.pause.end();
  }
}
