import { api } from '../../api/client';
import type { Event } from '../../api/types';
import type { Card } from '../../state/model';
import { sprintName, statusName } from '../../state/model';
import { store } from '../../state/stores';
import { UNREACHABLE, useAnswer } from '../../util/answer';
import { formatTime } from '../../util/format';
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
  if (name === 'sprint_id') {
    const sprint = store.value?.view.value?.sprints.get(value as number);
    return value === null ? 'Backlog' : sprint ? sprintName(sprint) : `#${value as number}`;
  }
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
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
            {changesOf(event).map(({ name, from, to }) => (
              <div key={name} class="history-change">
                {name}: <del>{from}</del> → <ins>{to}</ins>
              </div>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
