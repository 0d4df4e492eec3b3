import { useRef } from 'preact/hooks';
import { useCommands } from '../commands';
import { query, setQuery } from '../router';
import type { Card } from '../state/model';
import { Button } from './controls';

/** Whether a story passes the search and the filters of the URL. */
export function matches(story: Card, params: URLSearchParams): boolean {
  const assignee = params.get('assignee');
  const label = params.get('label');
  if (assignee !== null && (story.assignee ?? '') !== assignee) return false;
  if (label !== null && !story.labels.includes(label)) return false;
  const words = (params.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const text = [
    story.title,
    story.description ?? '',
    story.assignee ?? '',
    ...story.labels,
    `#${story.id}`,
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Search and filters of the stories of a view; they live in the URL. */
export function Filters({ stories }: { stories: readonly Card[] }) {
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
  const people = unique(stories.map(({ assignee }) => assignee ?? ''));
  const labels = unique(stories.flatMap(({ labels }) => labels));
  const isFiltered = ['q', 'assignee', 'label'].some((name) => params.get(name));
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
          if (event.key !== 'Escape') return;
          setQuery({ q: null });
          event.currentTarget.blur();
        }}
      />
      <Choice name="assignee" label="person" none="Everyone" values={people.filter(Boolean)} />
      <Choice name="label" label="label" none="All labels" values={labels} />
      {isFiltered && (
        <Button kind="quiet" onClick={() => setQuery({ q: null, assignee: null, label: null })}>
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
  values: readonly string[];
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

const unique = (values: readonly string[]): string[] =>
  [...new Set(values)].sort((a, b) => a.localeCompare(b));
