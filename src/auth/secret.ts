import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A prefix for scanners of leaked secrets, a lookup id, and 32 random bytes. */
const FORM = /^spl_([0-9a-f]{16})_[\w-]{43}$/;

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Creates the secret of a token or a session. Its lookup id and its digest are stored. */
export function createSecret(): { secret: string; lookup: string; hash: string } {
  const lookup = randomBytes(8).toString('hex');
  const secret = `spl_${lookup}_${randomBytes(32).toString('base64url')}`;
  return { secret, lookup, hash: sha256(secret).toString('hex') };
}

/** The lookup id of a string that has the form of a secret. */
export function lookupOf(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/** Whether a secret has this digest; compared in constant time. */
export function matches(text: string, hash: string): boolean {
  return timingSafeEqual(sha256(text), Buffer.from(hash, 'hex'));
}
