import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiError } from '../../api/problem';
import type { ImportView, Mapping, Status } from '../../api/types';
import { SelectField } from '../../components/controls';
import { STATUSES } from '../../state/model';
import { formatNumber } from '../../util/format';

type Unmapped = ImportView['unmapped'];

/** The fields for which a column of a table can be chosen. */
const FIELDS: readonly { field: string; name: string }[] = [
  { field: 'title', name: 'Title' },
  { field: 'description', name: 'Description' },
  { field: 'status', name: 'Status' },
  { field: 'priority', name: 'Priority' },
  { field: 'points', name: 'Points' },
  { field: 'assignee', name: 'Assignee' },
  { field: 'labels', name: 'Labels' },
  { field: 'sprint', name: 'Sprint' },
  { field: 'external_id', name: 'Id' },
];
/** Without the sprint: a table of Linear has several columns for a cycle. */
const FIELDS_OF_LINEAR = FIELDS.filter(({ field }) => field !== 'sprint');

const DATE_ORDERS = [
  { order: 'dmy', name: 'Day, month, year' },
  { order: 'mdy', name: 'Month, day, year' },
  { order: 'ymd', name: 'Year, month, day' },
] as const;

interface MappingProps {
  /** The choices of the user. */
  choices: Mapping;
  onChoice: (set: Partial<Mapping>) => void;
}

function Group({
  name,
  hint,
  children,
}: {
  name: string;
  hint?: string;
  children: ComponentChildren;
}) {
  return (
    <fieldset class="mapping">
      <legend>{name}</legend>
      {hint && <p class="field-hint">{hint}</p>}
      {children}
    </fieldset>
  );
}

/** The unknown names that are errors of the file; undefined if there are none. */
export function unmappedOf(failure: unknown): Unmapped | undefined {
  const errors = (failure instanceof ApiError && failure.problem?.errors) || [];
  const namesOf = (column: string): Unmapped['statuses'] => {
    const names = new Map<string, Unmapped['statuses'][number]>();
    for (const { column: of, value = '' } of errors) {
      if (of !== column) continue;
      // The service ignores case, too.
      const key = value.toLowerCase();
      const known = names.get(key);
      if (known) known.count += 1;
      else names.set(key, { value, count: 1 });
    }
    return [...names.values()];
  };
  const [statuses, priorities] = [namesOf('status'), namesOf('priority')];
  return statuses.length + priorities.length > 0 ? { statuses, priorities } : undefined;
}

/**
 * The names in the file, the mapping and the choices of the user. Unmapped names come first and do not
 * move when the user maps them.
 */
function useNames<Value>(
  known: Record<string, Value>,
  unmapped: Unmapped['statuses'] = [],
): { name: string; value?: Value; unknown?: number }[] {
  const seen = useRef(new Set<string>());
  const unknown = new Map(unmapped.map(({ value, count }) => [value, count]));
  for (const name of [...unknown.keys(), ...Object.keys(known)]) seen.current.add(name);
  return [...seen.current]
    .map((name) => ({ name, value: known[name], unknown: unknown.get(name) }))
    .filter(({ value, unknown }) => value !== undefined || unknown !== undefined);
}

/** A name in the file, with the number of times that it occurs if it is unknown. */
function Named({ name, unknown }: { name: string; unknown?: number }) {
  return (
    <>
      {name}
      {unknown !== undefined && (
        <span class="state unknown">unknown, {formatNumber(unknown)}×</span>
      )}
    </>
  );
}

interface ChoiceProps {
  label: ComponentChildren;
  name: string;
  value: string;
  options: readonly { value: string; name: string }[];
  onChange: (value: string) => void;
}

