import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api/client';
import { useCommands } from '../commands';
import { query, route, setQuery } from '../router';
import { announce } from '../state/announce';
import { focused, recoverFocus } from '../state/focus';
import type { Card } from '../state/model';
import { plural } from '../util/format';
import { Button } from './controls';

/** The stories that the service has found for the search; it also searches descriptions. */
const found = signal<{ q: string; ids: ReadonlySet<number> } | null>(null);

/** Searches on the service when the user pauses typing. */
function useFound(board: string, q: string): void {
  useEffect(() => {
    if (found.value?.q !== q) found.value = null;
    if (!q.trim() || !board) return;
    let isLatest = true;
    const find = async (): Promise<void> => {
      const params = { path: { board_name: board }, query: { q, fields: 'id' } };
      const { data } = await api.GET('/api/boards/{board_name}/stories', { params });
      if (isLatest)
        found.value = { q, ids: new Set((data as { id: number }[]).map(({ id }) => id)) };
    };
    // Without a connection, only the loaded fields are searched.
    const timer = setTimeout(() => void find().catch(() => undefined), 200);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [board, q]);
}

const NAMES = ['q', 'assignee', 'label'];

export const hasFilter = (params: URLSearchParams): boolean =>
  NAMES.some((name) => params.get(name));

/** The stories that pass the search and the filters of the URL. */
export function filtered(stories: readonly Card[], params: URLSearchParams): readonly Card[] {
  if (!hasFilter(params)) return stories;
  const assignee = params.get('assignee');
  const label = params.get('label');
  const words = (params.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return stories.filter((story) => {
    if (assignee && story.assignee !== assignee) return false;
    if (label && !story.labels.includes(label)) return false;
    const text = textOf(story);
    return words.every((word) => text.includes(word)) || found.value?.ids.has(story.id) === true;
  });
}

const texts = new WeakMap<Card, string>();

function textOf(story: Card): string {
  let text = texts.get(story);
  if (text === undefined) {
    const { id, title, description, assignee, labels } = story;
    text = [title, description ?? '', assignee ?? '', ...labels, `#${id}`].join('\n').toLowerCase();
    texts.set(story, text);
  }
  return text;
}

/** The search and the filters of a view, whose values are in the URL. */
export function Filters({ stories }: { stories: Iterable<Card> }) {
  const input = useRef<HTMLInputElement>(null);
  useCommands(
    [
      {
        name: 'Search',
        key: '/',
        run: () => {
          input.current?.focus();
          input.current?.select();
        },
      },
    ],
    [],
  );
  const params = query.value;
  useFound(route.value.board, params.get('q') ?? '');
  const all = [...stories];
  const people = new Set<string>();
  const labels = new Set<string>();
  for (const story of all) {
    if (story.assignee) people.add(story.assignee);
    for (const label of story.labels) labels.add(label);
  }
  const isFiltered = hasFilter(params);
  const count = isFiltered ? filtered(all, params).length : null;
  useEffect(() => {
    if (count === null) return;
    const timer = setTimeout(() => announce(`${plural(count, 'story', 'stories')} found`), 600);
    return () => clearTimeout(timer);
  }, [count, params.toString()]);
  return (
    <search class="filters">
      <input
        ref={input}
        type="search"
        aria-label="Search"
        placeholder="Search  /"
        value={params.get('q') ?? ''}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (!['Enter', 'Escape'].includes(event.key) || event.isComposing) return;
          if (event.key === 'Escape') setQuery({ q: null });
          else focused.value = null;
          event.currentTarget.blur();
          recoverFocus();
        }}
      />
      <Choice name="assignee" label="assignee" none="All assignees" values={people} />
      <Choice name="label" label="label" none="All labels" values={labels} />
      {isFiltered && (
        <Button
          kind="quiet"
          onClick={() => {
            setQuery({ q: null, assignee: null, label: null });
            recoverFocus();
          }}
        >
          Clear filters
        </Button>
      )}
    </search>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  none: string;
  values: Iterable<string>;
}

function Choice({ name, label, none, values }: ChoiceProps) {
  const value = query.value.get(name) ?? '';
  return (
    <select
      aria-label={`Filter by ${label}`}
      value={value}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      <option value="">{none}</option>
      {unique(value ? [...values, value] : values).map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}

const unique = (values: Iterable<string>): string[] =>
  [...new Set(values)].sort((a, b) => a.localeCompare(b));
