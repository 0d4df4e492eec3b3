import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { Board, Session } from '../../api/types';
import { Button, SelectField, TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import { announce } from '../../state/announce';
import { signIn } from '../../state/session';
import { useAnswer } from '../../util/answer';
import { failureText } from '../../util/failure';
import { useSubmit } from '../../util/submit';

type Scope = Session['scope'];

interface NewTokenProps {
  /** Whether the service has none yet. */
  isFirst: boolean;
  onCreated: () => void;
  onClose: () => void;
}

type Errors = Partial<Record<'name' | 'scope' | 'boards' | 'expires_at' | 'form', string>>;

/** Makes a token, and shows it this once. */
export function NewToken({ isFirst, onCreated, onClose }: NewTokenProps) {
  const secret = useSignal('');
  if (secret.value) return <Made secret={secret.value} onClose={onClose} />;
  return (
    <Dialog title="New token" onClose={onClose}>
      <TokenForm
        isFirst={isFirst}
        onCancel={onClose}
        onMade={(token) => {
          secret.value = token;
          onCreated();
        }}
      />
    </Dialog>
  );
}

interface TokenFormProps {
  isFirst: boolean;
  onMade: (secret: string) => void;
  onCancel: () => void;
}

function TokenForm({ isFirst, onMade, onCancel }: TokenFormProps) {
  const name = useSignal('');
  const scope = useSignal<Scope>(isFirst ? 'admin' : 'write');
  /** Null: all boards. */
  const boards = useSignal<readonly string[] | null>(null);
  const expires = useSignal('');
  const signsIn = useSignal(true);
  const errors = useSignal<Errors>({});
  const { data: all } = useAnswer(async () => (await api.GET('/api/boards')).data as Board[], []);

  const { isBusy, submit } = useSubmit((failure) => (errors.value = errorsOf(failure)));
  const create = async (): Promise<void> => {
    const isLimited = scope.value !== 'admin' && boards.value !== null;
    const { data } = await api.POST('/api/tokens', {
      body: {
        name: name.value,
        scope: scope.value,
        ...(isLimited && { boards: [...(boards.value ?? [])] }),
        // Until the end of that day where the user is.
        ...(expires.value && { expires_at: new Date(`${expires.value}T23:59:59`).toISOString() }),
      },
    });
    if (!data) return;
    // Before anything else is requested: from now on the service wants a token.
    if (isFirst && signsIn.value) await signIn(data.token);
    onMade(data.token);
  };

  return (
    <DialogForm
      action="Create"
      isDisabled={isBusy.value}
      onSubmit={() => submit(create)}
      onCancel={onCancel}
    >
      <TextField
        label="Name"
        error={errors.value.name}
        hint="Of a person or a program; the history names it."
        autoFocus
        autocomplete="off"
        maxLength={100}
        value={name.value}
        onText={(text) => (name.value = text)}
      />
      <SelectField
        label="Scope"
        error={errors.value.scope}
        hint={isFirst ? FIRST : undefined}
        value={scope.value}
        onPick={(picked) => (scope.value = picked)}
      >
        {!isFirst && <option value="read">Read: sees boards</option>}
        {!isFirst && <option value="write">Write: changes boards, too</option>}
        <option value="admin">Admin: makes tokens, too</option>
      </SelectField>
      {scope.value !== 'admin' && (
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
          {errors.value.boards && <p class="field-error">{errors.value.boards}</p>}
        </fieldset>
      )}
      <TextField
        label="Expires on"
        error={errors.value.expires_at}
        hint="At the end of that day. Empty: never."
        type="date"
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
          Sign me in with it in this browser
        </label>
      )}
      {errors.value.form && (
        <p class="field-error" role="alert">
          {errors.value.form}
        </p>
      )}
    </DialogForm>
  );
}

const FIRST = 'The first token must be an admin one. From then on everybody must sign in.';

function errorsOf(failure: unknown): Errors {
  if (!(failure instanceof ApiError)) return { form: failureText(failure) };
  const errors: Errors = {
    name: failure.detailOf('name'),
    scope: failure.detailOf('scope'),
    boards: failure.detailOf('boards'),
    expires_at: failure.detailOf('expires_at'),
  };
  return Object.values(errors).some(Boolean) ? errors : { form: failure.message };
}

function Made({ secret, onClose }: { secret: string; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    input.current?.select();
    // Browsers give the clipboard to https and localhost only; the text is selected for the others.
    await navigator.clipboard?.writeText(secret);
    isCopied.value = true;
    announce('Copied');
  };
  return (
    <Dialog title="The token" onClose={onClose}>
      <div class="form">
        <p>It is shown only now. Copy it to where it is needed; it is a secret like a password.</p>
        <div class="secret">
          <input ref={input} aria-label="The new token" readOnly value={secret} />
          <Button kind="primary" autoFocus onClick={() => void copy().catch(() => undefined)}>
            {isCopied.value ? 'Copied' : 'Copy'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
