import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../../api/client';
import type { Board, Session } from '../../api/types';
import { Button, FieldNote, SelectField, TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import { alertError, announce } from '../../state/announce';
import { signIn } from '../../state/session';
import { useAnswer } from '../../util/answer';
import { fieldErrors, failureText } from '../../util/failure';
import { useSubmit } from '../../util/submit';

type Scope = Session['scope'];

interface NewTokenProps {
  /** Whether the service has no token yet. */
  isFirst: boolean;
  /** Called when a token was created and its secret was shown. */
  onCreated: () => void;
  onClose: () => void;
}

/** Creates a token, and shows its secret once. */
export function NewToken({ isFirst, onCreated, onClose }: NewTokenProps) {
  const secret = useSignal('');
  const close = (): void => {
    onClose();
    onCreated();
  };
  // The list is read afterwards, because a dialog that asks to sign in would hide the secret.
  if (secret.value) return <CreatedToken secret={secret.value} onClose={close} />;
  return (
    <TokenForm isFirst={isFirst} onClose={onClose} onMade={(token) => (secret.value = token)} />
  );
}

interface TokenFormProps {
  isFirst: boolean;
  onMade: (secret: string) => void;
  onClose: () => void;
}

function TokenForm({ isFirst, onMade, onClose }: TokenFormProps) {
  const { name, scope, boards, expires, signsIn, isBusy, error, create } = useDraft(
    isFirst,
    onMade,
  );
  const errors = error.value;
  const { data: all } = useAnswer(async () => (await api.GET('/api/boards')).data as Board[], []);

  // While the request runs, the form stays open, because only its response has the secret.
  const close = isBusy.value ? undefined : onClose;
  return (
    <Dialog title="New token" onClose={close}>
      <DialogForm action="Create" isBusy={isBusy.value} onSubmit={create} onCancel={close}>
        <TextField
          label="Name"
          error={errors?.name}
          hint="The person or program that uses the token, as the history shows it."
          autoFocus
          autocomplete="off"
          value={name.value}
          onText={(text) => (name.value = text)}
        />
        <SelectField
          label="Scope"
          error={errors?.scope}
          hint={isFirst ? FIRST : undefined}
          value={scope.value}
          onPick={(picked) => (scope.value = picked)}
        >
          {!isFirst && <option value="read">Read: view boards</option>}
          {!isFirst && <option value="write">Write: view and change boards</option>}
          <option value="admin">Admin: also manage tokens</option>
        </SelectField>
        {scope.value !== 'admin' && (
          <BoardsField boards={boards} all={all} error={errors?.boards} />
        )}
        <TextField
          label="Expires on"
          error={errors?.expires_at}
          hint="At the end of that day. Leave empty for no expiry."
          type="date"
          max="9999-12-31"
          value={expires.value}
          onText={(text) => (expires.value = text)}
        />
        {isFirst && (
          <label class="check">
            <input
              type="checkbox"
              checked={signsIn.value}
              onChange={(event) => (signsIn.value = event.currentTarget.checked)}
            />
            Sign me in with this token
          </label>
        )}
        <FieldNote error={errors?.form} />
      </DialogForm>
    </Dialog>
  );
}

/** The fields of a new token, and the request that creates it. */
function useDraft(isFirst: boolean, onMade: (secret: string) => void) {
  const name = useSignal('');
  const scope = useSignal<Scope>(isFirst ? 'admin' : 'write');
  /** Null: all boards. */
  const boards = useSignal<readonly string[] | null>(null);
  const expires = useSignal('');
  const signsIn = useSignal(true);
  const { isBusy, error, submit } = useSubmit(errorsOf);
  const create = async (): Promise<void> => {
    const isLimited = scope.value !== 'admin' && boards.value !== null;
    const { data } = await api.POST('/api/tokens', {
      body: {
        name: name.value,
        scope: scope.value,
        ...(isLimited && { boards: [...(boards.value ?? [])] }),
        // Until the end of that day in the time zone of the browser.
        ...(expires.value && { expires_at: new Date(`${expires.value}T23:59:59`).toISOString() }),
      },
    });
    if (!data) return;
    // Before any other request, because the service now requires a token.
    if (isFirst && signsIn.value) {
      await signIn(data.token).catch((failure: unknown) =>
        alertError(`You are not signed in. ${failureText(failure)}`),
      );
    }
    onMade(data.token);
  };
  return { name, scope, boards, expires, signsIn, isBusy, error, create: () => submit(create) };
}

interface BoardsFieldProps {
  /** The names of the chosen boards; null: all boards. */
  boards: Signal<readonly string[] | null>;
  all: readonly Board[] | null;
  error?: string;
}

function BoardsField({ boards, all, error }: BoardsFieldProps) {
  return (
    <fieldset>
      <legend>Boards</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={boards.value === null}
          onChange={(event) => (boards.value = event.currentTarget.checked ? null : [])}
        />
        All boards
      </label>
      {boards.value !== null && (
        <div class="board-checks">
          {all?.map((board) => (
            <label key={board.id} class="check">
              <input
                type="checkbox"
                checked={boards.value?.includes(board.name)}
                onChange={(event) => {
                  const others = boards.value?.filter((each) => each !== board.name) ?? [];
                  boards.value = event.currentTarget.checked ? [...others, board.name] : others;
                }}
              />
              {board.name}
            </label>
          ))}
        </div>
      )}
      <FieldNote error={error} />
    </fieldset>
  );
}

const FIRST =
  'The first token must have the scope Admin. From then on, everybody must sign in, unless the service runs with AUTH=off.';

const errorsOf = (failure: unknown) =>
  fieldErrors(failure, ['name', 'scope', 'boards', 'expires_at']);

function CreatedToken({ secret, onClose }: { secret: string; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    input.current?.focus();
    input.current?.select();
    // Over plain HTTP only localhost has a clipboard. The types do not say that it may be missing.
    const clipboard = navigator.clipboard as Clipboard | undefined;

    isCopied.value = clipboard
      ? await clipboard.writeText(secret).then(() => true)
      : document.execCommand('copy');
    if (isCopied.value) announce('Copied');
  };
  return (
    <Dialog title="Token created">
      <div class="form">
        <p>Copy the token now: it is not shown again. Keep it secret, like a password.</p>
        <div class="secret">
          <input ref={input} aria-label="The new token" readOnly value={secret} />
          <Button kind="primary" autoFocus onClick={() => void copy().catch(() => undefined)}>
            {isCopied.value ? 'Copied' : 'Copy'}
          </Button>
        </div>
      </div>
      <footer class="dialog-foot">
        <span class="spring" />
        <Button onClick={onClose}>Done</Button>
      </footer>
    </Dialog>
  );
}
