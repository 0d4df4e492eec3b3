import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A prefix by which those who look for leaked secrets know ours; a lookup id; 32 random bytes. */
const FORM = /^spl_([0-9a-f]{16})_[\w-]{43}$/;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A new token, with what is kept of it. */
export function makeToken(): { token: string; lookup: string; hash: string } {
  const lookup = randomBytes(8).toString('hex');
  const token = `spl_${lookup}_${randomBytes(32).toString('base64url')}`;
  return { token, lookup, hash: sha256(token).toString('hex') };
}

/** The lookup id of what may be a token. */
export function lookupOf(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/** Whether this is the token that the hash was kept of, in a time that tells nothing of it. */
export function isToken(text: string, hash: string): boolean {
  return timingSafeEqual(sha256(text), Buffer.from(hash, 'hex'));
}

/** A text for the log, in which nobody must find a token, wherever a client put it. */
export function withoutTokens(text: string): string {
  return text.includes('spl_') ? text.replace(/spl_[0-9a-f]{16}_[\w-]*/g, 'spl_...') : text;
}
