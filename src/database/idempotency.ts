import type { IdempotentRequest } from '../http/caller';
import { Problem } from '../http/problem';
import { toStored } from '../time/clock';
import type { Change } from './change';
import { Restart } from './change';
import { failureOf } from './errors';
import { IdempotencyKey } from './idempotency-key.entity';
import type { Reader } from './reader';

/** Milliseconds that a response is kept. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Characters of a response in one row: servers limit the size of a statement. */
const PART = 500_000;

const ROW = 'token_id = ? AND idempotency_key = ?';

/**
 * Claims the key of a request in the transaction of its change. Of two concurrent requests the second
 * waits for the first one's commit and then finds its response.
 * @returns the response of the first request as JSON, and the revision of the board that it is about, null if it
 *   is about none; undefined for a new key
 * @throws Problem `idempotency_key_reused` if the key belongs to another request
 */
export async function claimKey(
  change: Change,
  { tokenId, key, fingerprint }: IdempotentRequest,
): Promise<{ response: string; revision: number | null } | undefined> {
  try {
    await change.manager.insert(IdempotencyKey, {
      token_id: tokenId,
      idempotency_key: key,
      fingerprint,
      answer: null,
      created_at: change.instant,
    });
    return undefined;
  } catch (error) {
    if (failureOf(error) !== 'duplicate') throw error;
  }
  const [existing] = await change.query<{
    fingerprint: string;
    answer: string;
    revision: number | null;
    created_at: string;
  }>(`SELECT fingerprint, answer, revision, created_at FROM idempotency_keys WHERE ${ROW}`, [
    tokenId,
    key,
  ]);
  if (!existing) throw new Restart('the key was removed meanwhile');
  if (existing.created_at < toStored(oldestKept(change.instant))) {
    await change.query(
      `UPDATE idempotency_keys SET fingerprint = ?, answer = NULL, revision = NULL, created_at = ? WHERE ${ROW}`,
      [fingerprint, toStored(change.instant), tokenId, key],
    );
    await change.query(`DELETE FROM idempotency_parts WHERE ${ROW}`, [tokenId, key]);
    return undefined;
  }
  if (existing.fingerprint !== fingerprint) throw new Problem('idempotency_key_reused');
  const rest = await change.query<{ answer: string }>(
    `SELECT answer FROM idempotency_parts WHERE ${ROW} ORDER BY part`,
    [tokenId, key],
  );
  const response = existing.answer + rest.map((part) => part.answer).join('');
  return { response, revision: existing.revision };
}

/** Whether a request has a key that was used before. */
export async function isRepeated(
  reader: Reader,
  request: IdempotentRequest | undefined,
): Promise<boolean> {
  if (!request) return false;
  const sql = `SELECT 1 AS one FROM idempotency_keys WHERE ${ROW}`;
  return (await reader.query(sql, [request.tokenId, request.key])).length > 0;
}

/** Stores the response, and the revision of its board, under the key that the change has claimed. */
export async function keepResponse(
  change: Change,
  { tokenId, key }: IdempotentRequest,
  response: string,
  revision: number | undefined,
): Promise<void> {
  const [first = '', ...rest] = partsOf(response);
  await change.query(`UPDATE idempotency_keys SET answer = ?, revision = ? WHERE ${ROW}`, [
    first,
    revision ?? null,
    tokenId,
    key,
  ]);
  const parts = rest.map((answer, i) => ({
    token_id: tokenId,
    idempotency_key: key,
    part: i + 1,
    answer,
  }));
  await change.insertMany('idempotency_parts', parts);
}

/** Splits a string without splitting a surrogate pair. */
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

/** Responses from before this time have expired. */
export const oldestKept = (now: Date): Date => new Date(now.getTime() - KEPT_MS);
