import type { FastifyReply } from 'fastify';
import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '../caller';
import { Problem } from '../problem';

const version = createHash('sha1');
for (const name of ['package.json', 'openapi.json']) {
  version.update(readFileSync(join(__dirname, '../../..', name)));
}

/**
 * A digest of package.json and openapi.json. Entity tags that are not a digest of the content contain it,
 * so that they change when an upgrade adds a field.
 */
export const REPRESENTATION = version.digest('base64url').slice(0, 8);

/** Returns the strong entity tag (RFC 9110, section 8.8.3) of a representation: a digest of its bytes. */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/**
 * Sets the entity tag of a response, and the status 304 if `If-None-Match` names the tag, compared weakly
 * (RFC 9110, section 13.1.2).
 * @returns whether the status is 304, so that the content is not needed
 */
export function notModified(reply: FastifyReply, etag: string): boolean {
  reply.header('ETag', etag);
  const { 'if-none-match': sent } = reply.request.headers;
  const isKnown = sent !== undefined && names(sent, [etag], withoutW);
  if (isKnown) reply.code(304);
  return isKnown;
}

/**
 * Rejects a change under a stale `If-Match`, compared strongly (RFC 9110, section 13.1.1) with the
 * representation as it is under the board's lock, or under an `If-None-Match` that names it, compared weakly.
 * @param others further entity tags that match
 * @throws Problem `precondition_failed`
 */
export function requireMatch(caller: Caller, representation: object, ...others: string[]): void {
  if (caller.ifMatch === undefined && caller.ifNoneMatch === undefined) return;
  requireTag(caller, etagOf(JSON.stringify(representation)), ...others);
}

/** As `requireMatch`, for known entity tags; none if the resource does not exist. @throws Problem `precondition_failed` */
export function requireTag({ ifMatch, ifNoneMatch }: Caller, ...etags: string[]): void {
  if (ifMatch !== undefined && !names(ifMatch, etags)) {
    const isWellFormed = tagsOf(ifMatch).some((tag) => !tag.startsWith('W/'));
    throw new Problem('precondition_failed', isWellFormed ? undefined : NO_STRONG_TAG);
  }
  if (ifNoneMatch !== undefined && names(ifNoneMatch, etags, withoutW)) {
    throw new Problem('precondition_failed', 'The resource matches `If-None-Match`.');
  }
}

const NO_STRONG_TAG =
  'The condition has no strong entity tag in quotes, such as the `ETag` of a response, so it never matches.';

/** Whether a header names one of the entity tags. @param part the part of a tag that is compared */
function names(header: string, etags: readonly string[], part = (tag: string) => tag): boolean {
  if (header.trim() === '*') return etags.length > 0;
  const sent = tagsOf(header).map(part);
  return etags.some((etag) => sent.includes(part(etag)));
}

/** Returns the entity tags of a header. They may contain commas, so it cannot be split at them. */
const tagsOf = (header: string): string[] =>
  (header.match(/(?:W\/)?"[^"]*"/g) ?? []).map((tag) => tag.replace(COMPRESSED, '"'));

/** The end of the tag of a compressed form; no other tag of the service has a `+`. */
const COMPRESSED = /\+gzip"$/;

/** Returns the entity tag of the compressed form of a representation; a weak tag is the same for both. */
export const compressedTag = (etag: string): string =>
  etag.startsWith('W/') ? etag : etag.replace(/"$/, '+gzip"');

const withoutW = (tag: string): string => tag.replace(/^W\//, '');
