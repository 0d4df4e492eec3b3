import { hash } from 'node:crypto';
import type { Caller } from './caller';
import { Problem } from './problem';

/**
 * The strong entity tag (RFC 9110, section 8.8.3) of a representation: a digest of its bytes, so that
 * it changes exactly when they do, whatever in them is stored or derived.
 */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/** Whether `If-None-Match` names the tag, compared weakly (RFC 9110, section 13.1.2). */
export function matchesNone(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || tags(header).some((tag) => strip(tag) === strip(etag));
}

/**
 * Refuses a change under a stale `If-Match`, compared strongly (RFC 9110, section 13.1.1) with the
 * representation as it stands under the board's lock.
 * @throws Problem `precondition_failed`
 */
export function requireMatch(caller: Caller, representation: object): void {
  if (caller.ifMatch === undefined) return;
  requireTag(caller, etagOf(JSON.stringify(representation)));
}

/** As `requireMatch`, where the entity tag is known. @throws Problem `precondition_failed` */
export function requireTag({ ifMatch }: Caller, etag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (!tags(ifMatch).includes(etag)) throw new Problem('precondition_failed');
}

/** Entity tags may hold commas, so the list is read tag by tag. */
function tags(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

function strip(tag: string): string {
  return tag.replace(/^W\//, '');
}
