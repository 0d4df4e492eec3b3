import { useSignal } from '@preact/signals';
import { api } from '../../api/client';
import { ApiError } from '../../api/problem';
import { Button, Field } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { navigate, pathOf } from '../../router';
import { randomKey } from '../../util/random';

/** Makes a board in the time zone of the browser. */
export function NewBoard({ onClose }: { onClose: () => void }) {
  const name = useSignal('');
  const error = useSignal('');
  const key = useSignal(randomKey());
  const create = async (): Promise<void> => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    try {
      const { data } = await api.POST('/api/boards', {
        params: { header: { 'Idempotency-Key': key.value } },
        body: { name: name.value, time_zone: timeZone },
      });
      onClose();
      if (data) navigate(pathOf(data.name, 'backlog'));
    } catch (failure) {
      key.value = randomKey();
      error.value =
        failure instanceof ApiError
          ? (failure.detailOf('name') ?? failure.message)
          : 'The service cannot be reached.';
    }
  };
  return (
    <Dialog title="New board" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field label="Name" error={error.value || undefined}>
          {(props) => (
            <input
              {...props}
              autoFocus
              maxLength={100}
              value={name.value}
              onInput={(event) => (name.value = event.currentTarget.value)}
            />
          )}
        </Field>
        <footer class="dialog-foot">
          <span class="spring" />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Create
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
