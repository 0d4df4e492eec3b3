import { computed, signal } from '@preact/signals';
import { api } from '../api/client';
import { ApiError, isTemporary } from '../api/problem';
import type { Session } from '../api/types';
import { plural } from '../util/format';
import { isolated } from '../util/names';
import { delayAfter, whenTrue } from '../util/retry';
import { storedText, storeText } from '../util/storage';
import { leavePage } from '../util/unsaved';
import { report, toast } from './announce';
import { forgetBoards, unsavedBy } from './changes/outbox';

/** The session; undefined until it is known, null if the user must sign in. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the session is not known yet; null while it is requested for the first time. */
export const sessionError = signal<unknown>(null);

/** Whether the session has ended while a view was open; the view stays until the user signs in again. */
export const isExpired = signal(false);
/** Whether the dialog that asks for a token is open; the user may close it and sign in later. */
export const isAsked = signal(false);

/** Whether the token allows changes; controls that it cannot use are not shown. */
export const canWrite = computed(() => session.value != null && session.value.scope !== 'read');
export const isAdmin = computed(() => session.value?.scope === 'admin');

/** The session of the last page, so that the board can be opened without a connection. */
const KEPT = 'sprintline.session';

/** The former user, whose unsaved changes a message reports after the page was loaded again. */
const LEFT = 'sprintline.left';

function keep(next: Session | null): void {
  session.value = next;
  // The other tabs get no event if the text stays the same, so it contains the time.
  storeText('localStorage', KEPT, next && JSON.stringify({ ...next, kept_at: Date.now() }));
}

// All tabs share the session. After another user has signed in in another tab, this one must not go on as the first.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key !== KEPT || session.value === undefined) return;
  if (newValue === null) {
    expire();
    return;
  }
  const next = JSON.parse(newValue) as Session;
  if (next.actor !== session.value?.actor) {
    leavePage(() => location.reload());
    return;
  }
  session.value = next;
  isExpired.value = false;
});

export async function loadSession(): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { data } = await api.GET('/api/session');
      keep(data?.scope ? (data as Session) : null);
      sessionError.value = null;
      const former = storedText('sessionStorage', LEFT);
      storeText('sessionStorage', LEFT, null);
      if (former) void reportUnsaved(former);
      return;
    } catch (error) {
      if (!isTemporary(error)) {
        keep(null);
        return;
      }
      const kept = storedText('localStorage', KEPT);
      if (kept && !session.value) session.value = JSON.parse(kept) as Session;
      sessionError.value = error;
      await new Promise((resolve) => setTimeout(resolve, delayAfter(error, attempt)));
    }
  }
}

/** Reports the unsaved changes of a former user, if there are any, and offers to discard them. */
async function reportUnsaved(actor: string): Promise<void> {
  const count = (await unsavedBy(actor)).length;
  if (count === 0) return;
  const changes = `${plural(count, 'change')} by ${isolated(actor)}`;
  const [is, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  const text = `${changes} ${is} not saved. Sign in as ${isolated(actor)} to save ${them}.`;
  const run = (): void => void forgetBoards(actor).then(() => report(`Discarded ${changes}`));
  toast(text, { isError: true, action: { name: 'Discard', run } });
}

/** Called when the service has answered 401, and when another tab has ended the session. */
export function expire(): void {
  if (!session.value || isExpired.value) return;
  isExpired.value = true;
  isAsked.value = true;
}

/** Resolves when the user has signed in again. */
export const signedIn = (): Promise<void> => whenTrue(computed(() => !isExpired.value));

/** Signs in with a token. @throws ApiError if it is not valid */
export async function signIn(token: string): Promise<void> {
  const former = session.value;
  const { data } = await api.POST('/api/session', { body: { token } });
  const isOther = isExpired.value && former?.actor !== data?.actor;
  if (former) keep(data as Session);
  if (former?.token_required && isOther) storeText('sessionStorage', LEFT, former.actor);
  if (!former || isOther) {
    // The responses that the page has preloaded are errors, and the unsaved changes of a former user stay stored
    // under their name. Never resolves, so that this user does not send those changes while the page reloads.
    leavePage(() => location.reload());
    return new Promise(() => undefined);
  }
  isExpired.value = false;
}

/** Ends the session and deletes what the browser has stored for it. */
export async function signOut(): Promise<void> {
  try {
    await api.DELETE('/api/session');
  } catch (error) {
    // The session has already ended.
    if (!(error instanceof ApiError && error.code === 'session_not_found')) throw error;
  }
  const actor = session.value?.actor;
  // First, because it closes the board, and the other tabs then stop storing theirs.
  session.value = undefined;
  storeText('localStorage', KEPT, null);
  if (actor !== undefined) await forgetBoards(actor);
  leavePage(() => location.assign('/'));
}
