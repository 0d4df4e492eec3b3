import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../../api/problem';
import { Button, TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/dialog-form';
import { recoverFocus } from '../../state/focus';
import { session, signIn } from '../../state/session';
import { store } from '../../state/stores';
import { useTitle } from '../../state/title';
import { failureText } from '../../util/failure';
import { plural } from '../../util/format';

/** Asks for a token, and then shows the requested view. */
export function SignInView() {
  useTitle('Sign in – Sprintline');
  useEffect(() => recoverFocus, []);
  return (
    <div class="sign-in">
      <h1>Sign in</h1>
      <SignInForm />
      <p class="note">Ask an administrator of this service for a token.</p>
    </div>
  );
}

/** Asks for a token again after the session has ended; the changes of the user wait meanwhile. */
export function SignInDialog({ onClose }: { onClose: () => void }) {
  const unsaved = store.value?.queue.pending.value.length ?? 0;
  const { actor, token_required: isNamed } = session.value ?? {};
  return (
    <Dialog title="Sign in again" onClose={onClose}>
      <p>
        Your session has ended.
        {unsaved > 0 &&
          ` ${plural(unsaved, 'change')} will be saved once you have signed in${isNamed ? ` as ${actor}` : ''}.`}
      </p>
      <SignInForm />
    </Dialog>
  );
}

function SignInForm() {
  const token = useSignal('');
  const error = useSignal('');
  const submit = async (): Promise<void> => {
    error.value = '';
    if (!token.value.trim()) {
      error.value = 'Enter a token.';
      return;
    }
    try {
      await signIn(token.value.trim());
    } catch (failure) {
      error.value = messageOf(failure);
    }
  };
  return (
    <Form class="sign-in-form" onSubmit={() => void submit()}>
      <TextField
        label="Token"
        error={error.value || undefined}
        type="password"
        autocomplete="current-password"
        spellcheck={false}
        autoFocus
        value={token.value}
        onText={(text) => (token.value = text)}
      />
      <Button kind="primary" type="submit">
        Sign in
      </Button>
    </Form>
  );
}

function messageOf(failure: unknown): string {
  // The service rejects a text that is much longer than a token with 413.
  if (failure instanceof ApiError && [400, 401, 413].includes(failure.status)) {
    return 'This token is not valid. It may have expired, or it was deleted.';
  }
  return failureText(failure);
}
