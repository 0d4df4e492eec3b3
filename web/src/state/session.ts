import { computed, signal } from '@preact/signals';
import { api } from '../api/client';
import { ApiError, isTemporary } from '../api/problem';
import type { Session } from '../api/types';
import { backoff } from '../util/retry';
import { forgetBoards } from './outbox';

/** Undefined until it is known; null where the user must sign in. */
export const session = signal<Session | null | undefined>(undefined);

/** Whether the session ended while the board was used: what is shown stays until the user signs in again. */
export const isExpired = signal(false);
/** Whether it asks for the token; the user may put that off. */
export const isAsked = signal(false);

/** What the token allows; controls that it cannot use are not shown. */
export const canWrite = computed(() => session.value != null && session.value.scope !== 'read');
export const isAdmin = computed(() => session.value?.scope === 'admin');

/** The session of the last page, so that the board can be opened without a connection. */
const KEPT = 'sprintline.session';

function keep(next: Session | null): void {
  session.value = next;
  if (next) localStorage.setItem(KEPT, JSON.stringify(next));
  else localStorage.removeItem(KEPT);
}

export async function loadSession(): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { data } = await api.GET('/api/session');
      keep(data?.scope ? (data as Session) : null);
      return;
    } catch (error) {
      if (!isTemporary(error)) {
        keep(null);
        return;
      }
      const kept = localStorage.getItem(KEPT);
      if (kept && !session.value) session.value = JSON.parse(kept) as Session;
      await new Promise((resolve) => setTimeout(resolve, backoff(attempt)));
    }
  }
}

/** The service has answered 401. */
export function expire(): void {
  if (!session.value || isExpired.value) return;
  isExpired.value = true;
  isAsked.value = true;
}

/** Resolves when the user has signed in again. */
export function signedIn(): Promise<void> {
  return new Promise((resolve) => {
    const stop = isExpired.subscribe((expired) => {
      if (expired) return;
      // Not during the first call, which comes before `stop` exists.
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

/** Signs in with a token. @throws ApiError where it is not valid */
export async function signIn(token: string): Promise<void> {
  const former = session.value;
  const { data } = await api.POST('/api/session', { body: { token } });
  if (former === null) {
    // What the page has preloaded are errors.
    location.reload();
    return new Promise(() => undefined);
  }
  keep(data as Session);
  if (former && isExpired.value && former.actor !== data?.actor) {
    // What the former user has not saved is kept under that name, and not sent by this one.
    location.reload();
    return;
  }
  isExpired.value = false;
}

/** Ends the session and forgets what the browser has stored for it. */
export async function signOut(): Promise<void> {
  try {
    await api.DELETE('/api/session');
  } catch (error) {
    // It has ended already.
    if (!(error instanceof ApiError && error.code === 'session_not_found')) throw error;
  }
  if (session.value) await forgetBoards(session.value.actor);
  localStorage.removeItem(KEPT);
  location.assign('/');
}
