import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api/client';
import { hasSingleKeys, useCommands } from '../commands';
import { query, route, setQuery } from '../router';
import { announce } from '../state/announce';
import { focused, recoverFocus } from '../state/focus';
import type { Card, ListId } from '../state/model';
import { store } from '../state/stores';
import { BURST_MS, useSettled } from '../util/answer';
import { isComposing } from '../util/composing';
import { plural } from '../util/format';
import { RepeatedRequests } from '../util/repeated-requests';
import { Button } from './controls';

/** The sprints, by their ids, of the stories that the service has found; it also searches descriptions. */
const found = signal<{ search: string; lists: ReadonlyMap<number, ListId> } | null>(null);

/** How many stories of some sprints the service has found. */
export const countFound = (sprints: ReadonlySet<ListId>): number =>
  [...(found.value?.lists.values() ?? [])].filter((list) => sprints.has(list)).length;

const NAMES = ['q', 'assignee', 'label'];

/** The search and the filters of the URL. */
const asked = computed(() => {
  const { board, view } = route.value;
  const [q, assignee, label] = NAMES.map((name) => query.value.get(name) ?? undefined);
  const isFiltered = assignee !== undefined || label !== undefined;
  return {
    board,
    q,
    assignee,
    label,
    search: JSON.stringify([board, q, assignee, label]),
    /** Whether the service searches, too; on the plan it also finds the stories of a filter that are not loaded. */
    isNeeded: Boolean(board && (q?.trim() || (view === 'backlog' && isFiltered))),
  };
});

/** The current search, set once the service has answered or could not be reached. */
const answered = signal('');

/** Whether the service is still searching, so that other stories may match, too. */
const isSearching = computed(() => asked.value.isNeeded && answered.value !== asked.value.search);

/** Searches on the service when the user pauses typing, and again after changes of the board. */
function useFound(): void {
  const { board, q, assignee, label, search, isNeeded } = asked.value;
  const revision = useSettled(store.value?.confirmed.revision.value, BURST_MS);
  useEffect(() => {
    if (found.value?.search !== search) {
      found.value = null;
      answered.value = '';
    }
    if (!isNeeded) return;
    const requests = new RepeatedRequests();
    const find = async (): Promise<ReadonlyMap<number, ListId>> => {
      const listOf = (value?: string): string[] | undefined =>
        value === undefined ? undefined : [value];
      const query = {
        q: listOf(q),
        assignee: listOf(assignee),
        label: listOf(label),
        fields: 'id,sprint_id',
      };
      const { data } = await api.GET('/api/boards/{board_name}/stories', {
        params: { path: { board_name: board }, query },
      });
      const stories = data as { id: number; sprint_id: ListId }[];
      return new Map(stories.map((each) => [each.id, each.sprint_id]));
    };
    // Without a connection, only the loaded fields are searched until then.
    const settle = (): void => void (answered.value = search);
    const run = async (): Promise<void> => {
      const lists = await requests.untilAnswered(find, settle).catch(() => undefined);
      if (lists) found.value = { search, lists };
      settle();
    };
    const timer = setTimeout(() => void run(), 200);
    return () => {
      clearTimeout(timer);
      requests.stop();
    };
  }, [search, isNeeded, revision]);
}

/** As in the API, an empty assignee or label means stories that have none. */
export const hasFilter = (params: URLSearchParams): boolean =>
  NAMES.some((name) => params.has(name));

export function clearFilters(): void {
  setQuery({ q: null, assignee: null, label: null });
  recoverFocus();
}

