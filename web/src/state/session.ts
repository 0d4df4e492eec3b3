import { computed, signal } from '@preact/signals';
import { request } from '../api/client';
import { ApiError, isTemporary } from '../api/problem';
import type { Session } from '../api/types';
import { backoff } from '../util/retry';

/** Undefined until it is known; null where the user must sign in. */
export const session = signal<Session | null | undefined>(undefined);

/** What the token allows; controls that it cannot use are not shown. */
export const canWrite = computed(() => session.value != null && session.value.scope !== 'read');
export const isAdmin = computed(() => session.value?.scope === 'admin');

const OPEN: Session = { actor: 'anonymous', scope: 'admin', boards: null, token_required: false };

/** The session of the last page, so that the board can be opened without a connection. */
const KEPT = 'sprintline.session';

export async function loadSession(): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      session.value = await request<Session>('/api/session');
      localStorage.setItem(KEPT, JSON.stringify(session.value));
      return;
    } catch (error) {
      if (!isTemporary(error)) {
        session.value = error instanceof ApiError && error.status !== 401 ? OPEN : null;
        if (session.value === null) localStorage.removeItem(KEPT);
        return;
      }
      const kept = localStorage.getItem(KEPT);
      if (kept && !session.value) session.value = JSON.parse(kept) as Session;
      await new Promise((resolve) => setTimeout(resolve, backoff(attempt)));
    }
  }
}
