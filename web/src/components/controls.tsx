import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Status } from '../api/types';

type ButtonProps = JSX.IntrinsicElements['button'] & {
  kind?: 'primary' | 'quiet' | 'danger';
};

export function Button({ kind, ...rest }: ButtonProps) {
  return <button type="button" class={`button ${kind ?? ''}`} {...rest} />;
}

interface FieldProps {
  label: string;
  /** The error of the value. */
  error?: string;
  hint?: string;
  children: (props: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: boolean;
  }) => ComponentChildren;
}

/** A labelled field with its error. */
export function Field({ label, error, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': (error ?? hint) ? `${id}-note` : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      <FieldNote id={`${id}-note`} error={error} hint={hint} />
    </div>
  );
}

/** The error of a field or of a form, or else its hint; nothing without both. */
export function FieldNote({ id, error, hint }: { id?: string; error?: string; hint?: string }) {
  const note = error ?? hint;
  if (!note) return null;
  return (
    <p id={id} class={error ? 'field-error' : 'field-hint'} role={error ? 'alert' : undefined}>
      {note}
    </p>
  );
}

const BAD_DATE = 'This date is incomplete or does not exist.';

type TextFieldProps = Omit<FieldProps, 'children'> &
  JSX.IntrinsicElements['input'] & { onText: (text: string) => void };

/** A labelled field for a line of text, or for a date. */
export function TextField({ label, error, hint, onText, ...rest }: TextFieldProps) {
  const isBadDate = useSignal(false);
  return (
    <Field label={label} error={isBadDate.value ? BAD_DATE : error} hint={hint}>
      {(props) => (
        <input
          {...props}
          {...rest}
          onInput={(event) => {
            isBadDate.value = false;
            onText(event.currentTarget.value);
          }}
          onInvalid={() => (isBadDate.value = true)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps<Value extends string> extends Omit<FieldProps, 'children'> {
  value: Value;
  disabled?: boolean;
  onPick: (value: Value) => void;
  /** The options; their values are those of the field. */
  children: ComponentChildren;
}

/** A labelled choice of one option. */
export function SelectField<Value extends string>({
  value,
  disabled,
  onPick,
  children,
  ...field
}: SelectFieldProps<Value>) {
  return (
    <Field {...field}>
      {(props) => (
        <select
          {...props}
          value={value}
          disabled={disabled}
          onChange={(event) => onPick(event.currentTarget.value as Value)}
        >
          {children}
        </select>
      )}
    </Field>
  );
}

/** A placeholder while something loads; it appears after a moment, so that quick answers do not flash. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} />
      ))}
    </div>
  );
}

const ICONS = {
  move: 'M4 8h.01M8 8h.01M12 8h.01',
  commands: 'M3 4.5L6.5 8L3 11.5M8.5 11.5H13',
  close: 'M4 4l8 8M12 4l-8 8',
  edit: 'M3 13l.7-2.9 6.9-6.9 2.2 2.2-6.9 6.9L3 13z',
  leave: 'M6 2.5H3.5v11H6M7 8h6.5M11 5.5L13.5 8 11 10.5',
  settings:
    'M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 2.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4zM5 9.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4z',
} as const;

export function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

/** The mark of a status: an empty, half full or ticked circle. */
export function StatusMark({ status }: { status: Status }) {
  return (
    <svg
      class={`status-mark ${status}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
    >
      <circle cx="8" cy="8" r="6" />
      {status === 'in_progress' && <path class="part" d="M8 4.5a3.5 3.5 0 0 1 0 7z" />}
      {status === 'done' && <path class="tick" d="M5.2 8.2l2 2 3.6-4" />}
    </svg>
  );
}