/** A row of a mapping: a name in the file, and the value to which it is mapped. */
function Choice({ label, name, value, options, onChange }: ChoiceProps) {
  return (
    <label class="mapped">
      <span class="mapped-name">{label}</span>
      <select
        aria-label={name}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((each) => (
          <option key={each.value} value={each.value}>
            {each.name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface NamesProps extends MappingProps {
  answer: ImportView | null;
  unmapped?: Unmapped;
  /** Whether the file can be imported only if all names are mapped. */
  isStrict: boolean;
}

/** The mapping of the statuses in the file. */
export function Statuses({ answer, unmapped, isStrict, choices, onChoice }: NamesProps) {
  const all = useNames({ ...answer?.mapping.status, ...choices.status }, unmapped?.statuses);
  if (all.length === 0) return null;
  const hint =
    !isStrict && all.some(({ unknown }) => unknown)
      ? 'An unknown status becomes To do, unless you choose another one.'
      : undefined;
  return (
    <Group name="Statuses" hint={hint}>
      {all.map(({ name, value, unknown }) => (
        <Choice
          key={name}
          label={<Named name={name} unknown={unknown} />}
          name={`Status ${name}`}
          value={value ?? (isStrict ? '' : 'todo')}
          options={[
            ...(isStrict && value === undefined ? [{ value: '', name: 'Choose' }] : []),
            ...STATUSES.map((each) => ({ value: each.status, name: each.name })),
          ]}
          onChange={(to) => onChoice({ status: { ...choices.status, [name]: to as Status } })}
        />
      ))}
    </Group>
  );
}

/** The mapping of the named priorities in the file to numbers. */
export function Priorities({ answer, unmapped, isStrict, choices, onChoice }: NamesProps) {
  /** By name, the answer that was shown when the user deleted its number. It still has the number. */
  const deletedFrom = useRef(new Map<string, ImportView | null>());
  const chosen = choices.priority ?? {};
  const known = { ...answer?.mapping.priority, ...chosen };
  const all = useNames(known, unmapped?.priorities).filter(
    ({ name, unknown }) => unknown !== undefined || name in chosen || !isNumber(name),
  );
  if (all.length === 0) return null;
  const set = (name: string, text: string): void => {
    if (text === '') deletedFrom.current.set(name, answer);
    else deletedFrom.current.delete(name);
    const { [name]: _former, ...others } = chosen;
    const number = Math.max(-MAX_PRIORITY, Math.min(MAX_PRIORITY, Math.trunc(Number(text))));
    onChoice({ priority: text === '' ? others : { ...others, [name]: number } });
  };
  const hint =
    !isStrict && all.some(({ unknown }) => unknown)
      ? 'A smaller number is more urgent. An unknown priority is dropped, unless you enter a number.'
      : 'A smaller number is more urgent.';
  return (
    <Group name="Priorities" hint={hint}>
      {all.map(({ name, value, unknown }) => (
        <label key={name} class="mapped">
          <span class="mapped-name">
            <Named name={name} unknown={unknown} />
          </span>
          <input
            type="number"
            step={1}
            aria-label={`Priority ${name}`}
            placeholder="None"
            value={deletedFrom.current.get(name) === answer ? '' : (value ?? '')}
            onInput={(event) => set(name, event.currentTarget.value)}
          />
        </label>
      ))}
    </Group>
  );
}

const MAX_PRIORITY = 2 ** 31 - 1;

/** Whether a priority in the file is a number, which needs no mapping unless it is unknown, such as 01. */
const isNumber = (name: string): boolean => /^-?\d+$/.test(name);

interface ColumnsProps extends MappingProps {
  header: readonly string[];
  answer: ImportView | null;
  isLinear: boolean;
  /** Whether the file cannot be read, perhaps because a column must be chosen. */
  isAsked: boolean;
}

/** The mapping of the columns of a table to fields. */
export function Columns(props: ColumnsProps) {
  const { header, answer, isLinear, isAsked, choices, onChoice } = props;
  /** Once open, it stays so: a choice makes the file readable, and the field of the choice has the focus. */
  const isOpen = useRef(false);
  isOpen.current ||= isAsked;
  return (
    <details open={isOpen.current || undefined}>
      <summary>Columns</summary>
      <div class="columns-read" role="group" aria-label="Columns">
        {(isLinear ? FIELDS_OF_LINEAR : FIELDS).map(({ field, name }) => {
          const found = answer?.mapping.columns?.[field];
          const chosen = choices.columns?.[field] ?? '';
          return (
            <Choice
              key={field}
              label={name}
              name={`Column of ${name}`}
              value={chosen}
              options={[
                { value: '', name: chosen || !answer ? 'Detect by name' : (found ?? 'No column') },
                ...header
                  .filter((column) => chosen !== '' || column !== found)
                  .map((column) => ({ value: column, name: column })),
              ]}
              onChange={(column) => {
                const { [field]: _former, ...columns } = choices.columns ?? {};
                onChoice({ columns: column ? { ...columns, [field]: column } : columns });
              }}
            />
          );
        })}
      </div>
    </details>
  );
}

interface DateInputProps {
  name: string;
  value: string;
  min?: string;
  /** Called with each date while it is typed, and with an empty string for one that does not exist. */
  onDate: (date: string) => void;
}

/** A field for a date. If it is left with a date that does not exist, it gets its former date again. */
function DateInput({ name, value, min, onDate }: DateInputProps) {
  const former = useRef(value);
  return (
    <input
      type="date"
      aria-label={name}
      value={value}
      min={min}
      onFocus={() => (former.current = value)}
      onChange={(event) => onDate(event.currentTarget.value)}
      onBlur={({ currentTarget }) => {
        if (!currentTarget.validity.badInput) return;
        currentTarget.value = former.current;
        onDate(former.current);
      }}
    />
  );
}

/** The dates of the sprints that have none in the file. */
export function SprintDates({ answer, choices, onChoice }: MappingProps & { answer: ImportView }) {
  const known = { ...answer.mapping.sprints, ...choices.sprints };
  /** The names in the order of the first dates, so that no sprint moves while its date is typed. */
  const order = useRef(new Set<string>());
  const byDate = Object.entries(known).sort(([, a], [, b]) =>
    a.start_date.localeCompare(b.start_date),
  );
  for (const [name] of byDate) order.current.add(name);
  const all = [...order.current].flatMap((name) => {
    const dates = known[name];
    return dates ? [{ name, dates }] : [];
  });
  if (all.length === 0) return null;
  const set = (name: string, dates: { start_date: string; end_date?: string | null }): void => {
    if (!dates.start_date) return;
    onChoice({ sprints: { ...choices.sprints, [name]: dates } });
  };
  return (
    <Group name="Sprint dates" hint="The file has no dates for these sprints.">
      {all.map(({ name, dates }) => (
        <div key={name} class="mapped dates">
          <span class="mapped-name">{name}</span>
          <DateInput
            name={`Start date of ${name}`}
            value={dates.start_date}
            onDate={(date) => set(name, { ...dates, start_date: date })}
          />
          <DateInput
            name={`End date of ${name}`}
            value={dates.end_date ?? ''}
            min={dates.start_date}
            onDate={(date) => set(name, { ...dates, end_date: date || null })}
          />
        </div>
      ))}
    </Group>
  );
}

/** The order of day, month and year in the dates of the file. */
export function DateOrder({ choices, onChoice, isAsked }: MappingProps & { isAsked: boolean }) {
  return (
    <SelectField
      label="Date order"
      hint={isAsked ? 'Choose how dates are written in the file.' : undefined}
      value={choices.date_order ?? ''}
      onPick={(picked) => onChoice({ date_order: picked || undefined })}
    >
      <option value="">{isAsked ? 'Choose' : 'Detect'}</option>
      {DATE_ORDERS.map(({ order, name }) => (
        <option key={order} value={order}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

export function Subtasks({ choices, onChoice }: MappingProps) {
  return (
    <SelectField
      label="Sub-tasks"
      value={choices.subtasks ?? 'tasks'}
      onPick={(picked) => onChoice({ subtasks: picked })}
    >
      <option value="tasks">Tasks of their story</option>
      <option value="stories">Stories of their own</option>
      <option value="skip">Skip</option>
    </SelectField>
  );
}

export function Archived({ choices, onChoice }: MappingProps) {
  return (
    <SelectField
      label="Archived stories"
      value={choices.archived ?? 'skip'}
      onPick={(picked) => onChoice({ archived: picked })}
    >
      <option value="skip">Skip</option>
      <option value="import">Import</option>
    </SelectField>
  );
}
