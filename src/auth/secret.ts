import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A prefix for scanners of leaked secrets, a lookup id, and 32 random bytes. */
const FORM = /^spl_([0-9a-f]{16})_[\w-]{43}$/;

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Creates a token. Its lookup id and its digest are stored. */
export function makeToken(): { token: string; lookup: string; hash: string } {
  const lookup = randomBytes(8).toString('hex');
  const token = `spl_${lookup}_${randomBytes(32).toString('base64url')}`;
  return { token, lookup, hash: sha256(token).toString('hex') };
}

/** The lookup id of a string that has the form of a token. */
export function lookupOf(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/** Whether this is the digest of the token; compared in constant time. */
export function isToken(text: string, hash: string): boolean {
  return timingSafeEqual(sha256(text), Buffer.from(hash, 'hex'));
}
