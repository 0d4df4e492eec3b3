import { useId } from 'preact/hooks';
import type { Status } from '../../api/types';
import { Field, SelectField, TextField } from '../../components/controls';
import { SprintOptions } from '../../components/sprint-options';
import type { StoryFields } from '../../state/changes/change';
import { FORM_FIELDS } from '../../state/changes/change';
import type { BoardState, Card, ListId } from '../../state/model';
import { sprintsOf, STATUSES } from '../../state/model';
import { typedNumber } from '../../util/format';
import { isLonger, MAX_TITLE, tooLong } from '../../util/length';
import { withTypedBreaks } from '../../util/line-breaks';
import { linksIn } from '../../util/links';
import { parseInteger, parseNumber } from '../../util/number';

type TextFields = Exclude<(typeof FORM_FIELDS)[number], 'status'>;

/** The values of the form of a story, as they are typed; `task` is the title of a new task. */
export type Draft = Record<TextFields | 'sprint' | 'task', string> & { status: Status };

export const emptyDraft = (list: ListId): Draft => ({
  ...(Object.fromEntries(FORM_FIELDS.map((field) => [field, ''])) as Record<TextFields, string>),
  status: 'todo',
  sprint: list === null ? '' : String(list),
  task: '',
});

/** A label as the field for labels shows it. */
const escaped = (label: string): string => label.replace(/[\\,]/g, '\\$&');

export const labelText = (labels: readonly string[]): string => labels.map(escaped).join(', ');

/** The draft of a new story. It has the assignee and the label of the filters, which would hide it otherwise. */
export const newDraft = (list: ListId, filters: URLSearchParams): Draft => ({
  ...emptyDraft(list),
  assignee: filters.get('assignee') ?? '',
  labels: escaped(filters.get('label') ?? ''),
});

export const draftOf = (story: Card): Draft => ({
  title: story.title,
  description: withTypedBreaks(story.description ?? ''),
  points: story.points === null ? '' : typedNumber(story.points),
  priority: story.priority === null ? '' : String(story.priority),
  assignee: story.assignee ?? '',
  labels: labelText(story.labels),
  status: story.status,
  sprint: story.sprint_id === null ? '' : String(story.sprint_id),
  task: '',
});

/** Converts a draft to the fields of a request. */
export function fieldsOf(draft: Draft): Required<Omit<StoryFields, 'sprint_id'>> {
  const points = draft.points.trim();
  return {
    title: draft.title.trim(),
    description: draft.description || null,
    points: points === '' ? null : parseNumber(points),
    priority: draft.priority.trim() === '' ? null : parseInteger(draft.priority),
    assignee: draft.assignee.trim() || null,
    labels: labelsOf(draft.labels),
    status: draft.status,
  };
}

/** The parts of a text between commas; a comma or a backslash in a label has a backslash before it. */
const partsOf = (text: string): string[] => text.match(/(\\[\\,]|[^,])+/g) ?? [];

function labelsOf(text: string): string[] {
  const labels = partsOf(text).map((part) => part.trim().replace(/\\([\\,])/g, '$1'));
  return [...new Set(labels.filter(Boolean))];
}

/** Completes the last label of a text with each label of the board that the text does not have yet. */
export function labelTexts(text: string, { stories }: BoardState): string[] {
  // The space makes a last part if the text ends with a comma.
  const typed = partsOf(`${text} `).at(-1)?.trimStart() ?? '';
  const before = text.slice(0, text.length + 1 - typed.length);
  const labels = new Set([...stories.values()].flatMap((story) => story.labels));
  for (const label of labelsOf(text)) labels.delete(label);
  return [...labels].map((label) => before + escaped(label));
}

/** The assignees of the loaded stories. */
export const assigneesOf = ({ stories }: BoardState): string[] => [
  ...new Set([...stories.values()].flatMap(({ assignee }) => assignee ?? [])),
];

/** The most characters of the texts; the fields take longer ones, so that nothing pasted is cut off unseen. */
const MAX_LENGTHS = {
  title: MAX_TITLE,
  description: 32_767,
  assignee: 100,
  task: MAX_TITLE,
} as const;

type FieldErrors = Partial<Record<keyof Draft, string>>;

/**
 * The errors of a draft, by field.
 * @param list the list of the story, which is correct even if it is a completed sprint
 */