/** The stories that pass the search and the filters of the URL. */
export function filtered(stories: readonly Card[], params: URLSearchParams): readonly Card[] {
  if (!hasFilter(params)) return stories;
  const assignee = params.get('assignee');
  const label = params.get('label');
  const words = (params.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return stories.filter((story) => {
    if (assignee !== null && (story.assignee ?? '') !== assignee) return false;
    if (label === '' && story.labels.length > 0) return false;
    if (label && !story.labels.includes(label)) return false;
    const text = textOf(story);
    const isFound = (word: string): boolean =>
      text.includes(word) || word.replace('#', '') === `${story.id}`;
    return words.every(isFound) || found.value?.lists.has(story.id) === true;
  });
}

const texts = new WeakMap<Card, string>();

function textOf(story: Card): string {
  let text = texts.get(story);
  if (text === undefined) {
    const { title, description, assignee, labels, external_id } = story;
    const fields = [title, description ?? '', assignee ?? '', ...labels, external_id ?? ''];
    text = fields.join('\n').toLowerCase();
    texts.set(story, text);
  }
  return text;
}

/** The text of a list without a story that passes the filters. */
export const noMatch = (): string => (isSearching.value ? 'Searching…' : 'No story matches.');

interface FiltersProps {
  /** The loaded stories, whose assignees and labels can be chosen. */
  stories: readonly Card[];
  /** Called before the user chooses an assignee or a label. */
  onChoose?: () => void;
}

/** Whether the device has no keyboard, as far as a page can know; the same condition hides `.key-hint`. */
const isTouched = matchMedia('(hover: none)');

/** The search and the filters of a view, whose values are in the URL. */
export function Filters({ stories, onChoose }: FiltersProps) {
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
  // The board shows no filters once its sprint is no longer active.
  useEffect(() => recoverFocus, []);
  const params = query.value;
  useFound();
  const people = new Set<string>();
  const labels = new Set<string>();
  for (const story of stories) {
    if (story.assignee) people.add(story.assignee);
    for (const label of story.labels) labels.add(label);
  }
  const isFiltered = hasFilter(params);
  const count = isFiltered ? filtered(stories, params).length : null;
  useEffect(() => {
    if (count === null || isSearching.value) return;
    const timer = setTimeout(() => announce(`${plural(count, 'story', 'stories')} found`), 600);
    return () => clearTimeout(timer);
  }, [count, params.toString(), isSearching.value]);
  return (
    <search class="filters">
      <input
        ref={input}
        type="search"
        aria-label="Search"
        placeholder={hasSingleKeys.value && !isTouched.matches ? 'Search  /' : 'Search'}
        value={params.get('q') ?? ''}
        onInput={(event) => setQuery({ q: event.currentTarget.value || null })}
        onKeyDown={(event) => {
          if (!['Enter', 'Escape'].includes(event.key) || isComposing(event)) return;
          if (event.key === 'Escape') setQuery({ q: null });
          else focused.value = null;
          event.currentTarget.blur();
          recoverFocus();
        }}
      />
      <Choice
        name="assignee"
        all="All assignees"
        none="Unassigned"
        values={people}
        onFocus={onChoose}
      />
      <Choice name="label" all="All labels" none="No label" values={labels} onFocus={onChoose} />
      {isFiltered && (
        <Button kind="quiet" onClick={clearFilters}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

interface ChoiceProps {
  name: string;
  all: string;
  none: string;
  values: Iterable<string>;
  onFocus?: () => void;
}

function Choice({ name, all, none, values, onFocus }: ChoiceProps) {
  const value = query.value.get(name);
  return (
    <select
      aria-label={`Filter by ${name}`}
      onFocus={onFocus}
      // Without a prefix, an empty value would not differ from that of all stories.
      value={value === null ? '' : `=${value}`}
      onChange={({ currentTarget: { value: chosen } }) =>
        setQuery({ [name]: chosen === '' ? null : chosen.slice(1) })
      }
    >
      <option value="">{all}</option>
      <option value="=">{none}</option>
      {unique(value ? [...values, value] : values).map((each) => (
        <option key={each} value={`=${each}`}>
          {each}
        </option>
      ))}
    </select>
  );
}

const unique = (values: Iterable<string>): string[] =>
  [...new Set(values)].sort((a, b) => a.localeCompare(b));
