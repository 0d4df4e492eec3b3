import type { ComponentChildren } from 'preact';
import { focusInvalid } from '../state/focus';
import { Button } from './controls';

interface FormProps {
  class?: string;
  onSubmit: () => void;
  children: ComponentChildren;
}

/** Whether each date of a form is complete or empty. Any other date has the value of an empty one. */
const hasNoBadDate = (form: HTMLFormElement): boolean =>
  // `checkValidity` sends the event `invalid` to the field, which shows its error.
  [...form.querySelectorAll('input')].filter(
    (each) => each.validity.badInput && !each.checkValidity(),
  ).length === 0;

/** A form that shows its errors itself, and focuses the first; Ctrl+Enter submits it from a text area, too. */
export function Form({ class: className = 'form', onSubmit, children }: FormProps) {
  return (
    <form
      class={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (hasNoBadDate(event.currentTarget)) onSubmit();
        focusInvalid(event.currentTarget);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        // In an input, the key submits the form by default; it must not do so twice.
        event.preventDefault();
        // A button that is disabled does nothing.
        event.currentTarget.querySelector<HTMLButtonElement>('button[type=submit]')?.click();
      }}
    >
      {children}
    </form>
  );
}

interface DialogFormProps extends FormProps {
  /** The label of the button that submits. */
  action: ComponentChildren;
  kind?: 'primary' | 'danger';
  isDisabled?: boolean;
  /** Whether the request is in progress. The button keeps the focus, which a disabled one would lose. */
  isBusy?: boolean;
  /** Absent while the form cannot be cancelled. */
  onCancel?: () => void;
}

/** A form in a dialog, with its buttons. */
export function DialogForm({
  action,
  kind = 'primary',
  isDisabled,
  isBusy,
  onSubmit,
  onCancel,
  children,
}: DialogFormProps) {
  return (
    <Form onSubmit={onSubmit}>
      {children}
      <footer class="dialog-foot">
        <span class="spring" />
        <Button aria-disabled={!onCancel} onClick={onCancel}>
          Cancel
        </Button>
        <Button kind={kind} type="submit" disabled={isDisabled} aria-disabled={isBusy}>
          {action}
        </Button>
      </footer>
    </Form>
  );
}