export function errorsOf(draft: Draft, state: BoardState, list: ListId = null): FieldErrors {
  const errors: FieldErrors = {};
  const fields = fieldsOf(draft);
  const { title, points, priority, labels } = fields;
  // As they are sent: only the description keeps its spaces and line breaks at both ends.
  const texts = { ...fields, task: draft.task.trim() };
  for (const [name, max] of Object.entries(MAX_LENGTHS) as [keyof typeof MAX_LENGTHS, number][]) {
    if (isLonger(texts[name] ?? '', max)) errors[name] = tooLong(max);
  }
  if (!title) errors.title = 'A story needs a title.';
  if (points !== null && !(points <= 1000)) {
    errors.points =
      'A number from 0 to 1,000 with at most two decimals. Write 1000 without a separator.';
  }
  // `| 0` converts to a 32-bit integer.
  if (priority !== null && priority !== (priority | 0)) {
    errors.priority = 'An integer from -2147483648 to 2147483647; a smaller number is more urgent.';
  }
  if (labels.length > 20) errors.labels = 'At most 20 labels.';
  if (labels.some((label) => isLonger(label, 50))) errors.labels = 'At most 50 characters each.';
  const sprint = state.sprints.get(Number(draft.sprint));
  const isPossible = draft.sprint === '' || draft.sprint === String(list);
  if (!isPossible && (!sprint || sprint.state === 'completed')) {
    errors.sprint = 'This sprint was completed or deleted.';
  }
  return errors;
}

export function Suggestions({ id, texts }: { id: string; texts: readonly string[] }) {
  return (
    <datalist id={id}>
      {texts.map((text) => (
        <option key={text} value={text} />
      ))}
    </datalist>
  );
}

/** The links in a description, which a text field shows as text only. */
function Links({ text }: { text: string }) {
  const links = linksIn(text);
  if (links.length === 0) return null;
  return (
    <ul class="links" aria-label="Links in the description">
      {links.map((url) => (
        <li key={url}>
          <a href={url} target="_blank" rel="noreferrer">
            {url}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface StoryFormProps {
  state: BoardState;
  draft: Draft;
  errors: FieldErrors;
  isReadOnly?: boolean;
  /** Whether the description is not loaded; it is read-only then, because new text would replace it unseen. */
  hasNoDescription?: boolean;
  /** Whether it is the form of a new story, whose title gets the focus. */
  isNew?: boolean;
  onChange: (set: Partial<Draft>) => void;
}

/** The fields of a story. */
export function StoryForm({
  state,
  draft,
  errors,
  isReadOnly = false,
  hasNoDescription = false,
  isNew = false,
  onChange,
}: StoryFormProps) {
  const people = useId();
  const labels = useId();
  const propsOf = (field: Exclude<keyof Draft, 'status'>) => ({
    value: draft[field],
    error: errors[field],
    readOnly: isReadOnly,
    onText: (typed: string) => onChange({ [field]: typed }),
  });
  return (
    <div class="story-form">
      <TextField
        label="Title"
        {...propsOf('title')}
        class="title-input"
        required
        autoFocus={isNew}
      />
      <Field label="Description" error={errors.description}>
        {(props) => (
          <textarea
            {...props}
            rows={5}
            value={draft.description}
            readOnly={isReadOnly || hasNoDescription}
            onInput={(event) => onChange({ description: event.currentTarget.value })}
          />
        )}
      </Field>
      <Links text={draft.description} />
      <div class="field-row story-fields">
        <SelectField
          label="Status"
          value={draft.status}
          disabled={isReadOnly}
          onPick={(picked) => onChange({ status: picked })}
        >
          {STATUSES.map(({ status, name }) => (
            <option key={status} value={status}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField label="Points" {...propsOf('points')} inputMode="decimal" />
        <TextField
          label="Priority"
          {...propsOf('priority')}
          inputMode="numeric"
          hint={isReadOnly ? undefined : 'A smaller number is more urgent.'}
        />
        <TextField label="Assignee" {...propsOf('assignee')} list={people} />
        <SelectField
          label="Sprint"
          error={errors.sprint}
          value={draft.sprint}
          disabled={isReadOnly}
          onPick={(picked) => onChange({ sprint: picked })}
        >
          <option value="">Backlog</option>
          <SprintOptions
            sprints={sprintsOf(state).filter(
              ({ id, state }) => state !== 'completed' || String(id) === draft.sprint,
            )}
          />
        </SelectField>
        <TextField
          label="Labels"
          {...propsOf('labels')}
          list={labels}
          autocomplete="off"
          hint={isReadOnly ? undefined : 'Separated by commas.'}
        />
      </div>
      <Suggestions id={people} texts={assigneesOf(state)} />
      <Suggestions id={labels} texts={labelTexts(draft.labels, state)} />
    </div>
  );
}
