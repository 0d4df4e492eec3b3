import { api } from '../../api/client';
import type { Event } from '../../api/types';
import type { Card, ListId } from '../../state/model';
import { listName, statusName } from '../../state/model';
import { store } from '../../state/stores';
import { UNREACHABLE, useAnswer } from '../../util/answer';
import { formatNumber, formatTime } from '../../util/format';
import { whoOf } from '../../util/names';

/** The fields that the history does not show, because the service sets them. */
const DERIVED = new Set(['updated_at', 'done_at', 'version', 'seq', 'id', 'created_at', 'tasks']);

const NAMES: Record<string, string> = { sprint_id: 'Sprint', board_name: 'Board' };

export const WORDS: Partial<Record<Event['type'], string>> = {
  'story.created': 'created it',
  'story.deleted': 'deleted it',
  'story.moved': 'moved it',
  'story.moved_out': 'moved it to another board',
  'story.moved_in': 'moved it to this board',
  'story.updated': 'changed it',
  'task.updated': 'changed it',
  'task.deleted': 'deleted it',
};

/** The name of a field for people. */
export const nameOf = (field: string): string =>
  NAMES[field] ?? `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;

/** A value of an event as text. */
export function shown(name: string, value: unknown): string {
  if (name === 'status') return statusName(value as Card['status']);
  const state = store.value?.view.value;
  if (name === 'sprint_id' && state) return listName(state, value as ListId);
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Characters of a value that the history shows, and those of them before the first difference. */
const EXCERPT = 120;
const BEFORE = 20;

/** Two values as the history shows them: if they are long, without what both of them begin with. */
function excerpts({ from, to }: { from: string; to: string }): [from: string, to: string] {
  const [one, other] = [[...from], [...to]];
  const difference = one.findIndex((character, i) => character !== other[i]);
  const isLong = Math.max(one.length, other.length) > EXCERPT;
  const start = isLong ? Math.max(0, (difference < 0 ? one.length : difference) - BEFORE) : 0;
  const cut = (text: string[]): string => {
    const part = text.slice(start, start + EXCERPT).join('');
    return `${start > 0 ? '…' : ''}${part}${text.length > start + EXCERPT ? '…' : ''}`;
  };
  return [cut(one), cut(other)];
}

/** The fields that an event changed: their names, old and new values. */
export function changesOf({ before, after }: Event): { name: string; from: string; to: string }[] {
  if (!before || !after) return [];
  return Object.keys(after)
    .filter((name) => !DERIVED.has(name))
    .map((name) => ({
      name: nameOf(name),
      from: shown(name, before[name]),
      to: shown(name, after[name]),
    }));
}

/** The history of a story, the latest change first. */
export function History({ story }: { story: Card }) {
  const { data: events, isUnreachable } = useAnswer(async () => {
    if (story.id < 0) return [];
    const path = { story_id: story.id };
    const { data } = await api.GET('/api/stories/{story_id}/history', { params: { path } });
    return (data as Event[]).toReversed();
  }, [story.id, story.version]);
  return (
    <section class="history">
      <h3>History</h3>
      {!events && isUnreachable && <p class="empty">{UNREACHABLE}</p>}
      <ol>
        {events?.map((event) => (
          <li key={event.revision}>
            <span class="history-who">
              <strong>{whoOf(event.actor)}</strong> {WORDS[event.type] ?? event.type}
            </span>
            <time dateTime={event.at}>{formatTime(event.at)}</time>
            {changesOf(event).map((change) => {
              const [from, to] = excerpts(change);
              return (
                <div key={change.name} class="history-change">
                  {change.name}: <del>{from}</del> → <ins>{to}</ins>
                </div>
              );
            })}
          </li>
        ))}
      </ol>
    </section>
  );
}
