import { computed, signal } from '@preact/signals';
import { request } from '../api/client';
import { ApiError } from '../api/problem';
import type { Session } from '../api/types';

/** Undefined until it is known; null where the user must sign in. */
export const session = signal<Session | null | undefined>(undefined);

/** What the token allows; controls that it cannot use are not shown. */
export const canWrite = computed(() => session.value != null && session.value.scope !== 'read');
export const isAdmin = computed(() => session.value?.scope === 'admin');

const OPEN: Session = { actor: 'anonymous', scope: 'admin', boards: null, token_required: false };

export async function loadSession(): Promise<void> {
  try {
    session.value = await request<Session>('/api/session');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    session.value = error.status === 401 ? null : OPEN;
  }
}
