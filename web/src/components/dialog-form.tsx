import type { ComponentChildren } from 'preact';
import { focusInvalid } from '../state/focus';
import { Button } from './controls';

interface DialogFormProps {
  /** The label of the button that submits. */
  action: ComponentChildren;
  kind?: 'primary' | 'danger';
  isDisabled?: boolean;
  onSubmit: () => void;
  onCancel: () => void;
  children: ComponentChildren;
}

/** A form in a dialog, with its buttons; Ctrl+Enter submits it from a text area, too. */
export function DialogForm({
  action,
  kind = 'primary',
  isDisabled,
  onSubmit,
  onCancel,
  children,
}: DialogFormProps) {
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
        focusInvalid(event.currentTarget);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        // In an input, the key submits the form by default; it must not do so twice.
        event.preventDefault();
        event.currentTarget.requestSubmit();
      }}
    >
      {children}
      <footer class="dialog-foot">
        <span class="spring" />
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind={kind} type="submit" disabled={isDisabled}>
          {action}
        </Button>
      </footer>
    </form>
  );
}
