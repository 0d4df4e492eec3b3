import type { RepeatableRequest } from '../common/repeatable';
import { stored } from '../common/clock';
import { Problem } from '../common/problem';
import type { Change } from './change';
import { Restart } from './change';

/** Milliseconds that an answer is kept. */
const KEPT = 24 * 60 * 60 * 1000;

const ROW = 'token_id = ? AND idempotency_key = ?';

/**
 * Takes the key of a request for the change that is about to be made. Two that come at once meet here:
 * the second waits for the first to commit, and then finds its answer, or to be undone.
 * @returns the answer that the request was given before, as JSON; nothing where it is new
 * @throws Problem `idempotency_key_reused` where the key belongs to another request
 */
export async function claim(
  change: Change,
  request: RepeatableRequest,
  isDuplicate: (error: unknown) => boolean,
): Promise<string | undefined> {
  const { tokenId, key, fingerprint } = request;
  try {
    await change.insert('idempotency_keys', {
      token_id: tokenId,
      idempotency_key: key,
      fingerprint,
      answer: null,
      created_at: change.now,
    });
    return undefined;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  const before = await change.first<{ fingerprint: string; answer: string; created_at: string }>(
    `SELECT fingerprint, answer, created_at FROM idempotency_keys WHERE ${ROW}`,
    [tokenId, key],
  );
  if (!before) throw new Restart('the key was removed meanwhile');
  if (before.created_at < oldest(change.instant)) {
    await change.run(
      `UPDATE idempotency_keys SET fingerprint = ?, answer = NULL, created_at = ? WHERE ${ROW}`,
      [fingerprint, change.now, tokenId, key],
    );
    return undefined;
  }
  if (before.fingerprint !== fingerprint) throw new Problem('idempotency_key_reused');
  return before.answer;
}

/** Keeps the answer under the key that the change has claimed. */
export async function keep(
  change: Change,
  { tokenId, key }: RepeatableRequest,
  answer: string,
): Promise<void> {
  await change.run(`UPDATE idempotency_keys SET answer = ? WHERE ${ROW}`, [answer, tokenId, key]);
}

/** The oldest instant whose answers are kept. */
export const oldest = (now: Date): string => stored(new Date(now.getTime() - KEPT));
