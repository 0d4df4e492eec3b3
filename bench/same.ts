import { deepStrictEqual } from 'node:assert';
import type { Case } from './cases';
import type { Board } from './dataset';
import type { Request } from './load';
import type { Store } from './store';

interface Answer {
  status: number;
  text: string;
  etag: string | undefined;
}

export async function call(url: string, request: Request): Promise<Answer> {
  const { method, path, body, ifNoneMatch } = request;
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: answer.status,
    text: await answer.text(),
    etag: answer.headers.get('etag') ?? undefined,
  };
}

/** What two writes of the same cannot have in common. */
const settled = (text: string): string =>
  text
    .replace(/"(created_at|updated_at)":"[^"]*"/g, '"$1":"…"')
    .replace(/"(id|seq|version)":\d+/g, '"$1":"…"')
    .replace(/(draft|round) -?\d+/g, '$1 …');

/** The last event of a story as it is stored, and whether it is the last of its board. */
async function lastEvent(store: Store, story: number): Promise<string> {
  const [row] = await store.query<Record<string, string | null>>(
    `SELECT e.type, e.actor, e.sprint_id, e.from_sprint_id, e.\`before\`, e.\`after\`,
       b.revision = e.revision AS is_last, e.entity_version = s.version AS is_present
     FROM events e JOIN boards b ON b.id = e.board_id JOIN stories s ON s.id = e.entity_id
     WHERE e.entity = 'story' AND e.entity_id = ? ORDER BY e.entity_version DESC LIMIT 1`,
    [story],
  );
  const { before = null, after = null, ...rest } = row ?? {};
  return JSON.stringify([rest, before && settled(before), after && settled(after)]);
}

/**
 * Holds that two servers do the same for a case: the same status and the same bytes, and after a write
 * the same log, apart from ids and times.
 */
export async function requireSame(
  store: Store,
  one: Case,
  boards: Board[],
  [ours, theirs]: [string, string],
): Promise<void> {
  const answers = async (url: string, round: number): Promise<string[]> => {
    const seen: string[] = [];
    for (const request of one.requests(boards, round).slice(0, 20)) {
      const { status, text } = await call(url, request);
      if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text}`);
      seen.push(`${request.method} ${request.path} ${status}`);
      if (request.method === 'GET') seen.push(text);
      else {
        const { id } = JSON.parse(text) as { id: number };
        seen.push(settled(text), await lastEvent(store, id));
      }
    }
    return seen;
  };
  // An update tells what was there before, so the first is not compared.
  await answers(ours, -3);
  deepStrictEqual(
    await answers(theirs, -2),
    await answers(ours, -1),
    `${one.name}: the two servers do not do the same`,
  );
}
