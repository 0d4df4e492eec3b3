import type { RepeatableRequest } from '../common/repeatable';
import { stored } from '../time/clock';
import { Problem } from '../http/problem';
import type { Change } from './change';
import { Restart } from './change';

/** Milliseconds that an answer is kept. */
const KEPT = 24 * 60 * 60 * 1000;

/** Characters of an answer that a row has: servers limit what they take, and hold, in one piece. */
const PART = 500_000;

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
    await change.run(`DELETE FROM idempotency_parts WHERE ${ROW}`, [tokenId, key]);
    return undefined;
  }
  if (before.fingerprint !== fingerprint) throw new Problem('idempotency_key_reused');
  const rest = await change.query<{ answer: string }>(
    `SELECT answer FROM idempotency_parts WHERE ${ROW} ORDER BY part`,
    [tokenId, key],
  );
  return before.answer + rest.map((part) => part.answer).join('');
}

/** Keeps the answer under the key that the change has claimed. */
export async function keep(
  change: Change,
  { tokenId, key }: RepeatableRequest,
  answer: string,
): Promise<void> {
  const [first = '', ...rest] = partsOf(answer);
  await change.run(`UPDATE idempotency_keys SET answer = ? WHERE ${ROW}`, [first, tokenId, key]);
  await change.insertMany(
    'idempotency_parts',
    ['token_id', 'idempotency_key', 'part', 'answer'],
    rest.map((text, i) => [tokenId, key, i + 1, text]),
  );
}

/** Cuts a text into parts, but no character into halves. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + PART;
    const next = end + ((text.codePointAt(end - 1) ?? 0) > 0xffff ? 1 : 0);
    parts.push(text.slice(start, next));
    start = next;
  }
  return parts;
}

/** The oldest instant whose answers are kept. */
export const oldest = (now: Date): string => stored(new Date(now.getTime() - KEPT));
