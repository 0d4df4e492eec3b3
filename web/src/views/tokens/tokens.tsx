import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import type { Token } from '../../api/types';
import { Button, FieldNote } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { NoAnswer } from '../../components/no-answer';
import { report } from '../../state/announce';
import { recoverFocus } from '../../state/focus';
import { isAdmin, loadSession, session } from '../../state/session';
import { useTitle } from '../../state/title';
import { useAnswer } from '../../util/answer';
import { failureText } from '../../util/failure';
import { formatTime } from '../../util/format';
import { isolated } from '../../util/names';
import { useSubmit } from '../../util/submit';
import { NewToken } from './new-token';

const SCOPES = { read: 'Read', write: 'Write', admin: 'Admin' } as const;

/** The tokens of the service. */
export function TokensView() {
  useTitle('Tokens – Sprintline');
  if (isAdmin.value) return <Tokens />;
  return (
    <div class="tokens">
      <header class="view-head">
        <h1>Tokens</h1>
      </header>
      <p class="empty">Only a token with the scope Admin can list and create tokens.</p>
    </div>
  );
}

function Tokens() {
  const changes = useSignal(0);
  const isCreating = useSignal(false);
  const asked = useSignal<Token | null>(null);
  const answer = useAnswer(
    async () => (await api.GET('/api/tokens')).data as Token[],
    [changes.value, session.value],
  );
  const { data, error } = answer;
  const isFirst = data?.length === 0;
  useEffect(() => {
    // The button of a deleted token, which had the focus, is removed.
    if (changes.value > 0) recoverFocus();
  }, [data]);
  useEffect(() => {
    // Deleting the last token has ended the session.
    if (isFirst && session.value?.token_required) void loadSession();
  }, [isFirst]);
  return (
    <div class="tokens">
      <header class="view-head">
        <div class="view-title">
          <h1>Tokens</h1>
          <span class="spring" />
          {data && (
            <Button kind="primary" onClick={() => (isCreating.value = true)}>
              New token
            </Button>
          )}
        </div>
        <p class="note">
          People sign in with a token, and programs send one with each request. The history shows
          changes under the name of the token.
        </p>
      </header>
      {/* The list stays if it could not be read again. */}
      {data && error && <p role="alert">{error.message}</p>}
      <NoAnswer {...answer} lines={4} />
      {isFirst && (
        <div class="blank">
          <p>
            There is no token yet, so everyone who can reach this service has full access. The first
            token must have the scope Admin; from then on, everybody must sign in, unless the
            service runs with AUTH=off.
          </p>
        </div>
      )}
      {data && data.length > 0 && !session.value?.token_required && (
        <p>
          The service runs with AUTH=off. It requires no token, and everyone who can reach it has
          full access.
        </p>
      )}
      {data && data.length > 0 && (
        <ul class="token-list" aria-label="Tokens">
          {data.map((token) => (
            <TokenRow key={token.id} token={token} onDelete={() => (asked.value = token)} />
          ))}
        </ul>
      )}
      {isCreating.value && (
        <NewToken
          isFirst={isFirst ?? false}
          onCreated={() => (changes.value += 1)}
          onClose={() => (isCreating.value = false)}
        />
      )}
      {asked.value && (
        <DeleteToken
          token={asked.value}
          onDeleted={() => (changes.value += 1)}
          onClose={() => (asked.value = null)}
        />
      )}
    </div>
  );
}

function TokenRow({ token, onDelete }: { token: Token; onDelete: () => void }) {
  const { name, scope, boards, expires_at, last_used_at } = token;
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return (
    <li aria-label={name}>
      <div class="token-name">
        <strong>{name}</strong>
        <span class={scope === 'admin' ? 'state active' : 'state'}>{SCOPES[scope]}</span>
      </div>
      <dl>
        <div>
          <dt>Boards</dt>
          <dd>{boards ? boards.join(', ') || 'None' : 'All boards'}</dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd class={isOver ? 'field-error' : undefined}>
            {expires_at === null ? 'Never' : isOver ? 'Has expired' : formatTime(expires_at)}
          </dd>
        </div>
        <div>
          <dt>Last used</dt>
          <dd>{last_used_at === null ? 'Never' : formatTime(last_used_at)}</dd>
        </div>
      </dl>
      <Button kind="danger" aria-label={`Delete ${name}`} onClick={onDelete}>
        Delete
      </Button>
    </li>
  );
}

interface DeleteTokenProps {
  token: Token;
  onDeleted: () => void;
  onClose: () => void;
}

function DeleteToken({ token, onDeleted, onClose }: DeleteTokenProps) {
  const { isBusy, error, submit } = useSubmit(failureText);
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/tokens/{token_id}', { params: { path: { token_id: token.id } } });
    onClose();
    onDeleted();
    report(`Deleted ${isolated(token.name)}`);
  };
  return (
    <Dialog title={`Delete ${isolated(token.name)}?`} onClose={onClose}>
      <p>
        Programs and browsers that use this token are signed out at once. Its changes stay in the
        history.
      </p>
      <FieldNote error={error.value} />
      <footer class="dialog-foot">
        <span class="spring" />
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" aria-disabled={isBusy.value} onClick={() => submit(remove)}>
          Delete
        </Button>
      </footer>
    </Dialog>
  );
}
